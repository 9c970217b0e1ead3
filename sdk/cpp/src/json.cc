#include "json.h"

#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "awf/plugin.h"
#include "utf8.h"

namespace awf::sdk {
namespace {

namespace json = boost::json;

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

std::optional<json::value> Parsed(std::string_view text) {
  json::parse_options options;
  options.max_depth = 512;
  boost::system::error_code error;
  json::value value = json::parse(text, error, {}, options);
  if (error) return std::nullopt;
  return value;
}

std::optional<std::int64_t> AsInteger(const json::value& value) {
  if (const std::int64_t* integer = value.if_int64()) return *integer;
  const double* number = value.if_double();
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (number == nullptr || *number != std::trunc(*number) || *number < -kTwoTo63 || *number >= kTwoTo63) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

struct Type {
  std::string_view name;
  std::string_view words;
  bool (*holds)(const json::value&);
};

constexpr std::string_view kInteger = "an integer of 64 bits";
constexpr bool (*kIsInteger)(const json::value&) = [](const json::value& value) {
  return AsInteger(value).has_value();
};
constexpr bool (*kIsNumber)(const json::value&) = [](const json::value& value) { return value.is_number(); };
constexpr bool (*kIsBoolean)(const json::value&) = [](const json::value& value) { return value.is_bool(); };

constexpr Type kTypes[] = {
    {"string", "a string", [](const json::value& value) { return value.is_string(); }},
    {"integer", kInteger, kIsInteger},
    {"int", kInteger, kIsInteger},
    {"int64", kInteger, kIsInteger},
    {"number", "a number", kIsNumber},
    {"float", "a number", kIsNumber},
    {"double", "a number", kIsNumber},
    {"boolean", "true or false", kIsBoolean},
    {"bool", "true or false", kIsBoolean},
    {"array", "an array", [](const json::value& value) { return value.is_array(); }},
    {"object", "an object", [](const json::value& value) { return value.is_object(); }},
};

const Type* FindType(std::string_view name) {
  for (const Type& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace

bool HasType(std::string_view text, std::string_view type) {
  const auto value = Parsed(text);
  if (!value) return false;
  const Type* known = FindType(type);
  return known == nullptr || known->holds(*value);
}

std::string_view TypeInWords(std::string_view type) {
  const Type* known = FindType(type);
  return known == nullptr ? "JSON" : known->words;
}

bool IsNull(std::string_view text) { return Trimmed(text) == "null"; }

bool Inputs::Has(std::string_view name) const {
  const auto found = texts_.find(name);
  return found != texts_.end() && !IsNull(found->second);
}

std::string_view Inputs::Json(std::string_view name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? std::string_view{} : std::string_view{found->second};
}

std::string Inputs::String(std::string_view name, std::string_view fallback) const {
  const auto value = Parsed(Json(name));
  if (!value || !value->is_string()) return std::string{fallback};
  return std::string{std::string_view{value->get_string()}};
}

std::int64_t Inputs::Int(std::string_view name, std::int64_t fallback) const {
  const auto value = Parsed(Json(name));
  return value ? AsInteger(*value).value_or(fallback) : fallback;
}

// Not from the parsed value: Boost.JSON 1.81 is off by a bit for some numbers.
double Inputs::Number(std::string_view name, double fallback) const {
  const std::string_view text = Trimmed(Json(name));
  if (!HasType(text, "number")) return fallback;
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} ? number : fallback;
}

bool Inputs::Bool(std::string_view name, bool fallback) const {
  const auto value = Parsed(Json(name));
  return value && value->is_bool() ? value->get_bool() : fallback;
}

std::vector<std::string> Inputs::Strings(std::string_view name) const {
  std::vector<std::string> strings;
  const auto value = Parsed(Json(name));
  if (!value || !value->is_array()) return strings;
  for (const json::value& item : value->get_array()) {
    strings.push_back(item.is_string() ? std::string{std::string_view{item.get_string()}} : json::serialize(item));
  }
  return strings;
}

Value::Value(std::string_view text) : json_(json::serialize(json::string(RepairedUtf8(text)))) {}

Value::Value(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(RepairedUtf8(text));
  json_ = json::serialize(array);
}

// The shortest text that reads back the same.
Value::Value(double number) : json_("null") {
  if (!std::isfinite(number)) return;
  char buffer[32];
  json_.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

Value Value::Json(std::string text) {
  Value value;
  value.json_ = std::move(text);
  return value;
}

}  // namespace awf::sdk
