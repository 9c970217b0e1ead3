// What the loaders of one state share: its map, the model that is being filled, and readings that say by themselves
// when the way on of the state is lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/workflow.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {

// Does not own what it refers to. Used on one thread.
class StateReader {
 public:
  StateReader(const YamlEntry& entry, YamlReader& reader, State& model)
      : map(*entry.value), key(*entry.key), yaml(reader), state(model) {}

  const YamlNode& map;  // a mapping, once StateLoader has looked
  const YamlNode& key;  // the name of the state
  YamlReader& yaml;
  State& state;

  const YamlNode* Find(std::string_view name) const;
  void Missing(const std::string& field, std::string message, std::string hint = {});
  // What the state does or where it leads could not be read: nothing that follows from it may be reported.
  void LoseFlow() { state.partial = true; }

  TemplateText NonEmptyText(const YamlNode& node, const std::string& field);
  TemplateText OptionalText(const std::string& field);  // may be empty
  TemplateText Required(const std::string& field);
  TemplateText NonEmptyExpression(const YamlNode& node, const std::string& field);
  // Both texts of a pair of which exactly one must be given; where both are, the second stays empty.
  void OneOf(const std::string& first, TemplateText& first_text, const std::string& second, TemplateText& second_text);
  // A target; an unreadable one loses the flow.
  std::optional<StateTarget> Target(const YamlNode& node, const std::string& field);
  // A list of at least one state; an unreadable one loses the flow.
  std::vector<StateTarget> RequiredTargets(const std::string& field);
};

}  // namespace awf
