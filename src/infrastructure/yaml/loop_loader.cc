#include <optional>
#include <string>
#include <utility>

#include "infrastructure/yaml/body_loaders.h"
#include "infrastructure/yaml/value_reader.h"

namespace awf {
namespace {

constexpr long long kMaxIterations = 10'000;

void LoadItems(StateReader& reader, ForEachState& loop) {
  const YamlNode* node = reader.Find("items");
  if (node == nullptr) {
    reader.Missing("items", "no items", "give a list, a template that yields one, or an expression");
    return;
  }
  loop.items_position = reader.yaml.PositionOf(*node);
  if (node->kind == YamlNode::Kind::kSequence) {
    ReadValues read;
    json::value list = ReadValue(*node, "", "items", reader.yaml, read);
    loop.items = std::move(list.as_array());
    loop.item_templates = std::move(read.templates);
    return;
  }
  if (node->kind == YamlNode::Kind::kScalar && TypeOf(*node) == ScalarType::kString) {
    loop.items = reader.NonEmptyExpression(*node, "items");
    return;
  }
  reader.yaml.Invalid(
      *node, "must be a list, a template that yields one or an expression, but is " + DescriptionOf(*node), "items");
}

void LoadMaxIterations(const YamlNode& node, StateReader& reader, ForEachState& loop) {
  const std::string field = "max_iterations";
  const bool text = node.kind == YamlNode::Kind::kScalar && TypeOf(node) == ScalarType::kString;
  if (!text) {
    if (const auto count = reader.yaml.Integer(node, field, 1, kMaxIterations)) {
      loop.max_iterations = static_cast<int>(*count);
    }
    return;
  }
  if (const std::optional<long long> spelt = ParseInteger(node.text)) {
    if (*spelt >= 1 && *spelt <= kMaxIterations) {
      loop.max_iterations = static_cast<int>(*spelt);
    } else {
      reader.yaml.Invalid(node, "must be an integer from 1 to 10000", field);
    }
    return;
  }
  if (TemplateText expression = reader.NonEmptyExpression(node, field); !expression.empty()) {
    loop.max_iterations = std::move(expression);
  }
}

}  // namespace

ForEachState LoadForEach(StateReader& reader) {
  ForEachState loop;
  LoadItems(reader, loop);
  loop.body = reader.RequiredTargets("body");
  if (const YamlNode* node = reader.Find("max_iterations")) LoadMaxIterations(*node, reader, loop);
  if (const YamlNode* node = reader.Find("break_when")) {
    loop.break_when = reader.NonEmptyExpression(*node, "break_when");
  }
  return loop;
}

}  // namespace awf
