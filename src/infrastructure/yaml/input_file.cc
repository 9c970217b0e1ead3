#include "infrastructure/yaml/input_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "application/validation/findings.h"
#include "domain/json.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "infrastructure/yaml/yaml_file.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {
namespace {

constexpr const char* kInvalid = "USER.INPUT.INVALID_FORMAT";
constexpr const char* kHint = "the file holds one map of input names to values, as JSON or YAML";

std::optional<std::uint32_t> EscapedUnit(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), 6);
  if (escape.size() < 6 || !escape.starts_with("\\u")) return std::nullopt;
  std::uint32_t unit = 0;
  const auto [end, fault] = std::from_chars(escape.data() + 2, escape.data() + 6, unit, 16);
  if (fault != std::errc() || end != escape.data() + 6) return std::nullopt;
  return unit;
}

// The same JSON in the form that YAML takes too, character for character where it can be. YAML refuses tabs in the
// indentation, and the pair of escapes of a character beyond U+FFFF: \ud83d\ude00 → \U0001f600.
std::string AsYaml(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      result.push_back(text[i] == '\t' ? ' ' : text[i]);  // never in a string of JSON
      ++i;
      continue;
    }
    const std::optional<std::uint32_t> high = EscapedUnit(text, i), low = EscapedUnit(text, i + 6);
    const bool pair = high && low && *high >= 0xD800 && *high < 0xDC00 && *low >= 0xDC00 && *low < 0xE000;
    if (!pair) {
      result.append(text.substr(i, 2));  // the escaped character may be a backslash
      i += 2;
      continue;
    }
    const std::uint32_t character = 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00);
    result += "\\U";
    for (int shift = 28; shift >= 0; shift -= 4) result.push_back(kDigits[(character >> shift) & 0xF]);
    i += 12;
  }
  return result;
}

bool IsJson(std::string_view text) {
  boost::system::error_code fault;
  json::parse(text, fault);
  return !fault;
}

bool IsNull(const YamlNode& node) { return node.kind == YamlNode::Kind::kScalar && TypeOf(node) == ScalarType::kNull; }

std::unexpected<Error> Refused(std::vector<Finding>& findings, const std::string& file) {
  SortFindings(findings);
  Error error = findings.front().error;
  error.code = kInvalid;
  if (error.hint.empty()) error.hint = kHint;
  error.message.clear();
  for (const Finding& finding : findings) {
    const Position& at = finding.error.position;
    // The first place is shown with the error as everywhere.
    if (error.message.empty()) {
      error.message = "--input-file: " + finding.error.message;
    } else {
      error.message +=
          "\n" + file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + finding.error.message;
    }
  }
  return std::unexpected(std::move(error));
}

}  // namespace

std::expected<GivenInputs, Error> ReadInputFile(const std::string& path) {
  const auto text = ReadYamlFile(path);
  if (!text) return Fail("USER.INPUT.MISSING_FILE", "--input-file: " + path + " " + text.error().message(), kHint);
  return ReadInputText(*text, path);
}

std::expected<GivenInputs, Error> ReadInputText(std::string_view text, const std::string& file) {
  ComposedYaml yaml = ComposeYaml(IsJson(text) ? AsYaml(text) : std::string(text), file);
  if (yaml.empty)
    return std::unexpected(Error{kInvalid, "--input-file: the file is empty", kHint, {file, 1, 1}, {}, {}});
  GivenInputs given;
  std::vector<Finding>& findings = yaml.findings;
  if (yaml.root != nullptr) {
    YamlReader reader(*yaml.source, file, findings);
    if (reader.IsMap(*yaml.root, "")) {
      for (const YamlEntry& entry : yaml.root->entries) {
        if (IsNull(*entry.value)) continue;
        if (auto value = reader.String(*entry.value, entry.key->text)) {
          given.push_back({entry.key->text, std::move(*value), InputSource::kFile});
        }
      }
    }
  }
  if (!findings.empty()) return Refused(findings, file);
  return given;
}

}  // namespace awf
