#include "application/language/vocabulary.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "application/language/characters.h"

namespace awf {
namespace {

constexpr std::array<std::string_view, 9> kNamespaces = {"inputs", "states", "captures", "env",  "workflow",
                                                         "awf",    "loop",   "context",  "error"};
constexpr std::array<std::string_view, 6> kWorkflowKeys = {"ID",           "Name",      "Version",
                                                           "CurrentState", "StartedAt", "Duration"};
constexpr std::array<std::string_view, 9> kAwfKeys = {"prompts_dir", "scripts_dir", "workflows_dir",
                                                      "plugins_dir", "skills_dir",  "roles_dir",
                                                      "config_dir",  "data_dir",    "run_dir"};
constexpr std::array<std::string_view, 7> kLoopKeys = {"Item", "Index", "Index1", "First", "Last", "Length", "Parent"};
constexpr std::array<std::string_view, 3> kContextKeys = {"WorkingDir", "User", "Hostname"};
constexpr std::array<std::string_view, 5> kErrorKeys = {"Message", "State", "ExitCode", "Type", "Code"};
constexpr std::array<std::string_view, 8> kCommonFields = {"Output", "Stderr",    "ExitCode", "Status",
                                                           "Error",  "ErrorCode", "Duration", "Attempts"};
constexpr std::array<std::string_view, 6> kAgentFields = {"Response",     "JSON",       "TokensInput",
                                                          "TokensOutput", "TokensUsed", "TokensEstimated"};

}  // namespace

std::span<const std::string_view> Namespaces() { return kNamespaces; }

bool IsNamespace(std::string_view name) { return std::ranges::find(kNamespaces, name) != std::end(kNamespaces); }

std::span<const std::string_view> KeysOf(std::string_view name_space) {
  if (name_space == "workflow") return kWorkflowKeys;
  if (name_space == "awf") return kAwfKeys;
  if (name_space == "loop") return kLoopKeys;
  if (name_space == "context") return kContextKeys;
  if (name_space == "error") return kErrorKeys;
  return {};
}

std::span<const std::string_view> CommonResultFields() { return kCommonFields; }
std::span<const std::string_view> AgentResultFields() { return kAgentFields; }

std::string_view SameButCase(std::string_view wanted, std::span<const std::string_view> words) {
  const auto found = std::ranges::find_if(words, [&](std::string_view word) {
    return word != wanted && std::ranges::equal(word, wanted, {}, ToLower, ToLower);
  });
  return found == words.end() ? std::string_view() : *found;
}

}  // namespace awf
