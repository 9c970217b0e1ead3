#include "infrastructure/telemetry/record_cut.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "domain/utf8.h"

namespace awf::telemetry {
namespace {

std::size_t EscapedSize(std::string_view text) {
  std::size_t size = 0;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t') {
      size += 2;
    } else {
      size += static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
    }
  }
  return size;
}

struct FoundString {
  json::string* text;
  std::size_t member;  // position of the top-level member that holds it
};

void Collect(json::value& value, std::size_t member, std::vector<FoundString>& found) {
  if (auto* text = value.if_string()) {
    found.push_back({text, member});
  } else if (auto* array = value.if_array()) {
    for (json::value& element : *array) Collect(element, member, found);
  } else if (auto* object = value.if_object()) {
    for (auto& entry : *object) Collect(entry.value(), member, found);
  }
}

std::size_t SavedBy(const std::vector<FoundString>& strings, std::size_t cap) {
  std::size_t saved = 0;
  for (const FoundString& string : strings) {
    const std::string_view text = *string.text;
    if (text.size() > cap) saved += EscapedSize(text) - EscapedSize(Utf8Prefix(text, cap));
  }
  return saved;
}

// Cuts all strings to `cap` bytes; marks the members that held longer ones.
void CutStrings(const std::vector<FoundString>& strings, std::size_t cap, std::vector<bool>& cut) {
  for (const FoundString& string : strings) {
    if (string.text->size() <= cap) continue;
    string.text->resize(Utf8Prefix(*string.text, cap).size());
    cut[string.member] = true;
  }
}

std::size_t Size(const json::value& value) { return json::serialize(value).size(); }

// Drops the second half of the largest list or map. False when there is none.
bool HalveLargest(json::object& record, std::vector<bool>& cut) {
  json::value* largest = nullptr;
  std::size_t largest_size = 0, member = 0, position = 0;
  for (auto& entry : record) {
    json::value& value = entry.value();
    const bool shrinks =
        (value.is_array() && !value.get_array().empty()) || (value.is_object() && !value.get_object().empty());
    if (const std::size_t size = shrinks ? Size(value) : 0; size > largest_size) {
      largest = &value;
      largest_size = size;
      member = position;
    }
    ++position;
  }
  if (largest == nullptr) return false;
  cut[member] = true;
  if (auto* array = largest->if_array()) {
    array->resize(array->size() / 2);
    return true;
  }
  json::object& object = largest->get_object();
  json::object kept;
  for (const auto& entry : object) {
    if (kept.size() == object.size() / 2) break;
    kept.emplace(entry.key(), entry.value());
  }
  object = std::move(kept);
  return true;
}

}  // namespace

json::value RepairStrings(json::value value) {
  if (auto* text = value.if_string()) {
    if (!IsValidUtf8(*text)) *text = RepairUtf8(*text);
  } else if (auto* array = value.if_array()) {
    for (json::value& element : *array) element = RepairStrings(std::move(element));
  } else if (auto* object = value.if_object()) {
    json::object repaired;
    repaired.reserve(object->size());
    for (auto& entry : *object) {
      const std::string_view key = entry.key();
      repaired.insert_or_assign(IsValidUtf8(key) ? std::string(key) : RepairUtf8(key),
                                RepairStrings(std::move(entry.value())));
    }
    value = std::move(repaired);
  }
  return value;
}

std::vector<std::string> CutToFit(json::object& record, std::size_t limit) {
  std::vector<bool> cut(record.size(), false);
  std::vector<FoundString> strings;
  std::size_t member = 0;
  for (auto& entry : record) Collect(entry.value(), member++, strings);
  CutStrings(strings, limit, cut);  // what is longer than the line itself; keeps the search below cheap

  if (const std::size_t size = Size(record); size > limit) {
    std::size_t fits = 0, too_long = limit + 1;  // the largest cap that saves enough lies between
    while (fits + 1 < too_long) {
      const std::size_t middle = fits + (too_long - fits) / 2;
      (SavedBy(strings, middle) >= size - limit ? fits : too_long) = middle;
    }
    CutStrings(strings, fits, cut);
  }
  while (Size(record) > limit && HalveLargest(record, cut)) {
  }

  std::vector<std::string> names;
  member = 0;
  for (const auto& entry : record)
    if (cut[member++]) names.emplace_back(entry.key());
  return names;
}

}  // namespace awf::telemetry
