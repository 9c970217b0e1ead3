#include "infrastructure/yaml/input_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "application/validation/findings.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "infrastructure/yaml/yaml_file.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {
namespace {

constexpr const char* kInvalid = "USER.INPUT.INVALID_FORMAT";

std::optional<std::uint32_t> EscapedUnit(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), 6);
  if (escape.size() < 6 || !escape.starts_with("\\u")) return std::nullopt;
  std::uint32_t unit = 0;
  const auto [end, fault] = std::from_chars(escape.data() + 2, escape.data() + 6, unit, 16);
  if (fault != std::errc() || end != escape.data() + 6) return std::nullopt;
  return unit;
}

// JSON writes characters beyond U+FFFF as two escapes, which YAML refuses: \ud83d\ude00 → \U0001f600.
std::string WithoutSurrogates(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      result.push_back(text[i++]);
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

std::unexpected<Error> Refused(std::vector<Finding>& findings, const std::string& file) {
  SortFindings(findings);
  Error error = findings.front().error;
  error.code = kInvalid;
  error.message.clear();
  for (const Finding& finding : findings) {
    const Error& fault = finding.error;
    if (!error.message.empty()) error.message += "\n";
    error.message += file + ":" + std::to_string(fault.position.line) + ":" + std::to_string(fault.position.column) +
                     ": " + (fault.field.empty() ? "" : fault.field + " ") + fault.message;
  }
  return std::unexpected(std::move(error));
}

}  // namespace

std::expected<GivenInputs, Error> ReadInputFile(const std::string& path) {
  const auto text = ReadYamlFile(path);
  if (!text) return Fail(kInvalid, "the input file " + path + " " + text.error().message());
  return ReadInputText(*text, path);
}

std::expected<GivenInputs, Error> ReadInputText(std::string_view text, const std::string& file) {
  ComposedYaml yaml = ComposeYaml(file.ends_with(".json") ? WithoutSurrogates(text) : std::string(text), file);
  GivenInputs given;
  if (yaml.empty) return given;
  std::vector<Finding>& findings = yaml.findings;
  if (yaml.root != nullptr) {
    YamlReader reader(*yaml.source, file, findings);
    if (reader.IsMap(*yaml.root, "")) {
      for (const YamlEntry& entry : yaml.root->entries) {
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
