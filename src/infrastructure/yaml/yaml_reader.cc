#include "infrastructure/yaml/yaml_reader.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "domain/nearest_name.h"

namespace awf {
namespace {

constexpr std::string_view kNotYet = "not supported yet";

std::string Described(const YamlNode& node) {
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

bool HasUpper(std::string_view word) {
  return std::ranges::any_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
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
  findings_.push_back(
      {severity, {std::string(code), std::move(message), std::move(hint), PositionOf(at), step_, field}});
}

void YamlReader::Invalid(const YamlNode& at, std::string message, const std::string& field, std::string hint) {
  Report(at, "WORKFLOW.PARSE.INVALID_VALUE", std::move(message), field, std::move(hint));
}

void YamlReader::CheckKeys(const YamlNode& map, const KeyTable& keys, const std::string& field) {
  for (const YamlEntry& entry : map.entries) {
    const std::string& key = entry.key->text;
    if (std::ranges::find(keys.known, key) != keys.known.end()) continue;
    Report(*entry.key, keys.code, "unknown key '" + key + "'", JoinPath(field, key), HintFor(key, keys));
  }
}

std::string YamlReader::HintFor(const std::string& key, const KeyTable& keys) const {
  const auto is_planned = [&](std::string_view name) {
    return std::ranges::find(keys.planned, name) != keys.planned.end();
  };
  if (key == "<<" || key.starts_with("x-") || is_planned(key)) return std::string(kNotYet);
  for (const auto& [own, hint] : keys.hints) {
    if (own == key) return std::string(hint);
  }
  std::vector<std::string> candidates(keys.known.begin(), keys.known.end());
  candidates.insert(candidates.end(), keys.planned.begin(), keys.planned.end());
  const std::string nearest = NearestName(key, candidates);
  if (nearest.empty()) return {};
  if (is_planned(nearest)) return "'" + nearest + "' is " + std::string(kNotYet);
  if (HasUpper(key)) return "keys are written in snake_case: '" + nearest + "'";
  return "did you mean '" + nearest + "'?";
}

const YamlEntry* YamlReader::Find(const YamlNode& map, std::string_view key) {
  for (const YamlEntry& entry : map.entries) {
    if (entry.key->text == key) return &entry;
  }
  return nullptr;
}

bool YamlReader::IsMap(const YamlNode& node, const std::string& field) {
  if (node.kind == YamlNode::Kind::kMapping) return true;
  Invalid(node, "must be a map, but is " + Described(node), field);
  return false;
}

bool YamlReader::IsList(const YamlNode& node, const std::string& field) {
  if (node.kind == YamlNode::Kind::kSequence) return true;
  Invalid(node, "must be a list, but is " + Described(node), field);
  return false;
}

std::optional<std::string> YamlReader::String(const YamlNode& node, const std::string& field) {
  if (node.kind == YamlNode::Kind::kScalar && TypeOf(node) != ScalarType::kNull) return node.text;
  Invalid(node, "must be a string, but is " + Described(node), field);
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

std::optional<TemplateText> YamlReader::Text(const YamlNode& node, const std::string& field) {
  if (!String(node, field)) return std::nullopt;
  return TextOf(node);
}

std::optional<bool> YamlReader::Bool(const YamlNode& node, const std::string& field) {
  if (node.kind == YamlNode::Kind::kScalar) {
    if (TypeOf(node) == ScalarType::kBool) return node.text == "true";
    const std::string hint = SpellsBoolean(node.text) ? "write true or false, without quotes" : "";
    Invalid(node, "must be true or false, but is " + Described(node), field, hint);
    return std::nullopt;
  }
  Invalid(node, "must be true or false, but is " + Described(node), field);
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
  std::string allowed;
  for (const std::string_view word : words) allowed += (allowed.empty() ? "" : ", ") + std::string(word);
  const std::string nearest = NearestName(*text, std::vector<std::string>(words.begin(), words.end()));
  Invalid(node, "'" + *text + "' is not one of " + allowed, field,
          nearest.empty() ? "" : "did you mean '" + nearest + "'?");
  return std::nullopt;
}

}  // namespace awf
