#include "domain/captured_content.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "domain/tool_observer.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::size_t kShortestCut = 64;

// A copy in which no string is longer than `cap` bytes, and a mark behind what was longer.
json::value WithShortStrings(const json::value& value, std::size_t cap) {
  if (const auto* text = value.if_string()) {
    const std::string_view whole = *text;
    if (whole.size() <= cap) return value;
    json::string cut(Utf8Prefix(whole, cap));
    cut.append(kCutMark);
    return cut;
  }
  if (const auto* array = value.if_array()) {
    json::array copy;
    copy.reserve(array->size());
    for (const json::value& element : *array) copy.push_back(WithShortStrings(element, cap));
    return copy;
  }
  if (const auto* object = value.if_object()) {
    json::object copy;
    copy.reserve(object->size());
    for (const auto& [key, member] : *object) copy.emplace(key, WithShortStrings(member, cap));
    return copy;
  }
  return value;
}

// The members, from the first on, that fit; what does not is passed over.
std::string FittingMembers(const json::object& arguments) {
  std::string text = "{";
  for (const auto& [key, member] : arguments) {
    const std::string rendered =
        json::serialize(json::string(key)) + ":" + json::serialize(WithShortStrings(member, kShortestCut));
    if (text.size() + rendered.size() + 2 > kLongestContent) continue;
    if (text.size() > 1) text += ",";
    text += rendered;
  }
  return text + "}";
}

}  // namespace

std::string CapturedArguments(const json::object& arguments, std::uint64_t size) {
  if (size <= kLongestContent) return json::serialize(arguments);
  for (std::size_t cap = kLongestContent / 2; cap >= kShortestCut; cap /= 2) {
    std::string text = json::serialize(WithShortStrings(arguments, cap));
    if (text.size() <= kLongestContent) return text;
  }
  return FittingMembers(arguments);
}

std::string CapturedText(std::string_view text) { return std::string(Utf8Prefix(text, kLongestContent)); }

std::string CapturedText(const ToolResult& result) {
  std::string captured;
  for (const Content& content : result.content) {
    const auto* text = std::get_if<TextContent>(&content);
    if (text == nullptr) continue;
    if (captured.size() + 1 >= kLongestContent) break;
    if (!captured.empty()) captured += '\n';
    captured += Utf8Prefix(text->text, kLongestContent - captured.size());
  }
  return captured;
}

}  // namespace awf
