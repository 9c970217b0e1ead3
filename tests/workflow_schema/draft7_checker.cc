#include "tests/workflow_schema/draft7_checker.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "infrastructure/regex/re2_regex.h"

namespace awf {
namespace {

namespace json = boost::json;

constexpr std::string_view kAnnotations[] = {"$schema", "title", "description", "default", "definitions"};
constexpr std::string_view kKeywords[] = {
    "type",         "const",   "enum",    "properties", "required",  "additionalProperties",
    "items",        "anyOf",   "oneOf",   "allOf",      "if",        "then",
    "$ref",         "pattern", "minimum", "maximum",    "minLength", "minItems",
    "propertyNames"};

bool IsType(const json::value& value, std::string_view type) {
  if (type == "integer") return value.is_int64() || value.is_uint64();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  throw std::runtime_error("unknown type in the schema");
}

bool HasType(const json::value& value, const json::value& types) {
  if (types.is_string()) return IsType(value, types.get_string());
  return std::ranges::any_of(types.as_array(),
                             [&](const json::value& type) { return IsType(value, type.as_string()); });
}

}  // namespace

std::vector<std::string> Draft7Checker::Check(const json::value& value) const { return Against(root_, value, ""); }

const json::value& Draft7Checker::Resolve(const json::value& schema) const {
  const json::value* reference = schema.as_object().if_contains("$ref");
  if (reference == nullptr) return schema;
  return root_.at_pointer(std::string(reference->as_string()).substr(1));
}

Draft7Checker::Faults Draft7Checker::Against(const json::value& schema, const json::value& value,
                                             const std::string& path) const {
  if (schema.is_bool()) return schema.get_bool() ? Faults() : Faults{path + ": not allowed"};
  const json::object& rules = Resolve(schema).as_object();
  Faults faults;
  for (const auto& [keyword, unused] : rules) {
    if (std::ranges::find(kAnnotations, std::string_view(keyword)) == std::end(kAnnotations) &&
        std::ranges::find(kKeywords, std::string_view(keyword)) == std::end(kKeywords)) {
      throw std::runtime_error("the checker does not know the keyword " + std::string(keyword));
    }
  }
  Scalar(rules, value, path, faults);
  if (value.is_object()) Object(rules, value.get_object(), path, faults);
  if (value.is_array()) Array(rules, value.get_array(), path, faults);
  Combined(rules, value, path, faults);
  return faults;
}

void Draft7Checker::Combined(const json::object& schema, const json::value& value, const std::string& path,
                             Faults& faults) const {
  const auto count = [&](const json::value& list) {
    return std::ranges::count_if(list.as_array(),
                                 [&](const json::value& one) { return Against(one, value, path).empty(); });
  };
  if (const json::value* list = schema.if_contains("anyOf"); list != nullptr && count(*list) == 0) {
    faults.push_back(path + ": fits none of anyOf");
  }
  if (const json::value* list = schema.if_contains("oneOf"); list != nullptr && count(*list) != 1) {
    faults.push_back(path + ": does not fit exactly one of oneOf");
  }
  if (const json::value* list = schema.if_contains("allOf")) {
    for (const json::value& one : list->as_array())
      std::ranges::move(Against(one, value, path), std::back_inserter(faults));
  }
  const json::value* condition = schema.if_contains("if");
  if (condition != nullptr && Against(*condition, value, path).empty()) {
    std::ranges::move(Against(schema.at("then"), value, path), std::back_inserter(faults));
  }
}

void Draft7Checker::Object(const json::object& schema, const json::object& value, const std::string& path,
                           Faults& faults) const {
  if (const json::value* required = schema.if_contains("required")) {
    for (const json::value& key : required->as_array()) {
      if (!value.contains(key.as_string()))
        faults.push_back(path + ": missing key '" + std::string(key.as_string()) + "'");
    }
  }
  const json::value* properties = schema.if_contains("properties");
  const json::value* others = schema.if_contains("additionalProperties");
  for (const auto& [key, inner] : value) {
    const std::string place = path + "/" + std::string(key);
    if (const json::value* names = schema.if_contains("propertyNames")) {
      std::ranges::move(Against(*names, json::value(key), place), std::back_inserter(faults));
    }
    const json::value* rule = properties == nullptr ? nullptr : properties->as_object().if_contains(key);
    if (rule == nullptr) rule = others;
    if (rule != nullptr) std::ranges::move(Against(*rule, inner, place), std::back_inserter(faults));
  }
}

void Draft7Checker::Array(const json::object& schema, const json::array& value, const std::string& path,
                          Faults& faults) const {
  const json::value* least = schema.if_contains("minItems");
  if (least != nullptr && value.size() < least->to_number<std::size_t>()) faults.push_back(path + ": too few items");
  const json::value* items = schema.if_contains("items");
  for (std::size_t i = 0; items != nullptr && i < value.size(); ++i) {
    std::ranges::move(Against(*items, value[i], path + "/" + std::to_string(i)), std::back_inserter(faults));
  }
}

void Draft7Checker::Scalar(const json::object& schema, const json::value& value, const std::string& path,
                           Faults& faults) {
  if (const json::value* types = schema.if_contains("type"); types != nullptr && !HasType(value, *types)) {
    faults.push_back(path + ": wrong type");
  }
  if (const json::value* only = schema.if_contains("const"); only != nullptr && *only != value) {
    faults.push_back(path + ": wrong value");
  }
  if (const json::value* words = schema.if_contains("enum");
      words != nullptr && std::ranges::find(words->as_array(), value) == words->as_array().end()) {
    faults.push_back(path + ": not one of the values");
  }
  if (const json::value* pattern = schema.if_contains("pattern"); pattern != nullptr && value.is_string()) {
    const auto regex = Re2Compiler().Compile(pattern->as_string(), {});
    if (!regex) throw std::runtime_error("the schema holds a bad pattern");
    if (!(*regex)->Contains(value.get_string())) faults.push_back(path + ": no match");
  }
  if (const json::value* least = schema.if_contains("minLength");
      least != nullptr && value.is_string() && value.get_string().size() < least->to_number<std::size_t>()) {
    faults.push_back(path + ": too short");
  }
  if (!value.is_number()) return;
  const auto number = value.to_number<double>();
  const json::value* least = schema.if_contains("minimum");
  const json::value* most = schema.if_contains("maximum");
  if (least != nullptr && number < least->to_number<double>()) faults.push_back(path + ": too small");
  if (most != nullptr && number > most->to_number<double>()) faults.push_back(path + ": too large");
}

}  // namespace awf
