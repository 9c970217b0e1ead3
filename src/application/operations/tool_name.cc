#include "application/operations/tool_name.h"

#include <algorithm>

#include "domain/result_text.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::size_t kLongestShown = 100;  // bytes of a name in an error

bool IsAllowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// As a person can read it; the name comes from a plugin and may hold anything.
std::string Shown(std::string_view name) {
  std::string shown = CleanText(Utf8Prefix(name, kLongestShown));
  std::ranges::replace_if(shown, [](char c) { return c == '\n' || c == '\t'; }, '?');
  return shown + (name.size() > kLongestShown ? "…" : "");
}

std::string CharacterAt(std::string_view name, std::size_t at) {
  const std::string_view rest = name.substr(at);
  if (rest.front() == '\n') return "a line feed";
  if (rest.front() == '\t') return "a tab";
  return "'" + CleanText(rest.substr(0, StepUtf8(name, at).length)) + "'";
}

}  // namespace

std::expected<std::string, std::string> OperationToolName(std::string_view plugin, std::string_view operation) {
  std::string name = std::string(plugin) + "_" + std::string(operation);
  const std::string refused = "'" + Shown(name) + "' cannot be the name of a tool: ";
  if (operation.empty()) return std::unexpected(refused + "the operation has no name");
  const auto bad = std::ranges::find_if_not(name, IsAllowed);
  if (bad != name.end()) {
    return std::unexpected(refused + "it holds " + CharacterAt(name, static_cast<std::size_t>(bad - name.begin())) +
                           ", allowed are letters, digits, '_' and '-'");
  }
  if (name.find("__") != std::string::npos) return std::unexpected(refused + "it holds '__'");
  if (name.size() > kLongestToolName) {
    return std::unexpected(refused + "it has " + std::to_string(name.size()) + " characters, allowed are " +
                           std::to_string(kLongestToolName));
  }
  return name;
}

std::string CollisionKey(std::string_view tool_name) {
  std::string key(tool_name);
  for (char& c : key) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return key;
}

}  // namespace awf
