#include <array>
#include <string_view>

#include "infrastructure/yaml/body_loaders.h"

namespace awf {
namespace {

constexpr std::array<std::string_view, 2> kStatuses = {"success", "failure"};

}  // namespace

TerminalState LoadTerminal(StateReader& reader) {
  TerminalState terminal;
  if (const YamlNode* node = reader.Find("status")) {
    terminal.success = reader.yaml.Word(*node, "status", kStatuses).value_or("success") == "success";
  }
  terminal.message = reader.OptionalText("message");
  return terminal;
}

}  // namespace awf
