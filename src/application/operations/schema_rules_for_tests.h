// For tests: what every schema that is sent must hold, whatever it was made of.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "domain/json.h"

namespace awf {

// What is wrong, with its place; empty: nothing.
inline std::string FaultOfSent(const json::value& value, const std::string& path = {}, int levels = 0) {
  static constexpr std::string_view kKept[] = {"type",  "description", "enum",    "properties", "required",
                                               "items", "anyOf",       "minimum", "maximum"};
  static constexpr std::string_view kTypes[] = {"object", "array", "string", "integer", "number", "boolean"};
  if (!value.is_object()) return path + ": no object";
  if (levels > 32) return path + ": too deep";
  const json::object& schema = value.get_object();
  const auto below = [&](const json::value& inner, const std::string& name) {
    return FaultOfSent(inner, path + "/" + name, levels + 1);
  };
  for (const auto& [key, member] : schema) {
    if (std::ranges::find(kKept, std::string_view(key)) == std::end(kKept)) return path + ": holds " + std::string(key);
  }
  const json::value* type = schema.if_contains("type");
  if (type != nullptr &&
      (!type->is_string() || std::ranges::find(kTypes, std::string_view(type->get_string())) == std::end(kTypes)))
    return path + ": type";
  const bool object = type != nullptr && *type == "object";
  if (path.empty() && (!object || schema.contains("anyOf"))) return "root";
  if (object != schema.contains("properties")) return path + ": properties";
  if ((type != nullptr && *type == "array") != schema.contains("items")) return path + ": items";
  if (const json::value* text = schema.if_contains("description")) {
    if (!text->is_string() || text->get_string().empty() || text->get_string().size() > 2047) return path + ": text";
  }
  if (const json::value* list = schema.if_contains("enum")) {
    if (type == nullptr || *type != "string" || !list->is_array() || list->get_array().empty()) return path + ": enum";
    for (const json::value& word : list->get_array())
      if (!word.is_string() || word.get_string().empty()) return path + ": enum";
  }
  if (const json::value* properties = schema.if_contains("properties")) {
    if (!properties->is_object()) return path + ": properties";
    for (const auto& [name, property] : properties->get_object())
      if (std::string fault = below(property, std::string(name)); !fault.empty()) return fault;
  }
  if (const json::value* required = schema.if_contains("required")) {
    if (!object || !required->is_array() || required->get_array().empty()) return path + ": required";
    std::string last;
    for (const json::value& name : required->get_array()) {
      if (!name.is_string() || !schema.at("properties").as_object().contains(name.get_string()))
        return path + ": required";
      const std::string text(name.get_string());
      if (&name != &required->get_array().front() && text <= last) return path + ": order of required";
      last = text;
    }
  }
  if (const json::value* items = schema.if_contains("items")) {
    if (std::string fault = below(*items, "items"); !fault.empty()) return fault;
    if (!items->get_object().contains("type") && !items->get_object().contains("anyOf")) return path + ": bare items";
  }
  if (const json::value* branches = schema.if_contains("anyOf")) {
    if (!branches->is_array() || branches->get_array().size() < 2) return path + ": anyOf";
    for (const json::value& branch : branches->get_array())
      if (std::string fault = below(branch, "anyOf"); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace awf
