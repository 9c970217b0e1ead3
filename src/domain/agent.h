// Agent steps: what is asked of an agent, what comes back, and the two ports behind which providers live.
//
// AgentExecutor runs one attempt of an agent step, whatever the provider. AgentProvider is the small, stateful adapter
// of one CLI: it prepares the invocation, reads the stream line by line and judges the end; spawning, streaming,
// killing and the proof of connection are the executor's, once for all CLIs (infrastructure/agents/agent_runner.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/mcp_proxy_settings.h"
#include "domain/run_observer.h"
#include "domain/time.h"

namespace awf {

// What a finished agent step leaves behind for one that goes on with its conversation.
struct AgentSession {
  std::string provider;  // canonical
  std::string id;        // the CLI's own; may be empty where `messages` is the conversation
  json::value messages;  // openai_compatible, mistral_vibe: the messages so far; else null
  TokenUsage usage;      // codex: the sum over its thread so far
  std::filesystem::path working_dir;
  // Names the conversation's private folder where the session lies in it, in this very run: a resumed run has another.
  // Empty: it lies where the CLI keeps its own, or `messages` is all of it.
  std::string folder;
};

// One attempt of one agent step, rendered and checked.
struct AgentRequest {
  StepContext step;
  std::string provider;             // canonical: claude, openai_compatible, …
  std::string provider_as_written;  // as in the file, for messages
  std::string prompt;
  std::string system_prompt;              // may be empty
  json::object options;                   // canonical keys; already validated by the provider's OptionSchema
  std::optional<McpProxySettings> proxy;  // present and enabled, or absent
  std::filesystem::path working_dir;      // absolute, exists
  Deadline deadline;                      // of this attempt
  std::stop_token cancelled;              // Ctrl-C or a cancelled branch
  // conversation.continue_from: the session to go on with.
  std::optional<AgentSession> continued{};
  // Names the conversation within the run when it has more than one step, whichever of them this is; else empty. CLIs
  // whose sessions lie in a private home of the step keep them in a folder that lives as long as the run.
  std::string conversation{};

  // The CLI's own tools are taken away: ours stand in their place.
  bool Intercepts() const { return proxy && proxy->intercept_builtins; }
};

// Runs one attempt. Thread-safe; blocks until the attempt is over and nothing of it is left running.
class AgentExecutor {
 public:
  virtual ~AgentExecutor() = default;
  virtual StepResult Run(const AgentRequest& request, RunObserver& observer) = 0;
};

// Where the agent finds its MCP server.
struct ProxyEndpoint {
  std::filesystem::path program;      // absolute path of awf
  std::filesystem::path config;       // serve.json
  std::filesystem::path step_folder;  // private, 0700; the provider's own files go here
  std::vector<std::string> tools;     // final names of the tools on offer
  long long timeout_ms = 0;           // remaining time of the step, for client-side tool timeouts
};

struct PrivateFile {
  std::string name;      // relative to the step folder
  std::string contents;  // written 0600 with O_EXCL
};

struct Invocation {
  std::vector<std::string> argv;                             // argv[0] is looked up on PATH
  std::vector<std::pair<std::string, std::string>> set_env;  // applied after the user's environment
  std::vector<std::string> unset_env;
  std::vector<std::string> merged_env{};  // names of options.env that are part of set_env already: not ignored
  std::string input;                      // written to stdin, then closed
  std::vector<PrivateFile> files;
  std::vector<std::string> warnings;  // what was left out of the user's wishes, for WARN lines
  // Why these very arguments promise less than the recipe does ("no model is named"); empty: they don't.
  std::string isolation_doubt{};
};

// What a provider makes of one line of its CLI's stream. One line may yield several events.
class AgentEvents {
 public:
  virtual ~AgentEvents() = default;
  // The CLI told its tools and whether our server is connected. `tools` are names as the CLI shows them.
  virtual void Announced(const std::vector<std::string>& tools, bool connected, std::string_view version) = 0;
  // The CLI says that our server failed: there is nothing to wait for.
  virtual void ServerFailed(std::string_view why) = 0;
  // What the CLI told proves this much, in place of what its version promises. Comes before the model's first word;
  // never kProven: that is Announced's.
  virtual void IsolationIs(IsolationLevel level, std::string_view reason) = 0;
  virtual void Text(std::string_view text) = 0;  // assistant text, in pieces
  // A tool use by the CLI's own account. `native` is true when the tool is not one of ours.
  virtual void ToolUse(std::string_view id, std::string_view name, bool native, std::string_view event_type) = 0;
  // Its result. `refused` is true when the CLI itself refused a tool that it does not offer.
  virtual void ToolEnded(std::string_view id, bool is_error, bool refused) = 0;
  // A message of the conversation, whole, or a block of one that the CLI tells by itself; what the CLI only repeats of
  // awf's own prompt is none. Beside Text, ToolUse and ToolEnded, which tell of the same: one with a tool_result comes
  // behind its ToolEnded.
  virtual void Message(const AgentMessage& message) = 0;
  virtual void PermissionDenied(std::string_view name) = 0;
  virtual void Tokens(const TokenUsage& usage) = 0;  // running or final totals; replaces the former
  virtual void Session(std::string_view id) = 0;
  virtual void HopelessRetry(const Error& why) = 0;  // stop early: more tries cannot help
  virtual void FinalEvent() = 0;                     // the CLI has told its result; what ends after it ends in order
};

struct ProcessExit {
  int exit_code = 0;         // 128 + signal when signalled
  int signal = 0;            // 0 when it exited
  std::string error_output;  // last 64 KiB of stderr
};

// The end of a CLI as its provider sees it; connection and isolation are judged by the executor.
struct Verdict {
  std::optional<Error> failure;  // absent: success
  std::string output;            // assistant text
  TokenUsage usage;
  std::string session_id;
  std::string model;          // as the CLI named it; may be empty
  json::value messages{};     // the conversation, of CLIs that have no sessions of their own
  TokenUsage thread_usage{};  // of the whole conversation, where that is what the CLI counts
  // The CLI refused a flag of the recipe before it asked any model, and may be started once more without it.
  bool try_fallback = false;
  // What stderr told of isolation ("the agent awf-step was not found"); empty: nothing.
  std::string isolation_doubt{};
};

// One attempt with one CLI. Used by one thread.
class AgentProvider {
 public:
  virtual ~AgentProvider() = default;
  // `proxy` is null when the step has no proxy.
  virtual std::expected<Invocation, Error> Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) = 0;
  virtual void Read(std::string_view line, AgentEvents& events) = 0;
  virtual Verdict Judge(const ProcessExit& exit) const = 0;
  // Name under which the CLI shows the tool with this final name.
  virtual std::string ShownName(std::string_view final_name) const = 0;
};

}  // namespace awf
