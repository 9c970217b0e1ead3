#include "infrastructure/plugin_registry/json_document.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "domain/positioned_json.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "infrastructure/yaml/yaml_file.h"

namespace awf::plugin_registry {
namespace {

constexpr const char* kInvalid = "USER.CONFIG.INVALID";
constexpr std::size_t kLargest = kMaxYamlBytes;  // a little more than that is what ReadYamlFile reads
constexpr std::size_t kDeepest = 32;

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

const json::value* Down(const json::value* value, const std::string& key) {
  if (const json::object* object = value->if_object()) return object->if_contains(key);
  if (const json::array* list = value->if_array(); list != nullptr && IsNumber(key) && key.size() < 10) {
    return list->if_contains(std::stoul(key));
  }
  return nullptr;
}

void Append(const json::value& value, const std::string& indent, std::string& out) {
  const std::string inner = indent + "  ";
  const auto next = [&](bool first) { out.append(first ? "\n" : ",\n").append(inner); };
  if (const json::object* object = value.if_object(); object != nullptr && !object->empty()) {
    std::map<std::string_view, const json::value*> sorted;
    for (const auto& member : *object) sorted.emplace(member.key(), &member.value());
    out.push_back('{');
    bool first = true;
    for (const auto& [key, member] : sorted) {
      next(std::exchange(first, false));
      out.append(json::serialize(json::string_view(key))).append(": ");
      Append(*member, inner, out);
    }
    out.append("\n").append(indent).push_back('}');
    return;
  }
  if (const json::array* list = value.if_array(); list != nullptr && !list->empty()) {
    out.push_back('[');
    bool first = true;
    for (const json::value& item : *list) {
      next(std::exchange(first, false));
      Append(item, inner, out);
    }
    out.append("\n").append(indent).push_back(']');
    return;
  }
  out += json::serialize(value);
}

}  // namespace

std::expected<JsonDocument, Error> JsonDocument::Parse(std::string text, const std::string& file) {
  const auto refused = [&](std::size_t offset, std::string message) {
    return std::unexpected(Error{kInvalid, std::move(message), {}, PositionAt(text, offset, file), {}, {}});
  };
  if (text.size() > kLargest) return refused(kLargest, "the file is larger than 4 MiB");
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return refused(0, "the file is empty");
  json::parse_options options;
  options.max_depth = kDeepest;
  json::stream_parser parser({}, options);
  json::error_code fault;
  const std::size_t read = parser.write_some(text, fault);
  if (fault == json::error::too_deep) return refused(read, "nested deeper than 32 levels");
  if (!fault && read < text.size()) fault = json::error::extra_data;
  if (fault) return refused(read, "this is no JSON: " + fault.message());
  parser.finish(fault);
  if (fault) return refused(text.size(), "this is no JSON: " + fault.message());
  if (const auto repeated = FindRepeatedKey(text)) {
    return refused(repeated->offset, "key '" + repeated->key + "' is given twice in the same object");
  }
  JsonDocument document;
  document.value_ = parser.release();
  document.file_ = file;
  document.text_ = std::move(text);
  return document;
}

std::expected<std::optional<JsonDocument>, Error> JsonDocument::Read(const std::filesystem::path& path) {
  auto text = ReadYamlFile(path.string());
  if (!text) {
    if (text.error().absent()) return std::nullopt;
    return std::unexpected(
        Error{kInvalid, path.string() + " " + text.error().message(), {}, {path.string(), 0, 0}, {}, {}});
  }
  return Parse(std::move(*text), path.string());
}

Error JsonDocument::Fault(const JsonPath& path, std::string message, std::string hint) const {
  return {kInvalid, std::move(message), std::move(hint), PositionAt(text_, OffsetOfMember(text_, path), file_),
          {},       ShownJsonPath(path)};
}

Error JsonDocument::WrongKind(const JsonPath& path, std::string_view wanted) const {
  const std::string shown = path.empty() ? "the document" : ShownJsonPath(path);
  const json::value* value = &value_;
  for (const std::string& key : path) {
    if (value != nullptr) value = Down(value, key);
  }
  if (value == nullptr) return Fault(path, shown + " is missing");
  return Fault(path, shown + " must be " + std::string(wanted) + ", but is " + std::string(KindOf(*value)));
}

std::string ShownJsonPath(const JsonPath& path) {
  std::string shown;
  for (const std::string& key : path) {
    if (IsNumber(key)) {
      shown += "[" + key + "]";
    } else {
      shown += (shown.empty() ? "" : ".") + key;
    }
  }
  return shown;
}

std::string_view KindOf(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "a map";
  }
  return "null";
}

std::string SortedJson(const json::value& value) {
  std::string text;
  Append(value, {}, text);
  return text + "\n";
}

}  // namespace awf::plugin_registry
