// Takes typed values out of YAML nodes and writes down, as findings, whatever does not fit.
//
// Used by the loaders of one file, on one thread. `field` is the dotted path of the value within its state, or within
// the workflow outside of states. A reading function that returns nothing has made a finding.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/json.h"
#include "domain/workflow.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_source.h"

namespace awf {

// The keys of one kind of map. The first hint that fits an unknown key is given: planned, own, nearest.
struct KeyTable {
  std::span<const std::string_view> known;
  std::span<const std::string_view> planned;                             // not built yet
  std::span<const std::pair<std::string_view, std::string_view>> hints;  // key → hint
  std::string_view code = "WORKFLOW.PARSE.UNKNOWN_FIELD";
};

class YamlReader {
 public:
  YamlReader(const YamlSource& source, std::string file, std::vector<Finding>& findings);

  // Findings from here on belong to this state; "" to none.
  void EnterStep(std::string step) { step_ = std::move(step); }
  const std::string& file() const { return file_; }

  void Report(const YamlNode& at, std::string_view code, std::string message, const std::string& field,
              std::string hint = {}, Severity severity = Severity::kError);
  void ReportAt(const Position& at, std::string_view code, std::string message, const std::string& field,
                std::string hint = {}, Severity severity = Severity::kError);
  void Invalid(const YamlNode& at, std::string message, const std::string& field, std::string hint = {});
  // A finding for each key of the map that is not in the table. Returns the known keys that those were most likely
  // meant to be.
  std::vector<std::string> CheckKeys(const YamlNode& map, const KeyTable& keys, const std::string& field);

  static const YamlEntry* Find(const YamlNode& map, std::string_view key);
  // The value of that key, or null.
  static const YamlNode* FindValue(const YamlNode& map, std::string_view key);
  bool IsMap(const YamlNode& node, const std::string& field);
  bool IsList(const YamlNode& node, const std::string& field);
  // Numbers and booleans are taken as they are spelt.
  std::optional<std::string> String(const YamlNode& node, const std::string& field);
  std::optional<std::string> NonEmpty(const YamlNode& node, const std::string& field);
  std::optional<TemplateText> Text(const YamlNode& node, const std::string& field);
  std::optional<bool> Bool(const YamlNode& node, const std::string& field);
  std::optional<long long> Integer(const YamlNode& node, const std::string& field, long long min, long long max);
  // Integers count as numbers.
  std::optional<double> Number(const YamlNode& node, const std::string& field, double min, double max);
  // Seconds or a duration, no template.
  std::optional<std::chrono::milliseconds> Duration(const YamlNode& node, const std::string& field);
  std::vector<std::string> StringList(const YamlNode& node, const std::string& field);
  // One of the words, or nothing.
  std::optional<std::string> Word(const YamlNode& node, const std::string& field,
                                  std::span<const std::string_view> words);

  Position PositionOf(const YamlNode& node) const { return {file_, node.line, node.column}; }
  TemplateText TextOf(const YamlNode& scalar) const;
  // The same for a text that is an expression, in which every place may be asked for.
  TemplateText ExpressionOf(const YamlNode& scalar) const;

 private:
  struct Advice {
    std::string hint, meant;  // `meant`: the known key, if one is likely
  };
  Advice AdviceFor(const std::string& key, const KeyTable& keys) const;

  const YamlSource& source_;
  std::string file_;
  std::vector<Finding>& findings_;
  std::string step_;
};

// "a.b", or "b" when there is no a.
std::string JoinPath(const std::string& parent, std::string_view key);
// What a node is, for messages: "a list", "a number", "empty", …
std::string DescriptionOf(const YamlNode& node);
// A plain integer scalar; nothing when it does not fit into 64 bits.
std::optional<long long> ParseInteger(std::string_view text);

}  // namespace awf
