#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "infrastructure/yaml/setting_loaders.h"

namespace awf {
namespace {

constexpr std::array<std::string_view, 2> kMoments = {"pre", "post"};
constexpr std::array<std::string_view, 2> kKinds = {"log", "command"};
constexpr std::string_view kForm = "write it as '- log: TEXT' or '- command: TEXT'";

std::optional<Hook> LoadHook(const YamlNode& node, const std::string& field, StateReader& reader) {
  YamlReader& yaml = reader.yaml;
  if (node.kind != YamlNode::Kind::kMapping) {
    yaml.Invalid(node, "must be a map, but is " + DescriptionOf(node), field, std::string(kForm));
    return std::nullopt;
  }
  yaml.CheckKeys(node, {kKinds, {}, {}}, field);
  const YamlEntry* log = YamlReader::Find(node, "log");
  const YamlEntry* command = YamlReader::Find(node, "command");
  if (log != nullptr && command != nullptr) {
    yaml.Invalid(node, "a hook is either log or command, not both", field, "make two hooks of it");
    return std::nullopt;
  }
  if (log == nullptr && command == nullptr) {
    yaml.Report(node, "WORKFLOW.PARSE.MISSING_FIELD", "the hook has neither log nor command", field,
                std::string(kForm));
    return std::nullopt;
  }
  Hook hook;
  hook.kind = log != nullptr ? Hook::Kind::kLog : Hook::Kind::kCommand;
  const YamlEntry& entry = log != nullptr ? *log : *command;
  hook.text = reader.NonEmptyText(*entry.value, JoinPath(field, entry.key->text));
  if (hook.text.empty()) return std::nullopt;
  return hook;
}

std::vector<Hook> LoadList(const YamlNode& map, std::string_view moment, StateReader& reader) {
  std::vector<Hook> hooks;
  const YamlEntry* entry = YamlReader::Find(map, moment);
  if (entry == nullptr) return hooks;
  const std::string field = JoinPath("hooks", moment);
  if (!reader.yaml.IsList(*entry->value, field)) return hooks;
  for (std::size_t i = 0; i < entry->value->items.size(); ++i) {
    if (auto hook = LoadHook(*entry->value->items[i], field + "[" + std::to_string(i) + "]", reader)) {
      hooks.push_back(std::move(*hook));
    }
  }
  return hooks;
}

}  // namespace

StateHooks LoadHooks(const YamlNode& node, StateReader& reader) {
  if (!reader.yaml.IsMap(node, "hooks")) return {};
  reader.yaml.CheckKeys(node, {kMoments, {}, {}}, "hooks");
  return {LoadList(node, "pre", reader), LoadList(node, "post", reader)};
}

}  // namespace awf
