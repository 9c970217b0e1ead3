#include "infrastructure/yaml/state_reader.h"

#include <optional>
#include <utility>

namespace awf {

const YamlNode* StateReader::Find(std::string_view name) const { return YamlReader::FindValue(map, name); }

void StateReader::Missing(const std::string& field, std::string message, std::string hint) {
  yaml.Report(key, "WORKFLOW.PARSE.MISSING_FIELD", "state '" + state.name + "' has " + std::move(message), field,
              std::move(hint));
}

TemplateText StateReader::NonEmptyText(const YamlNode& node, const std::string& field) {
  if (!yaml.NonEmpty(node, field)) return {};
  return yaml.TextOf(node);
}

TemplateText StateReader::OptionalText(const std::string& field) {
  const YamlNode* node = Find(field);
  return node == nullptr ? TemplateText() : yaml.Text(*node, field).value_or(TemplateText());
}

TemplateText StateReader::Required(const std::string& field) {
  if (const YamlNode* node = Find(field)) return NonEmptyText(*node, field);
  Missing(field, "no " + field);
  return {};
}

TemplateText StateReader::NonEmptyExpression(const YamlNode& node, const std::string& field) {
  if (!yaml.NonEmpty(node, field)) return {};
  return yaml.ExpressionOf(node);
}

void StateReader::OneOf(const std::string& first, TemplateText& first_text, const std::string& second,
                        TemplateText& second_text) {
  const YamlNode* one = Find(first);
  const YamlNode* other = Find(second);
  if (one == nullptr && other == nullptr) {
    Missing(first, "neither " + first + " nor " + second);
    return;
  }
  if (one != nullptr && other != nullptr) {
    yaml.Invalid(*one, "give either " + first + " or " + second + ", not both", first);
  }
  if (one != nullptr) {
    first_text = NonEmptyText(*one, first);
  } else {
    second_text = NonEmptyText(*other, second);
  }
}

std::optional<StateTarget> StateReader::Target(const YamlNode& node, const std::string& field) {
  if (std::optional<std::string> name = yaml.NonEmpty(node, field)) {
    return StateTarget{std::move(*name), yaml.PositionOf(node)};
  }
  LoseFlow();
  return std::nullopt;
}

std::vector<StateTarget> StateReader::RequiredTargets(const std::string& field) {
  std::vector<StateTarget> targets;
  const YamlNode* list = Find(field);
  if (list == nullptr) {
    Missing(field, "no " + field, "give a list of states");
    LoseFlow();
    return targets;
  }
  if (!yaml.IsList(*list, field) || list->items.empty()) {
    if (list->kind == YamlNode::Kind::kSequence) yaml.Invalid(*list, "must name at least one state", field);
    LoseFlow();
    return targets;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    if (auto target = Target(*list->items[i], field + "[" + std::to_string(i) + "]")) {
      targets.push_back(std::move(*target));
    }
  }
  return targets;
}

}  // namespace awf
