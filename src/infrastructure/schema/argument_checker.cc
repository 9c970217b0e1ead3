#include "infrastructure/schema/argument_checker.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/fault_list.h"
#include "domain/nearest_name.h"
#include "infrastructure/schema/value_checker.h"

namespace awf {
namespace {

using schema::CheckValue;
using schema::FaultList;
using schema::Quoted;

const json::object& NoProperties() {
  static const json::object kNone;
  return kNone;
}

const json::object& PropertiesOf(const ToolDefinition& tool) {
  const json::value* properties = tool.input_schema.if_contains("properties");
  const json::object* object = properties == nullptr ? nullptr : properties->if_object();
  return object == nullptr ? NoProperties() : *object;
}

// One call being checked.
class Checking {
 public:
  Checking(const ToolDefinition& tool, const json::object& arguments)
      : tool_(tool), arguments_(arguments), properties_(PropertiesOf(tool)) {}

  std::expected<json::object, std::string> Run() {
    for (const auto& property : properties_) {
      const json::value* checked = tool_.rules.checked.if_contains(property.key());
      CheckDeclared(property.key(), checked == nullptr ? property.value() : *checked);
    }
    for (const auto& hidden : tool_.rules.hidden) CheckDeclared(hidden.key(), hidden.value());
    ResolveCounts();
    for (const auto& argument : arguments_) CheckKnown(argument.key(), argument.value());
    if (!faults_.empty()) return std::unexpected(faults_.Sentence());
    return std::move(checked_);
  }

 private:
  // null counts as absent.
  const json::value* Given(std::string_view name) const {
    const json::value* value = arguments_.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  const ArgumentAlias* AliasInUse(std::string_view canonical) const {
    const auto used = std::ranges::find_if(tool_.rules.aliases, [&](const ArgumentAlias& alias) {
      return alias.canonical == canonical && Given(alias.name) != nullptr;
    });
    return used == tool_.rules.aliases.end() ? nullptr : &*used;
  }

  bool IsIgnored(std::string_view name) const {
    return std::ranges::find(tool_.rules.ignored, name) != tool_.rules.ignored.end();
  }

  void CheckDeclared(std::string_view name, const json::value& schema) {
    if (IsIgnored(name)) return;
    const json::object& rules = schema.is_object() ? schema.get_object() : NoProperties();
    if (const json::value* value = Given(name)) {
      Take(name, CheckValue(*value, rules, std::string(name), faults_));
    } else if (const ArgumentAlias* alias = AliasInUse(name)) {
      TakeAlias(*alias, rules);
    } else if (schema::Requires(tool_.input_schema, name)) {
      faults_.Add(Quoted(name) + " is required");
    }
  }

  void Take(std::string_view name, std::optional<json::value> value) {
    if (value) checked_[name] = std::move(*value);
  }

  void TakeAlias(const ArgumentAlias& alias, const json::object& schema) {
    using enum ArgumentAlias::Transform;
    // The bounds of the schema hold for what the alias is turned into.
    const bool as_it_is = alias.transform == kCopy || alias.transform == kNegate;
    const json::object plain{{"type", "integer"}};
    auto value = CheckValue(*Given(alias.name), as_it_is ? schema : plain, alias.name, faults_);
    if (!value) return;
    switch (alias.transform) {
      case kCopy:
        return Take(alias.canonical, std::move(value));
      case kNegate:
        return Take(alias.canonical, json::value(!value->as_bool()));
      case kSecondsToMs:
        return Take(alias.canonical, CheckValue(Milliseconds(value->as_int64()), schema, alias.name, faults_));
      case kEndToCount:
        ends_.emplace_back(&alias, value->as_int64());  // needs "offset", which may come later in the schema
        return;
    }
  }

  static std::int64_t Milliseconds(std::int64_t seconds) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000;
    return std::clamp(seconds, -kMost, kMost) * 1000;
  }

  void ResolveCounts() {
    for (const auto& [alias, end] : ends_) {
      const json::value* value = checked_.if_contains("offset");
      const std::int64_t* offset = value == nullptr ? nullptr : value->if_int64();
      // Offset 0 counts as 1; a negative one is a fault of its own.
      const std::int64_t first = offset == nullptr ? 1 : std::max<std::int64_t>(*offset, 1);
      if (end < first) {
        faults_.Add(Quoted(alias->name) + " must be at least " + std::to_string(first) + ", got " +
                    std::to_string(end));
      } else {
        checked_[alias->canonical] = end - first + 1;
      }
    }
  }

  void CheckKnown(std::string_view name, const json::value& value) {
    if (properties_.contains(name) || tool_.rules.hidden.contains(name) || value.is_null()) return;
    if (IsIgnored(name)) return;
    if (std::ranges::find(tool_.rules.aliases, name, &ArgumentAlias::name) != tool_.rules.aliases.end()) return;
    if (properties_.empty()) {  // a tool that declares nothing takes everything
      checked_[name] = value;
      return;
    }
    const std::string nearest = faults_.full() ? "" : Nearest(name);
    faults_.Add("unknown argument " + Quoted(name) + (nearest.empty() ? "" : " (did you mean " + nearest + "?)"));
  }

  // Of the declared names; an alias counts as the name that it stands for.
  std::string Nearest(std::string_view name) const {
    std::vector<std::string> declared;
    for (const auto& property : properties_) declared.emplace_back(property.key());
    if (std::string nearest = NearestName(name, declared); !nearest.empty()) return nearest;
    std::vector<std::string> aliases;
    aliases.reserve(tool_.rules.aliases.size());
    for (const ArgumentAlias& alias : tool_.rules.aliases) aliases.push_back(alias.name);
    const std::string nearest = NearestName(name, aliases);
    const auto alias = std::ranges::find(tool_.rules.aliases, nearest, &ArgumentAlias::name);
    return alias == tool_.rules.aliases.end() || !properties_.contains(alias->canonical) ? "" : alias->canonical;
  }

  const ToolDefinition& tool_;
  const json::object& arguments_;
  const json::object& properties_;
  json::object checked_;
  FaultList faults_;
  std::vector<std::pair<const ArgumentAlias*, std::int64_t>> ends_;
};

}  // namespace

std::expected<json::object, std::string> SchemaArgumentChecker::Check(const ToolDefinition& tool,
                                                                      const json::object& arguments) const {
  return Checking(tool, arguments).Run();
}

}  // namespace awf
