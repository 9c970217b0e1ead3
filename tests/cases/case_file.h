// A case as it stands in a .jsonl file, and the replacement of what it leaves open: folders and long strings.
#pragma once

#include <boost/json.hpp>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace awf::cases {

namespace json = boost::json;

struct Case {
  std::string id, tool;
  json::object fields;

  const json::object& check() const;
  std::string Text(std::string_view key) const;  // "" when absent
  bool Flag(std::string_view key, bool otherwise) const;
  // "needs" as a list; it may be one word or several.
  std::vector<std::string> Needs() const;
};

// The folders of one case.
struct Folders {
  std::filesystem::path base, root, out, tmp, home;
  std::filesystem::path StderrFile() const { return base / "stderr"; }
};

// Every line of the file must be a case; the error names the line.
std::expected<std::vector<Case>, std::string> LoadCases(const std::filesystem::path& file);

// $ROOT, ${ROOT}, $OUT, $TMP at the start of a string, {"$repeat":[s,n]}, {"$concat":[…]}, anywhere inside.
json::value Expanded(const json::value& value, const Folders& folders);
std::string ExpandedText(const json::value& value, const Folders& folders);

// The strings of an array, or the one string.
std::vector<std::string> TextsOf(const json::value& value);

std::string ToText(const json::string& text);

}  // namespace awf::cases
