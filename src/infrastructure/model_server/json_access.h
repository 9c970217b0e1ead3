// Members of a request's JSON: what is absent or of another type reads as empty, null or false.
#pragma once

#include <string_view>

#include "domain/json.h"

namespace awf::model_server {

inline const json::array* ArrayAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr ? value->if_array() : nullptr;
}

inline std::string_view StringAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

inline bool IsTrue(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace awf::model_server
