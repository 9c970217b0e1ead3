// What a plugin's manifest says of its configuration, and the configuration that comes of it: defaults of the manifest
// under the user's state file under .awf/plugins.yaml, checked before the plugin is started. Pure, thread-safe.
//
// Messages never show a value: it may be a secret.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf::plugin_registry {

enum class FieldType { kAny, kString, kInteger, kNumber, kBoolean };

struct ConfigField {
  std::string name;
  FieldType type = FieldType::kAny;
  bool required = false;
  std::optional<json::value> default_value;  // of the type, one of the choices
  json::array choices;                       // `enum`; of the type; empty: any
  std::string description;
};
using ConfigRules = std::vector<ConfigField>;  // names unique

// Values from one place. Null counts as not given.
struct GivenConfig {
  json::object values;
  std::map<std::string, std::string> spelt;   // of numbers and booleans, as they stand in the file
  std::map<std::string, Position> positions;  // of values
  std::string place;                          // before the name: "plugins.kubernetes.config"
  std::string file;                           // in messages, before that; empty where positions tell it
};

// string, integer, number, boolean.
std::optional<FieldType> ParseFieldType(std::string_view word);

// The value as one of that type: what stands for a string is taken as it is spelt (when `spelt` is not null), 3.0 is an
// integer. The error is a phrase: "must be an integer, but is a string".
std::expected<json::value, std::string> ValueOfType(FieldType type, const json::value& value, const std::string* spelt);
// "must be one of a, b", or nothing when it is one, or when there are no choices.
std::optional<std::string> NotAChoice(const json::value& value, const json::array& choices);

// `given` from the weakest to the strongest; a missing field is told at `missing`. Fields that no rule knows are passed
// on. EXECUTION.PLUGIN.CONFIG with a line for every fault, at the position of the first.
std::expected<json::object, Error> MergeConfig(std::string_view plugin, const ConfigRules& rules,
                                               const std::vector<const GivenConfig*>& given, const Position& missing);

// A warning for each field that no rule knows (20 at most), where there are rules at all.
std::vector<Finding> UnknownFields(const ConfigRules& rules, const GivenConfig& given);

}  // namespace awf::plugin_registry
