#include "domain/positioned_json.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "domain/json.h"

namespace awf {
namespace {

std::size_t SkipSpace(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// Past the string that begins at `at`.
std::size_t SkipString(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Past the value that begins at `at`.
std::size_t SkipValue(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = SkipString(text, at);
    } else if (c == '{' || c == '[') {
      ++depth, ++at;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;  // the end of what holds a bare number or word
      --depth, ++at;
    } else if (c == ',' && depth == 0) {
      return at;
    } else {
      ++at;
      continue;
    }
    if (depth == 0) return at;
  }
  return at;
}

std::string Unescaped(std::string_view quoted) {
  if (quoted.size() >= 2 && quoted.find('\\') == std::string_view::npos) {
    return std::string(quoted.substr(1, quoted.size() - 2));
  }
  boost::system::error_code fault;
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  const json::value value = json::parse(quoted, fault, {}, options);
  const json::string* text = fault ? nullptr : value.if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

// The offset of the key's opening quote in the object that begins at `object`, and of its value; npos if it is absent.
struct Found {
  std::size_t key = std::string_view::npos, value = std::string_view::npos;
};

Found FindMember(std::string_view text, std::size_t object, std::string_view key) {
  std::size_t at = SkipSpace(text, object + 1);
  while (at < text.size() && text[at] == '"') {
    const std::size_t key_at = at;
    const std::size_t key_end = SkipString(text, at);
    at = SkipSpace(text, key_end);  // ':'
    const std::size_t value = SkipSpace(text, at + 1);
    if (Unescaped(text.substr(key_at, key_end - key_at)) == key) return {key_at, value};
    at = SkipSpace(text, SkipValue(text, value));
    if (at < text.size() && text[at] == ',') at = SkipSpace(text, at + 1);
  }
  return {};
}

// The same of an item of a list; its value is also its place.
Found FindItem(std::string_view text, std::size_t list, std::string_view number) {
  std::size_t index = 0;
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (fault != std::errc() || end != number.data() + number.size()) return {};
  std::size_t at = SkipSpace(text, list + 1);
  for (; index > 0 && at < text.size() && text[at] != ']'; --index) {
    at = SkipSpace(text, SkipValue(text, at));
    if (at < text.size() && text[at] == ',') at = SkipSpace(text, at + 1);
  }
  if (at >= text.size() || text[at] == ']') return {};
  return {at, at};
}

}  // namespace

Position PositionAt(std::string_view text, std::size_t offset, std::string file) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t last = before.rfind('\n');
  const std::size_t column = last == std::string_view::npos ? before.size() : before.size() - last - 1;
  return {std::move(file), lines + 1, column + 1};
}

std::size_t OffsetOfMember(std::string_view text, std::span<const std::string> path) {
  std::size_t offset = SkipSpace(text, 0);
  std::size_t value = offset;
  for (const std::string& key : path) {
    if (value >= text.size()) break;
    Found found;
    if (text[value] == '{') found = FindMember(text, value, key);
    if (text[value] == '[') found = FindItem(text, value, key);
    if (found.key == std::string_view::npos) break;
    offset = found.key;
    value = found.value;
  }
  return offset;
}

std::optional<RepeatedKey> FindRepeatedKey(std::string_view text) {
  std::vector<std::optional<std::set<std::string>>> open;  // the keys of each object around; nothing for a list
  bool key_next = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = SkipString(text, at);
      if (key_next) {
        std::string key = Unescaped(text.substr(at, end - at));
        if (open.back()->contains(key)) return RepeatedKey{at, std::move(key)};
        open.back()->insert(std::move(key));
        key_next = false;
      }
      at = end;
      continue;
    }
    if (c == '{') open.emplace_back(std::in_place);
    if (c == '[') open.emplace_back(std::nullopt);
    if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
    if (c == '{' || c == ',') key_next = !open.empty() && open.back().has_value();
    if (c == '}' || c == ']') key_next = false;
    ++at;
  }
  return std::nullopt;
}

}  // namespace awf
