#include "infrastructure/yaml/yaml_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "application/language/duration.h"
#include "domain/joined.h"
#include "domain/nearest_name.h"

namespace awf {
namespace {

constexpr std::string_view kNotYet = "not supported yet";

bool HasUpper(std::string_view word) {
  return std::ranges::any_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

// maxTurns → max_turns
std::string SnakeCase(std::string_view key) {
  std::string snake;
  for (const char c : key) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !snake.empty()) snake.push_back('_');
    snake.push_back(upper ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return snake;
}

std::string Shortest(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

bool SpellsBoolean(std::string_view text) {
  static constexpr std::string_view kSpellings[] = {"true", "false", "yes", "no", "on", "off"};
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return std::ranges::find(kSpellings, lower) != std::end(kSpellings);
}

}  // namespace

std::string JoinPath(const std::string& parent, std::string_view key) {
  return parent.empty() ? std::string(key) : parent + "." + std::string(key);
}

std::string DescriptionOf(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kSequence) return "a list";
  if (node.kind == YamlNode::Kind::kMapping) return "a map";
  switch (TypeOf(node)) {
    case ScalarType::kNull:
      return "empty";
    case ScalarType::kBool:
      return "a boolean";
    case ScalarType::kInteger:
    case ScalarType::kFloat:
      return "a number";
    case ScalarType::kString:
      return "a string";
  }
  return "a string";
}

std::optional<long long> ParseInteger(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) base = 16;
  if (text.starts_with("0o")) base = 8;
  if (base != 10) text.remove_prefix(2);
  if (base == 10 && text.starts_with('+')) text.remove_prefix(1);
  if (base == 10 ? text.starts_with('+') : text.starts_with('-')) return std::nullopt;
  long long value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

YamlReader::YamlReader(const YamlSource& source, std::string file, std::vector<Finding>& findings)
    : source_(source), file_(std::move(file)), findings_(findings) {}

void YamlReader::Report(const YamlNode& at, std::string_view code, std::string message, const std::string& field,
                        std::string hint, Severity severity) {
  ReportAt(PositionOf(at), code, std::move(message), field, std::move(hint), severity);
}

void YamlReader::ReportAt(const Position& at, std::string_view code, std::string message, const std::string& field,
                          std::string hint, Severity severity) {
  findings_.push_back({severity, {std::string(code), std::move(message), std::move(hint), at, step_, field}});
}

void YamlReader::Invalid(const YamlNode& at, std::string message, const std::string& field, std::string hint) {
  // In text a finding shows no field of its own.
  if (message.starts_with("must ")) message.insert(0, field.empty() ? "the document " : field + " ");
  Report(at, "WORKFLOW.PARSE.INVALID_VALUE", std::move(message), field, std::move(hint));
}

std::vector<std::string> YamlReader::CheckKeys(const YamlNode& map, const KeyTable& keys, const std::string& field) {
  std::vector<std::string> meant;
  for (const YamlEntry& entry : map.entries) {
    const std::string& key = entry.key->text;
    if (std::ranges::find(keys.known, key) != keys.known.end()) continue;
    Advice advice = AdviceFor(key, keys);
    Report(*entry.key, keys.code, "unknown key '" + key + "'", JoinPath(field, key), std::move(advice.hint));
    if (!advice.meant.empty()) meant.push_back(std::move(advice.meant));
  }
  return meant;
}

YamlReader::Advice YamlReader::AdviceFor(const std::string& key, const KeyTable& keys) const {
  const auto is_planned = [&](std::string_view name) {
    return std::ranges::find(keys.planned, name) != keys.planned.end();
  };
  const auto own_hint = [&](std::string_view name) {
    const auto own = std::ranges::find(keys.hints, name, &std::pair<std::string_view, std::string_view>::first);
    return own == keys.hints.end() ? std::string() : std::string(own->second);
  };
  if (key == "<<" || key.starts_with("x-") || is_planned(key)) return {std::string(kNotYet), {}};
  if (std::string hint = own_hint(key); !hint.empty()) return {std::move(hint), {}};
  if (HasUpper(key)) {
    if (std::string hint = own_hint(SnakeCase(key)); !hint.empty()) return {std::move(hint), {}};
  }
  std::vector<std::string> candidates(keys.known.begin(), keys.known.end());
  candidates.insert(candidates.end(), keys.planned.begin(), keys.planned.end());
  std::string nearest = NearestName(key, candidates);
  if (nearest.empty()) return {};
  if (is_planned(nearest)) return {"'" + nearest + "' is " + std::string(kNotYet), {}};
  std::string hint =
      HasUpper(key) ? "keys are written in snake_case: '" + nearest + "'" : "did you mean '" + nearest + "'?";
  return {std::move(hint), std::move(nearest)};
}

const YamlEntry* YamlReader::Find(const YamlNode& map, std::string_view key) {
  for (const YamlEntry& entry : map.entries) {
    if (entry.key->text == key) return &entry;
  }
  return nullptr;
}

const YamlNode* YamlReader::FindValue(const YamlNode& map, std::string_view key) {
  const YamlEntry* entry = Find(map, key);
  return entry == nullptr ? nullptr : entry->value.get();
}

bool YamlReader::IsMap(const YamlNode& node, const std::string& field) {
  if (node.kind == YamlNode::Kind::kMapping) return true;
  Invalid(node, "must be a map, but is " + DescriptionOf(node), field);
  return false;
}

bool YamlReader::IsList(const YamlNode& node, const std::string& field) {
  if (node.kind == YamlNode::Kind::kSequence) return true;
  Invalid(node, "must be a list, but is " + DescriptionOf(node), field);
  return false;
}

std::optional<std::string> YamlReader::String(const YamlNode& node, const std::string& field) {
  if (node.kind == YamlNode::Kind::kScalar && TypeOf(node) != ScalarType::kNull) return node.text;
  Invalid(node, "must be a string, but is " + DescriptionOf(node), field);
  return std::nullopt;
}

std::optional<std::string> YamlReader::NonEmpty(const YamlNode& node, const std::string& field) {
  std::optional<std::string> text = String(node, field);
  if (text && text->empty()) {
    Invalid(node, "must not be empty", field);
    return std::nullopt;
  }
  return text;
}

TemplateText YamlReader::TextOf(const YamlNode& scalar) const {
  TemplateText text{scalar.text, PositionOf(scalar), {}};
  // Marks serve positions inside templates only.
  if (text.text.find("{{") != std::string::npos) text.marks = source_.MarksOf(scalar);
  return text;
}

TemplateText YamlReader::ExpressionOf(const YamlNode& scalar) const {
  return {scalar.text, PositionOf(scalar), source_.MarksOf(scalar)};
}

std::optional<TemplateText> YamlReader::Text(const YamlNode& node, const std::string& field) {
  if (!String(node, field)) return std::nullopt;
  return TextOf(node);
}

std::optional<bool> YamlReader::Bool(const YamlNode& node, const std::string& field) {
  if (node.kind == YamlNode::Kind::kScalar) {
    if (TypeOf(node) == ScalarType::kBool) return node.text == "true";
    const std::string hint = SpellsBoolean(node.text) ? "write true or false, without quotes" : "";
    Invalid(node, "must be true or false, but is " + DescriptionOf(node), field, hint);
    return std::nullopt;
  }
  Invalid(node, "must be true or false, but is " + DescriptionOf(node), field);
  return std::nullopt;
}

std::optional<long long> YamlReader::Integer(const YamlNode& node, const std::string& field, long long min,
                                             long long max) {
  std::optional<long long> value;
  if (node.kind == YamlNode::Kind::kScalar && TypeOf(node) == ScalarType::kInteger) value = ParseInteger(node.text);
  if (value && *value >= min && *value <= max) return value;
  Invalid(node, "must be an integer from " + std::to_string(min) + " to " + std::to_string(max), field);
  return std::nullopt;
}

std::optional<double> YamlReader::Number(const YamlNode& node, const std::string& field, double min, double max) {
  std::optional<double> value;
  if (node.kind == YamlNode::Kind::kScalar) {
    const ScalarType type = TypeOf(node);
    if (type == ScalarType::kFloat) value = std::strtod(node.text.c_str(), nullptr);
    if (type == ScalarType::kInteger) {
      if (const auto integer = ParseInteger(node.text)) value = static_cast<double>(*integer);
    }
  }
  if (value && *value >= min && *value <= max) return value;
  Invalid(node, "must be a number from " + Shortest(min) + " to " + Shortest(max), field);
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> YamlReader::Duration(const YamlNode& node, const std::string& field) {
  const bool scalar = node.kind == YamlNode::Kind::kScalar && TypeOf(node) != ScalarType::kNull;
  if (!scalar || node.text.empty()) {
    Invalid(node, "must be seconds or a duration", field, "as 90 or 1h30m");
    return std::nullopt;
  }
  const auto value = ParseDuration(node.text);
  if (value) return *value;
  Invalid(node, field + " '" + node.text + "' " + value.error(), field);
  return std::nullopt;
}

std::vector<std::string> YamlReader::StringList(const YamlNode& node, const std::string& field) {
  std::vector<std::string> list;
  if (!IsList(node, field)) return list;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (auto item = NonEmpty(*node.items[i], field + "[" + std::to_string(i) + "]")) list.push_back(std::move(*item));
  }
  return list;
}

std::optional<std::string> YamlReader::Word(const YamlNode& node, const std::string& field,
                                            std::span<const std::string_view> words) {
  std::optional<std::string> text = String(node, field);
  if (!text) return std::nullopt;
  if (std::ranges::find(words, *text) != words.end()) return text;
  Invalid(node, field + " '" + *text + "' is not one of " + Joined(words, ", "), field,
          DidYouMean(*text, std::vector<std::string>(words.begin(), words.end())));
  return std::nullopt;
}

}  // namespace awf
