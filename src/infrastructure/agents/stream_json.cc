#include "infrastructure/agents/stream_json.h"

#include <charconv>

#include "domain/parse_json.h"
#include "domain/utf8.h"

namespace awf::agents {
namespace {

// 0 when there is no escape at `at`: \u and four hex digits.
unsigned EscapeAt(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
  unsigned value = 0;
  const char* end = text.data() + at + 6;
  const auto [stop, error] = std::from_chars(text.data() + at + 2, end, value, 16);
  return error == std::errc() && stop == end ? value : 0;
}

bool IsHigh(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLow(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

std::string RepairSurrogates(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] != '\\') {
      repaired += text[at++];
      continue;
    }
    const unsigned unit = EscapeAt(text, at);
    if (IsHigh(unit) && IsLow(EscapeAt(text, at + 6))) {
      repaired += text.substr(at, 12);
      at += 12;
    } else if (IsHigh(unit) || IsLow(unit)) {
      repaired += "\\ufffd";
      at += 6;
    } else {
      // Whatever follows a backslash belongs to it: "\\ud800" is no escape of a surrogate.
      repaired += text.substr(at, 2);
      at += 2;
    }
  }
  return repaired;
}

}  // namespace

std::optional<json::value> ParseRepairedJson(std::string_view text) {
  if (auto value = ParseJson(text)) return value;
  const std::string repaired = RepairSurrogates(RepairUtf8(text));
  if (repaired == text) return std::nullopt;
  return ParseJson(repaired);
}

std::optional<json::object> ParseRepairedObject(std::string_view text) {
  auto value = ParseRepairedJson(text);
  if (!value || !value->is_object()) return std::nullopt;
  return std::move(value->get_object());
}

std::optional<json::object> ParseStreamLine(std::string_view line) {
  // Banners and other noise are told apart by their first byte, without a parse and a repair.
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] != '{') return std::nullopt;
  return ParseRepairedObject(line);
}

std::string_view TextAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

const json::object* ObjectAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr ? value->if_object() : nullptr;
}

const json::array* ArrayAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr ? value->if_array() : nullptr;
}

std::optional<double> NumberAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  json::error_code error;
  const double number = value->to_number<double>(error);
  if (error) return std::nullopt;
  return number;
}

std::int64_t IntegerAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return 0;
  json::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  return error ? 0 : number;
}

bool BoolAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::vector<std::string> TextsAt(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  if (const json::array* array = ArrayAt(object, key)) {
    for (const json::value& item : *array) {
      if (item.is_string()) texts.emplace_back(item.get_string());
    }
  }
  return texts;
}

std::string OptionText(const json::object& options, std::string_view key) {
  const json::value* value = options.if_contains(key);
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return std::string(value->get_string());
  return json::serialize(*value);
}

}  // namespace awf::agents
