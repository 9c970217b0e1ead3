// JsonDocument: a JSON file of plugins that was read whole, and the way from a value in it back to its place.
//
// Regular files of at most 4 MiB, 32 levels, every key once in its object. Every breach is USER.CONFIG.INVALID with its
// position. Constant after construction.
#pragma once

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"

namespace awf::plugin_registry {

using JsonPath = std::vector<std::string>;  // keys from the root; items of lists by their number

class JsonDocument {
 public:
  // `file` is the file's name in positions.
  static std::expected<JsonDocument, Error> Parse(std::string text, const std::string& file);
  // Nothing when there is no such file. Opening waits for nothing, whatever the path names.
  static std::expected<std::optional<JsonDocument>, Error> Read(const std::filesystem::path& path);

  const json::value& value() const { return value_; }

  // `message` at the place that the path leads to, its field being the path with dots.
  Error Fault(const JsonPath& path, std::string message, std::string hint = {}) const;
  // The same for a value of the wrong kind, or one that is not there: "a.b must be a string, but is a list".
  Error WrongKind(const JsonPath& path, std::string_view wanted) const;

 private:
  JsonDocument() = default;

  std::string text_, file_;
  json::value value_;
};

// "a.b[2].c".
std::string ShownJsonPath(const JsonPath& path);
// What a value is, for messages: "a list", "a number", "null", …
std::string_view KindOf(const json::value& value);

// As text: keys sorted at every level, two blanks of indentation, a line feed at the end; the same bytes for the same
// value.
std::string SortedJson(const json::value& value);

}  // namespace awf::plugin_registry
