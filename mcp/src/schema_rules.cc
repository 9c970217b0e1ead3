#include "schema_rules.h"

#include <algorithm>
#include <array>

namespace mcp {
namespace {

namespace json = boost::json;
using Fault = std::optional<std::string>;

constexpr std::size_t kMaxName = 48;  // 64, the limit of providers, less "mcp__awf-proxy__"
constexpr int kMaxSchemaDepth = 32;
constexpr std::array<std::string_view, 8> kForbidden = {"$schema", "$ref",   "$defs",   "definitions",
                                                        "const",   "format", "default", "additionalProperties"};
constexpr std::array<std::string_view, 7> kRootForbidden = {"anyOf", "oneOf", "allOf", "not", "if", "then", "else"};
constexpr std::array<std::string_view, 6> kTypes = {"object", "array", "string", "integer", "number", "boolean"};

std::string At(std::string_view path, std::string_view what) {
  return std::string("schema").append(path).append(": ").append(what);
}

template <std::size_t kSize>
bool Contains(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Fault CheckSchema(const json::value& value, const std::string& path, int depth);

Fault CheckType(const json::object& schema, const std::string& path) {
  const json::value* type = schema.if_contains("type");
  if (type == nullptr) return std::nullopt;
  if (!type->is_string() || !Contains(kTypes, std::string_view(type->get_string()))) {
    return At(path, "\"type\" must be one of object, array, string, integer, number, boolean");
  }
  const json::value* items = schema.if_contains("items");
  if (type->get_string() == "array" && (items == nullptr || !items->is_object())) {
    return At(path, "an array needs \"items\"");
  }
  return std::nullopt;
}

Fault CheckEnum(const json::object& schema, const std::string& path) {
  const json::value* values = schema.if_contains("enum");
  if (values == nullptr) return std::nullopt;
  const bool strings = values->is_array() && !values->get_array().empty() &&
                       std::ranges::all_of(values->get_array(), [](const json::value& v) { return v.is_string(); });
  if (!strings) return At(path, "\"enum\" must be a list of strings");
  return std::nullopt;
}

Fault CheckRequired(const json::object& schema, const std::string& path) {
  const json::value* required = schema.if_contains("required");
  if (required == nullptr) return std::nullopt;
  if (!required->is_array() || required->get_array().empty()) {
    return At(path, "\"required\" must be a list of names, left out when empty");
  }
  const json::value* properties = schema.if_contains("properties");
  for (const json::value& name : required->get_array()) {
    if (!name.is_string() || properties == nullptr || !properties->is_object() ||
        !properties->get_object().contains(name.get_string())) {
      return At(path, "\"required\" names a property that is not declared");
    }
  }
  return std::nullopt;
}

Fault CheckChildren(const json::object& schema, const std::string& path, int depth) {
  if (const json::value* properties = schema.if_contains("properties")) {
    if (!properties->is_object()) return At(path, "\"properties\" must be an object");
    for (const auto& [name, property] : properties->get_object()) {
      const std::string child = path + "." + std::string(std::string_view(name));
      if (Fault fault = CheckSchema(property, child, depth)) return fault;
    }
  }
  if (const json::value* items = schema.if_contains("items")) {
    if (Fault fault = CheckSchema(*items, path + "[]", depth)) return fault;
  }
  for (const std::string_view combinator : {"anyOf", "oneOf", "allOf"}) {
    const json::value* members = schema.if_contains(combinator);
    if (members == nullptr) continue;
    if (!members->is_array()) return At(path, "a combinator needs a list");
    for (const json::value& member : members->get_array()) {
      if (Fault fault = CheckSchema(member, path, depth)) return fault;
    }
  }
  const json::value* negated = schema.if_contains("not");
  return negated == nullptr ? std::nullopt : CheckSchema(*negated, path, depth);
}

Fault CheckSchema(const json::value& value, const std::string& path, int depth) {
  if (!value.is_object()) return At(path, "must be an object");  // one boolean schema lost a client the whole server
  if (depth > kMaxSchemaDepth) return At(path, "nested too deeply");
  const json::object& schema = value.get_object();
  for (const std::string_view name : kForbidden) {
    if (schema.contains(name)) return At(path, std::string("\"").append(name).append("\" is not allowed"));
  }
  for (auto* check : {CheckType, CheckEnum, CheckRequired}) {
    if (Fault fault = check(schema, path)) return fault;
  }
  return CheckChildren(schema, path, depth + 1);
}

}  // namespace

std::optional<std::string> CheckToolName(std::string_view name) {
  const bool characters = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (name.empty() || name.size() > kMaxName || !characters || name.find("__") != std::string_view::npos) {
    return std::string("tool name \"").append(name).append("\": must be 1 to 48 of A-Z a-z 0-9 _ - without \"__\"");
  }
  return std::nullopt;
}

std::optional<std::string> CheckInputSchema(const json::object& schema) {
  const json::value* type = schema.if_contains("type");
  if (type == nullptr || !type->is_string() || type->get_string() != "object") {
    return At("", "the root must have \"type\": \"object\"");
  }
  if (!schema.contains("properties")) return At("", "the root must have \"properties\"");
  for (const std::string_view name : kRootForbidden) {
    if (schema.contains(name)) return At("", std::string("\"").append(name).append("\" is not allowed at the root"));
  }
  return CheckSchema(json::value(schema), "", 0);
}

}  // namespace mcp
