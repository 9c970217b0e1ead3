#include "infrastructure/step_channel/json_line.h"

#include <algorithm>

#include "domain/exact_json.h"

namespace awf::channel {

std::expected<Fields, std::string> Fields::Parse(std::string_view line) {
  auto value = ParseExactJson(line);
  if (!value) return std::unexpected("line is not JSON: " + value.error().what);
  if (!value->is_object()) return std::unexpected("line is not a JSON object");
  return Fields(std::move(value->get_object()));
}

std::string Fields::Text(std::string_view key) {
  if (!Has(key)) Fault(key);
  return OptionalText(key);
}

std::string Fields::OptionalText(std::string_view key) {
  const json::value* value = object_.if_contains(key);
  if (value == nullptr) return {};
  if (const json::string* text = value->if_string()) return std::string(text->data(), text->size());
  Fault(key);
  return {};
}

bool Fields::OptionalBool(std::string_view key) {
  const json::value* value = object_.if_contains(key);
  if (value == nullptr) return false;
  if (const bool* flag = value->if_bool()) return *flag;
  Fault(key);
  return false;
}

std::int64_t Fields::Number(std::string_view key, std::int64_t least, std::int64_t most) {
  const json::value* value = object_.if_contains(key);
  const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
  if (number != nullptr && *number >= least && *number <= most) return *number;
  Fault(key);
  return least;
}

std::vector<std::string> Fields::Texts(std::string_view key) {
  std::vector<std::string> texts;
  const json::value* value = object_.if_contains(key);
  const json::array* array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr) {
    Fault(key);
    return texts;
  }
  for (const json::value& item : *array) {
    if (const json::string* text = item.if_string()) {
      texts.emplace_back(text->data(), text->size());
    } else {
      Fault(key);
    }
  }
  return texts;
}

std::string Fields::CallIdentifier(std::string_view key) {
  std::string id = Text(key);
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (id.size() != 16 || !std::ranges::all_of(id, hex)) Fault(key);
  return id;
}

json::object Fields::Object(std::string_view key) {
  json::value* value = object_.if_contains(key);
  if (json::object* object = value == nullptr ? nullptr : value->if_object()) return std::move(*object);
  Fault(key);
  return {};
}

json::array Fields::Array(std::string_view key) {
  json::value* value = object_.if_contains(key);
  if (json::array* array = value == nullptr ? nullptr : value->if_array()) return std::move(*array);
  Fault(key);
  return {};
}

void Fields::Fault(std::string_view key) {
  if (fault_.empty()) fault_ = "member '" + std::string(key) + "' is missing or malformed";
}

}  // namespace awf::channel
