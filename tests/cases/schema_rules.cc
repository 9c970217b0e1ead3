#include "schema_rules.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <string_view>

namespace awf::cases {
namespace {

// A fault of one schema node, or "".
using NodeRule = std::function<std::string(const json::object& node, bool is_root)>;

bool IsType(const json::object& node, std::string_view type) {
  const json::value* declared = node.if_contains("type");
  return declared != nullptr && declared->is_string() && declared->get_string() == type;
}

std::string HasOneOf(const json::object& node, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (node.contains(key)) return std::string(key) + " is there";
  }
  return "";
}

std::string RequiredIsSubset(const json::object& node) {
  const json::value* required = node.if_contains("required");
  if (required == nullptr) return "";
  const json::array* names = required->if_array();
  if (names == nullptr || names->empty()) return "required is no non-empty array";
  const json::value* properties = node.if_contains("properties");
  for (const json::value& name : *names) {
    if (properties == nullptr || !properties->as_object().contains(ToText(name.as_string()))) {
      return "required names " + json::serialize(name);
    }
  }
  return "";
}

std::string EnumIsStrings(const json::object& node) {
  const json::value* values = node.if_contains("enum");
  if (values == nullptr) return "";
  const bool strings = IsType(node, "string") && std::ranges::all_of(values->as_array(), [](const json::value& value) {
                         return value.is_string();
                       });
  return strings ? "" : "enum of something else than strings";
}

std::string TypeIsKnown(const json::object& node) {
  for (const char* type : {"string", "integer", "number", "boolean", "array", "object"}) {
    if (IsType(node, type)) return "";
  }
  return "type is missing or unknown";
}

const std::map<std::string, NodeRule>& NodeRules() {
  static const std::map<std::string, NodeRule> rules = {
      {"array-items",
       [](const auto& node, bool) -> std::string {
         return IsType(node, "array") && !node.contains("items") ? "an array without items" : "";
       }},
      {"object-properties",
       [](const auto& node, bool) -> std::string {
         return IsType(node, "object") && !node.contains("properties") ? "an object without properties" : "";
       }},
      {"root-object",
       [](const auto& node, bool is_root) -> std::string {
         return is_root && (!IsType(node, "object") || !node.contains("properties")) ? "the root is no plain object"
                                                                                     : "";
       }},
      {"required-subset", [](const auto& node, bool) { return RequiredIsSubset(node); }},
      {"no-root-combinators",
       [](const auto& node, bool is_root) {
         return is_root ? HasOneOf(node, {"anyOf", "oneOf", "allOf", "not", "if"}) : "";
       }},
      {"no-ref", [](const auto& node,
                    bool) { return HasOneOf(node, {"$ref", "$defs", "const", "additionalProperties", "$schema"}); }},
      {"single-type",
       [](const auto& node, bool) -> std::string {
         const json::value* type = node.if_contains("type");
         return type != nullptr && !type->is_string() ? "several types" : "";
       }},
      {"enum-string", [](const auto& node, bool) { return EnumIsStrings(node); }},
      {"known-type", [](const auto& node, bool) { return TypeIsKnown(node); }},
      {"no-format", [](const auto& node, bool) { return HasOneOf(node, {"format"}); }},
  };
  return rules;
}

std::string Walk(const json::value& schema, bool is_root, const NodeRule& rule) {
  const json::object* node = schema.if_object();
  if (node == nullptr) return "a schema that is no object";
  if (std::string fault = rule(*node, is_root); !fault.empty()) return fault;
  if (const json::value* properties = node->if_contains("properties")) {
    for (const auto& property : properties->as_object()) {
      if (std::string fault = Walk(property.value(), false, rule); !fault.empty()) {
        return std::string(property.key()) + ": " + fault;
      }
    }
  }
  if (const json::value* items = node->if_contains("items")) return Walk(*items, false, rule);
  return "";
}

}  // namespace

std::optional<std::string> BrokenRule(const std::string& rule, const json::object& tool) {
  std::string fault;
  if (rule == "no-output-schema") {
    fault = HasOneOf(tool, {"outputSchema"});
  } else if (const auto node_rule = NodeRules().find(rule); node_rule != NodeRules().end()) {
    fault = Walk(tool.at("inputSchema"), true, node_rule->second);
  } else {
    fault = "there is no such rule";
  }
  return fault.empty() ? std::nullopt : std::optional(fault);
}

}  // namespace awf::cases
