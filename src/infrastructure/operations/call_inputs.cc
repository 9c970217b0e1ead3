#include "infrastructure/operations/call_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "domain/joined.h"

namespace awf::operations {

void CallInputs::Fault(std::string_view name, std::string_view what) {
  if (fault_.empty()) fault_ = std::string(name) + " " + std::string(what);
}

const json::value* CallInputs::Find(std::string_view name) const {
  const json::value* value = inputs_.if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const json::value* CallInputs::Find(std::string_view name, Need need) {
  const json::value* value = Find(name);
  if (value == nullptr && need == kRequired) Fault(name, "is required");
  return value;
}

std::string CallInputs::Text(std::string_view name, Need need) {
  const json::value* value = Find(name, need);
  if (value == nullptr) return {};
  if (!value->is_string()) {
    Fault(name, "must be a string");
    return {};
  }
  if (value->get_string().empty() && need == kRequired) Fault(name, "is empty");
  return std::string(value->get_string());
}

std::string CallInputs::Word(std::string_view name, std::span<const std::string_view> words,
                             std::string_view otherwise) {
  std::string text = Text(name);
  if (text.empty()) return std::string(otherwise);
  if (std::ranges::find(words, text) == words.end()) Fault(name, "must be one of " + Joined(words, ", "));
  return text;
}

std::optional<std::int64_t> CallInputs::Integer(std::string_view name, std::int64_t min, std::int64_t max, Need need) {
  const json::value* value = Find(name, need);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::int64_t> number = WholeNumber(*value);
  if (number && *number >= min && *number <= max) return number;
  Fault(name, "must be an integer from " + std::to_string(min) + " to " + std::to_string(max));
  return std::nullopt;
}

std::optional<double> CallInputs::Number(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->to_number<double>();
  Fault(name, "must be a number");
  return std::nullopt;
}

bool CallInputs::Flag(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return false;
  if (!value->is_bool()) Fault(name, "must be true or false");
  return value->is_bool() && value->get_bool();
}

std::vector<std::string> CallInputs::Texts(std::string_view name, Need need) {
  std::vector<std::string> texts;
  const json::array* array = Array(name, need);
  if (array == nullptr) return texts;
  for (const json::value& value : *array) {
    if (!value.is_string() || value.get_string().empty()) {
      Fault(name, "must be an array of strings that are not empty");
      return {};
    }
    texts.emplace_back(value.get_string());
  }
  if (texts.empty() && need == kRequired) Fault(name, "is empty");
  return texts;
}

const json::array* CallInputs::Array(std::string_view name, Need need) {
  const json::value* value = Find(name, need);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) Fault(name, "must be an array");
  return value->if_array();
}

const json::object* CallInputs::Object(std::string_view name) {
  const json::value* value = Find(name);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) Fault(name, "must be an object");
  return value->if_object();
}

std::optional<std::int64_t> WholeNumber(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) {
    if (value.get_uint64() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(value.get_uint64());
  }
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!value.is_double() || std::abs(value.get_double()) > kExact ||
      std::trunc(value.get_double()) != value.get_double())
    return std::nullopt;
  return static_cast<std::int64_t>(value.get_double());
}

const json::value& Member(const json::value& object, std::string_view key) {
  static const json::value kNull;
  const json::object* members = object.if_object();
  const json::value* value = members == nullptr ? nullptr : members->if_contains(key);
  return value == nullptr ? kNull : *value;
}

std::string TextOf(const json::value& object, std::string_view key) {
  const json::string* text = Member(object, key).if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

}  // namespace awf::operations
