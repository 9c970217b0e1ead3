#include "infrastructure/agents/toml_text.h"

#include <algorithm>
#include <cstdio>

#include "domain/utf8.h"

namespace awf::agents {
namespace {

// "" when the character stands for itself.
std::string_view ShortEscape(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\f':
      return "\\f";
    case '\r':
      return "\\r";
    default:
      return {};
  }
}

std::string Table(const json::object& object) {
  std::string text;
  for (const auto& [key, value] : object) {
    if (value.is_null()) continue;
    if (!text.empty()) text += ',';
    text += IsBareTomlKey(key) ? std::string(key) : TomlString(key);
    text += '=' + TomlValue(value);
  }
  return '{' + text + '}';
}

std::string Array(const json::array& array) {
  std::string text;
  for (const json::value& item : array) {
    if (item.is_null()) continue;
    if (!text.empty()) text += ',';
    text += TomlValue(item);
  }
  return '[' + text + ']';
}

}  // namespace

std::string TomlString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : RepairUtf8(text)) {
    if (const std::string_view escape = ShortEscape(c); !escape.empty()) {
      quoted += escape;
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F) {
      char escape_code[8];
      std::snprintf(escape_code, sizeof escape_code, "\\u%04X", static_cast<unsigned>(byte));
      quoted += escape_code;
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

bool IsBareTomlKey(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string TomlValue(const json::value& value) {
  if (const json::object* object = value.if_object()) return Table(*object);
  if (const json::array* array = value.if_array()) return Array(*array);
  if (const json::string* string = value.if_string()) return TomlString(*string);
  if (value.is_null()) return "\"\"";
  return json::serialize(value);
}

}  // namespace awf::agents
