#include "infrastructure/plugin_registry/config_rules.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "domain/joined.h"
#include "domain/nearest_name.h"
#include "infrastructure/plugin_registry/json_document.h"

namespace awf::plugin_registry {
namespace {

constexpr const char* kConfig = "EXECUTION.PLUGIN.CONFIG";
constexpr std::size_t kMostUnknown = 20;  // that are told: the search for the nearest name is long where names are many
constexpr double kIntegersEnd = 9007199254740992.0;  // 2^53: doubles are exact up to there

std::string_view Wanted(FieldType type) {
  switch (type) {
    case FieldType::kString:
      return "a string";
    case FieldType::kInteger:
      return "an integer";
    case FieldType::kNumber:
      return "a number";
    case FieldType::kBoolean:
      return "true or false";
    case FieldType::kAny:
      break;
  }
  return "a value";
}

std::string_view Word(const json::string& text) { return {text.data(), text.size()}; }

std::vector<std::string> ChoiceWords(const json::array& choices) {
  std::vector<std::string> words;
  for (const json::value& choice : choices) {
    const json::string* text = choice.if_string();
    words.push_back(text != nullptr ? std::string(Word(*text)) : json::serialize(choice));
  }
  return words;
}

bool Same(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number() && (a.is_double() || b.is_double())) {
    return a.to_number<double>() == b.to_number<double>();
  }
  return a == b;
}

// The strongest value of a field, and where it comes from.
struct Chosen {
  const json::value* value = nullptr;
  const GivenConfig* from = nullptr;
};

Chosen Strongest(const std::string& name, const std::vector<const GivenConfig*>& given) {
  Chosen chosen;
  for (const GivenConfig* config : given) {
    const json::value* value = config->values.if_contains(name);
    if (value != nullptr && !value->is_null()) chosen = {value, config};
  }
  return chosen;
}

class Merger {
 public:
  Merger(std::string_view plugin, const std::vector<const GivenConfig*>& given, const Position& missing)
      : plugin_(plugin), given_(given), missing_(missing) {}

  void PassOn(const GivenConfig& config) {
    for (const auto& member : config.values) {
      if (!member.value().is_null()) merged_[member.key()] = member.value();
    }
  }

  void Check(const ConfigField& field) {
    const Chosen chosen = Strongest(field.name, given_);
    if (chosen.value == nullptr) {
      if (field.default_value) merged_[field.name] = *field.default_value;
      if (!field.default_value && field.required) Missing(field);
      return;
    }
    const auto spelt = chosen.from->spelt.find(field.name);
    const bool has_spelling = spelt != chosen.from->spelt.end();
    auto value = ValueOfType(field.type, *chosen.value, has_spelling ? &spelt->second : nullptr);
    if (!value) return Wrong(field, chosen, value.error(), {});
    if (const auto fault = NotAChoice(*value, field.choices)) {
      const json::string* text = value->if_string();
      const std::string hint = text == nullptr ? "" : DidYouMean(Word(*text), ChoiceWords(field.choices));
      return Wrong(field, chosen, *fault, hint);
    }
    merged_[field.name] = std::move(*value);
  }

  std::expected<json::object, Error> Result() && {
    if (fault_) return std::unexpected(std::move(*fault_));
    return std::move(merged_);
  }

 private:
  void Missing(const ConfigField& field) {
    std::string hint = "set it in .awf/plugins.yaml";
    if (!field.description.empty()) hint += ": " + field.description;
    const std::string path = "plugins." + std::string(plugin_) + ".config." + field.name;
    Add({kConfig, path + ": required by " + std::string(plugin_), std::move(hint), missing_, {}, path});
  }

  void Wrong(const ConfigField& field, const Chosen& chosen, const std::string& fault, const std::string& hint) {
    const std::string path = chosen.from->place + "." + field.name;
    const auto position = chosen.from->positions.find(field.name);
    const bool known = position != chosen.from->positions.end();
    const std::string file = chosen.from->file.empty() ? "" : chosen.from->file + ": ";
    Add({kConfig, file + path + ": " + fault, hint, known ? position->second : Position(), {}, path});
  }

  void Add(Error fault) {
    if (fault_) {
      fault_->message += "\n" + fault.message;
    } else {
      fault_ = std::move(fault);
    }
  }

  std::string_view plugin_;
  const std::vector<const GivenConfig*>& given_;
  const Position& missing_;
  json::object merged_;
  std::optional<Error> fault_;
};

}  // namespace

std::optional<FieldType> ParseFieldType(std::string_view word) {
  if (word == "string") return FieldType::kString;
  if (word == "integer") return FieldType::kInteger;
  if (word == "number") return FieldType::kNumber;
  if (word == "boolean") return FieldType::kBoolean;
  return std::nullopt;
}

std::expected<json::value, std::string> ValueOfType(FieldType type, const json::value& value,
                                                    const std::string* spelt) {
  switch (type) {
    case FieldType::kAny:
      return value;
    case FieldType::kString:
      if (value.is_string()) return value;
      if (spelt != nullptr && (value.is_number() || value.is_bool())) return json::value(*spelt);
      break;
    case FieldType::kInteger:
      if (value.is_int64() || value.is_uint64()) return value;
      if (const double* number = value.if_double();
          number != nullptr && std::trunc(*number) == *number && std::abs(*number) <= kIntegersEnd) {
        return json::value(static_cast<std::int64_t>(*number));
      }
      break;
    case FieldType::kNumber:
      if (value.is_number()) return value;
      break;
    case FieldType::kBoolean:
      if (value.is_bool()) return value;
      break;
  }
  const bool fraction = type == FieldType::kInteger && value.is_double();
  return std::unexpected("must be " + std::string(Wanted(type)) + ", but is " +
                         (fraction ? "a fraction" : std::string(KindOf(value))));
}

std::optional<std::string> NotAChoice(const json::value& value, const json::array& choices) {
  if (choices.empty()) return std::nullopt;
  if (std::ranges::any_of(choices, [&](const json::value& choice) { return Same(choice, value); })) return std::nullopt;
  return "must be one of " + Joined(ChoiceWords(choices), ", ");
}

std::expected<json::object, Error> MergeConfig(std::string_view plugin, const ConfigRules& rules,
                                               const std::vector<const GivenConfig*>& given, const Position& missing) {
  Merger merger(plugin, given, missing);
  for (const GivenConfig* config : given) merger.PassOn(*config);
  for (const ConfigField& field : rules) merger.Check(field);
  return std::move(merger).Result();
}

std::vector<Finding> UnknownFields(const ConfigRules& rules, const GivenConfig& given) {
  std::vector<Finding> findings;
  if (rules.empty()) return findings;
  std::vector<std::string> names;
  for (const ConfigField& field : rules) names.push_back(field.name);
  const std::set<std::string> known(names.begin(), names.end());
  for (const auto& member : given.values) {
    const std::string name(member.key());
    if (known.contains(name)) continue;
    if (findings.size() == kMostUnknown) break;
    const std::string path = given.place + "." + name;
    const auto position = given.positions.find(name);
    findings.push_back({Severity::kWarning,
                        {kConfig,
                         path + ": the plugin's manifest has no such field",
                         DidYouMean(name, names),
                         position == given.positions.end() ? Position() : position->second,
                         {},
                         path}});
  }
  return findings;
}

}  // namespace awf::plugin_registry
