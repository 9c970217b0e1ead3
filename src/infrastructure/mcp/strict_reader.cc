#include "infrastructure/mcp/strict_reader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "domain/nearest_name.h"
#include "domain/positioned_json.h"

namespace awf {

std::string StrictReader::Text(const char* key) {
  const json::value* value = Take(key);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr) return Wrong(key, "a string"), std::string();
  return {text->data(), text->size()};
}

bool StrictReader::Bool(const char* key) {
  const json::value* value = Take(key);
  const bool* flag = value == nullptr ? nullptr : value->if_bool();
  if (flag == nullptr) return Wrong(key, "true or false"), false;
  return *flag;
}

std::int64_t StrictReader::Number(const char* key) {
  const json::value* value = Take(key);
  const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
  if (number == nullptr || *number < 0) return Wrong(key, "an integer of 0 or more"), 0;
  return *number;
}

Deadline StrictReader::Time(const char* key) {
  const json::value* value = Take(key);
  if (value != nullptr && value->is_null()) return std::nullopt;
  const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
  constexpr std::int64_t kLast = INT64_MAX / 1'000'000;  // the clock counts nanoseconds
  if (number == nullptr || *number < 0 || *number > kLast) {
    return Wrong(key, "milliseconds of the monotonic clock, or null"), std::nullopt;
  }
  return SteadyClock::time_point(std::chrono::milliseconds(*number));
}

std::vector<std::string> StrictReader::TextList(const char* key) {
  std::vector<std::string> texts;
  const json::value* value = Take(key);
  const json::array* array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr) return Wrong(key, "a list of strings"), texts;
  for (const json::value& item : *array) {
    const json::string* text = item.if_string();
    if (text == nullptr) return Wrong(key, "a list of strings"), texts;
    texts.emplace_back(text->data(), text->size());
  }
  return texts;
}

std::vector<std::filesystem::path> StrictReader::PathList(const char* key) {
  const auto texts = TextList(key);
  return {texts.begin(), texts.end()};
}

StrictReader StrictReader::Object(const char* key) {
  static const json::object kEmpty;
  const json::value* value = Take(key);
  const json::object* object = value == nullptr ? nullptr : value->if_object();
  if (object == nullptr) Wrong(key, "an object");
  return {object == nullptr ? kEmpty : *object, text_, file_, PathTo(key), fault_};
}

std::vector<StrictReader> StrictReader::Objects(const char* key) {
  std::vector<StrictReader> readers;
  const json::value* value = Take(key);
  const json::array* array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr) return Wrong(key, "a list of objects"), readers;
  for (const json::value& item : *array) {
    const json::object* object = item.if_object();
    if (object == nullptr) return Wrong(key, "a list of objects"), readers;
    std::vector<std::string> path = PathTo(key);
    path.push_back(std::to_string(readers.size()));
    readers.emplace_back(*object, text_, file_, std::move(path), fault_);
  }
  return readers;
}

json::object StrictReader::AnyObject(const char* key) {
  const json::value* value = Take(key);
  const json::object* object = value == nullptr ? nullptr : value->if_object();
  if (object == nullptr) return Wrong(key, "an object"), json::object();
  return *object;
}

void StrictReader::Wrong(const char* key, std::string_view wanted) {
  const bool missing = !object_.contains(key);
  Report(key, missing ? "missing key '" + Dotted(key) + "'" : "'" + Dotted(key) + "' must be " + std::string(wanted),
         {});
}

void StrictReader::RefuseOthers() {
  for (const auto& member : object_) {
    const std::string key(member.key());
    if (std::ranges::find(known_, key) != known_.end()) continue;
    const std::string nearest = NearestName(key, known_);
    Report(key, "unknown key '" + Dotted(key) + "'", nearest.empty() ? "" : "Did you mean " + nearest + "?");
  }
}

const json::value* StrictReader::Take(const char* key) {
  known_.emplace_back(key);
  return object_.if_contains(key);
}

std::vector<std::string> StrictReader::PathTo(const std::string& key) const {
  auto path = path_;
  path.push_back(key);
  return path;
}

std::string StrictReader::Dotted(const std::string& key) const {
  std::string dotted;
  for (const std::string& part : path_) dotted += part + ".";
  return dotted + key;
}

void StrictReader::Report(const std::string& key, std::string message, std::string hint) {
  if (fault_) return;
  fault_ = Error{"USER.INPUT.INVALID_FORMAT",
                 std::move(message),
                 std::move(hint),
                 PositionAt(text_, OffsetOfMember(text_, PathTo(key)), file_),
                 {},
                 Dotted(key)};
}

}  // namespace awf
