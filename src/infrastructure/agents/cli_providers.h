// The agent CLIs that awf knows: a line each.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/agent.h"
#include "domain/tool_settings.h"
#include "infrastructure/agents/provider_setup.h"
#include "infrastructure/model_server/scripted_model.h"

namespace awf::agents {

// Whether the user is logged in, as far as that can be told without network.
struct LoginState {
  enum class Kind { kFound, kMissing, kUnknown };
  Kind kind = Kind::kUnknown;
  std::string text;  // "ANTHROPIC_API_KEY is set", "run claude and log in"
};

// How a CLI is pointed at a scripted model on loopback, and what the model can ask of it, for probes.
struct ProbeTarget {
  model_server::WireFormat format = model_server::WireFormat::kChatCompletions;
  json::object options;  // take the place of the step's, as "model"; maps are merged
  std::vector<std::pair<std::string, std::string>> environment;
  // Native tools of the CLI, by the names that its model sees, each with arguments that would have a visible effect.
  std::vector<model_server::ScriptedCall> native_calls;
  std::vector<std::string> harmless;  // offered beside ours in spite of the recipe; reach nothing but our server
};

struct CliProvider {
  std::string_view name;                       // canonical
  std::string_view program;                    // on the PATH
  std::span<const std::string_view> verified;  // versions that the recipe was verified with, oldest first
  bool announces = false;                      // it tells the names of all its tools in every run
  // What the recipe promises with a verified version.
  IsolationLevel known = IsolationLevel::kFlags;
  // What it promises with a version newer than all verified ones, where nothing is announced or proven.
  IsolationLevel newer = IsolationLevel::kCoexisting;
  int recipe = 1;  // goes up whenever flags or files change: proofs of probes with another one are void
  ResultBudget budget;
  std::unique_ptr<AgentProvider> (*make)(ProviderSetup setup);
  LoginState (*login)(const Environment& environment);
  // `base_url` has no path ("http://127.0.0.1:4711"); a native call must change nothing but the file `mark`, which lies
  // in the workspace. The folder that holds the workspace is the probe's own too and goes with it: a home for the CLI
  // may be put there.
  ProbeTarget (*probe)(const std::string& base_url, const std::filesystem::path& mark);
  // The name that the model sees in its request, by the tool's final name.
  std::string (*offered_name)(std::string_view final_name);
  std::span<const std::string_view> managed{};   // configuration of the machine's administrator, which outranks flags
  std::span<const std::string_view> prefixes{};  // of the variables that steer it: part of what a probe proves
  std::string_view mcp_client{};  // as whom it speaks to our server, with its own version; empty: with another one
  std::string_view install{};     // what a user does who lacks the program, as a phrase
  // It offers other tools to other models: a probe keeps the step's model, and its proof holds for that one alone.
  bool tools_by_model = false;
};

std::span<const CliProvider> CliProviders();

// Null when no CLI has that name.
const CliProvider* FindCliProvider(std::string_view name);

}  // namespace awf::agents
