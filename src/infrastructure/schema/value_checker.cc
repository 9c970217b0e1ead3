#include "infrastructure/schema/value_checker.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "domain/trimmed.h"

namespace awf::schema {
namespace {

std::string_view TextOf(const json::object& schema, std::string_view key) {
  const json::value* value = schema.if_contains(key);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

template <typename Number>
std::optional<Number> Parsed(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// Whether integers beyond int64 are wanted: those of uint64.
bool ReachesBeyondInt64(const json::object& schema) {
  const json::value* maximum = schema.if_contains("maximum");
  return maximum != nullptr && maximum->is_uint64();
}

// An integer of int64, or of uint64 where it does not fit.
json::value Smallest(std::uint64_t number) {
  if (std::in_range<std::int64_t>(number)) return static_cast<std::int64_t>(number);
  return number;
}

std::optional<json::value> WholeNumber(double number) {
  constexpr double kSigned = 9223372036854775808.0;     // 2^63, exact
  constexpr double kUnsigned = 18446744073709551616.0;  // 2^64, exact
  if (number != std::trunc(number) || number < -kSigned || number >= kUnsigned) return std::nullopt;
  if (number < kSigned) return json::value(static_cast<std::int64_t>(number));
  return json::value(static_cast<std::uint64_t>(number));
}

std::optional<json::value> IntegerOf(const json::value& value) {
  if (value.is_int64()) return value;
  if (const auto* number = value.if_uint64()) return Smallest(*number);
  if (const auto* number = value.if_double()) return WholeNumber(*number);
  const auto* text = value.if_string();
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text->data(), text->size());
  if (const auto number = Parsed<std::int64_t>(digits)) return json::value(*number);
  if (const auto number = Parsed<std::uint64_t>(digits)) return Smallest(*number);
  return std::nullopt;
}

// A number keeps the form it came in, so that no digits are lost.
std::optional<json::value> NumberOf(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return value;
  if (const auto* number = value.if_double()) {
    if (!std::isfinite(*number)) return std::nullopt;
    return value;
  }
  const auto* text = value.if_string();
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text->data(), text->size());
  if (auto whole = IntegerOf(value)) return whole;
  const auto number = Parsed<double>(digits);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return json::value(*number);
}

std::optional<bool> BooleanOf(const json::value& value) {
  if (const bool* flag = value.if_bool()) return *flag;
  const auto* text = value.if_string();
  if (text == nullptr) return std::nullopt;
  std::string word(Trimmed({text->data(), text->size()}));
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (word == "true") return true;
  if (word == "false") return false;
  return std::nullopt;
}

std::nullopt_t Fault(const std::string& path, std::string_view wanted, const json::value& value, FaultList& faults) {
  faults.Add(Quoted(path) + " must be " + std::string(wanted) + ", got " + Shown(value));
  return std::nullopt;
}

// Three-way comparison of JSON numbers, exact also where a double is not.
int Compare(const json::value& a, const json::value& b) {
  const auto* x = a.if_int64();
  const auto* y = b.if_int64();
  if (x != nullptr && y != nullptr) return *x < *y ? -1 : static_cast<int>(*x > *y);
  if (a.is_uint64() && b.is_uint64()) return a.get_uint64() < b.get_uint64() ? -1 : static_cast<int>(a != b);
  const double p = a.to_number<double>();
  const double q = b.to_number<double>();
  return p < q ? -1 : static_cast<int>(p > q);
}

std::optional<json::value> WithinBounds(json::value number, const json::object& schema, const std::string& path,
                                        FaultList& faults) {
  const json::value* minimum = schema.if_contains("minimum");
  if (minimum != nullptr && minimum->is_number() && Compare(number, *minimum) < 0) {
    return Fault(path, "at least " + json::serialize(*minimum), number, faults);
  }
  const json::value* maximum = schema.if_contains("maximum");
  if (maximum != nullptr && maximum->is_number() && Compare(number, *maximum) > 0) return *maximum;
  return number;
}

std::optional<json::value> CheckString(const json::value& value, const json::object& schema, const std::string& path,
                                       FaultList& faults) {
  if (value.is_object() || value.is_array()) {
    faults.Add(Quoted(path) + " must be a string, got " + Shown(value) + " (serialise it to JSON text first)");
    return std::nullopt;
  }
  if (!value.is_string()) return Fault(path, "a string", value, faults);
  const json::value* allowed = schema.if_contains("enum");
  const json::array* values = allowed == nullptr ? nullptr : allowed->if_array();
  if (values == nullptr) return value;
  for (const json::value& candidate : *values) {
    if (candidate == value) return value;
  }
  return Fault(path, Alternatives(*values), value, faults);
}

std::optional<json::value> CheckArray(const json::value& value, const json::object& schema, const std::string& path,
                                      FaultList& faults) {
  const json::array* array = value.if_array();
  if (array == nullptr) return Fault(path, "an array", value, faults);
  const json::value* items = schema.if_contains("items");
  const json::object* item_schema = items == nullptr ? nullptr : items->if_object();
  if (item_schema == nullptr) return value;
  json::array checked;
  checked.reserve(array->size());
  bool good = true;
  for (std::size_t i = 0; i < array->size(); ++i) {
    auto item = CheckValue((*array)[i], *item_schema, path + "[" + std::to_string(i) + "]", faults);
    good = good && item;
    if (item) checked.push_back(std::move(*item));
  }
  if (!good) return std::nullopt;
  return checked;
}

// Members that the schema does not name are the tool's matter and pass.
std::optional<json::value> CheckObject(const json::value& value, const json::object& schema, const std::string& path,
                                       FaultList& faults) {
  const json::object* object = value.if_object();
  if (object == nullptr) return Fault(path, "an object", value, faults);
  const json::value* declared = schema.if_contains("properties");
  const json::object* properties = declared == nullptr ? nullptr : declared->if_object();
  if (properties == nullptr) return value;
  json::object checked = *object;
  bool good = true;
  for (const auto& property : *properties) {
    const json::value* member = object->if_contains(property.key());
    const std::string member_path = path + "." + std::string(property.key());
    if (member == nullptr || member->is_null()) {
      checked.erase(property.key());
      if (!Requires(schema, property.key())) continue;
      faults.Add(Quoted(member_path) + " is required");
      good = false;
      continue;
    }
    const json::object* member_schema = property.value().if_object();
    if (member_schema == nullptr) continue;
    auto result = CheckValue(*member, *member_schema, member_path, faults);
    good = good && result;
    if (result) checked[property.key()] = std::move(*result);
  }
  if (!good) return std::nullopt;
  return checked;
}

}  // namespace

bool Requires(const json::object& schema, std::string_view name) {
  const json::value* required = schema.if_contains("required");
  const json::array* names = required == nullptr ? nullptr : required->if_array();
  if (names == nullptr) return false;
  return std::ranges::any_of(*names, [&](const json::value& candidate) {
    const json::string* text = candidate.if_string();
    return text != nullptr && *text == name;
  });
}

std::optional<json::value> CheckValue(const json::value& value, const json::object& schema, const std::string& path,
                                      FaultList& faults) {
  const std::string_view type = TextOf(schema, "type");
  if (type == "string") return CheckString(value, schema, path, faults);
  if (type == "integer") {
    const auto integer = IntegerOf(value);
    if (!integer || (integer->is_uint64() && !ReachesBeyondInt64(schema))) {
      return Fault(path, "an integer", value, faults);
    }
    return WithinBounds(*integer, schema, path, faults);
  }
  if (type == "number") {
    auto number = NumberOf(value);
    if (!number) return Fault(path, "a number", value, faults);
    return WithinBounds(std::move(*number), schema, path, faults);
  }
  if (type == "boolean") {
    const auto flag = BooleanOf(value);
    if (!flag) return Fault(path, "true or false", value, faults);
    return json::value(*flag);
  }
  if (type == "array") return CheckArray(value, schema, path, faults);
  if (type == "object") return CheckObject(value, schema, path, faults);
  return value;  // no type: anything goes
}

}  // namespace awf::schema
