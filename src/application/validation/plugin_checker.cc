#include "application/validation/plugin_checker.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "application/language/template.h"
#include "application/operations/input_type.h"
#include "application/operations/operation_inputs.h"
#include "application/operations/operation_schema.h"

namespace awf {
namespace {

bool HoldsTemplate(const json::value& value) {
  if (const json::string* text = value.if_string()) return HasTemplate(*text);
  if (const json::array* list = value.if_array()) return std::ranges::any_of(*list, HoldsTemplate);
  const json::object* map = value.if_object();
  return map != nullptr &&
         std::ranges::any_of(*map, [](const json::key_value_pair& member) { return HoldsTemplate(member.value()); });
}

// A value that a run may take for anything: of what a template gives, only the name can be checked.
json::value AnyOf(const OperationInput& input) {
  switch (InputTypeOf(input.type).value_or(InputType::kAny)) {
    case InputType::kInteger:
    case InputType::kNumber:
      return 0;
    case InputType::kBoolean:
      return false;
    case InputType::kArray:
      return json::array();
    case InputType::kObject:
      return json::object();
    case InputType::kString:
    case InputType::kAny:
      break;
  }
  if (input.validation == "url") return "http://x";
  return input.validation == "email" ? "a@b" : "";
}

// The inputs as a run will have them, as far as they are known. A number for a string is taken as it is spelt.
json::object KnownInputs(const OperationState& step, const Operation& operation) {
  json::object inputs;
  for (const auto& [name, value] : step.inputs) {
    const std::string key(name);
    const auto declared = std::ranges::find(operation.inputs, key, &OperationInput::name);
    const auto source = step.input_sources.find(key);
    if (HoldsTemplate(value)) {
      inputs[name] = declared == operation.inputs.end() ? json::value("") : AnyOf(*declared);
    } else if (declared != operation.inputs.end() && declared->type == "string" && !value.is_null() &&
               source != step.input_sources.end()) {
      inputs[name] = source->second;
    } else {
      inputs[name] = value;
    }
  }
  return inputs;
}

}  // namespace

void PluginChecker::Report(Severity severity, Error error, const Place& place) {
  // An error of a file of plugins keeps its own place.
  if (error.position.file.empty()) error.position = place.position;
  error.step = place.state.name;
  error.field = place.field;
  findings_.push_back({severity, std::move(error)});
}

const std::vector<Operation>* PluginChecker::Operations(const std::string& plugin, const Place& place) {
  auto known = known_.find(plugin);
  if (known == known_.end()) known = known_.emplace(plugin, catalogue_.Find(plugin)).first;
  if (!known->second) {
    Report(Severity::kError, known->second.error(), place);
    return nullptr;
  }
  if (known->second->source != KnownOperations::Source::kUnknown) return &known->second->operations;
  if (told_unknown_.insert(plugin).second) {
    Report(Severity::kWarning,
           {"USER.MCP_PROXY.UNKNOWN_OPERATION",
            "the operations of plugin '" + plugin + "' are not known: " + known->second->why_unknown,
            "awf plugin lock writes them down",
            {},
            {},
            {}},
           place);
  }
  return nullptr;
}

const Operation* PluginChecker::Find(const std::string& plugin, const std::string& name,
                                     const std::vector<Operation>& operations, const Place& place) {
  const auto operation = std::ranges::find(operations, name, &Operation::name);
  if (operation == operations.end()) {
    const auto nearest = [this](std::string_view wanted, std::span<const std::string> names) {
      return hints_.For(wanted, names);
    };
    Report(Severity::kError, UnknownOperation(plugin, name, operations, nearest), place);
    return nullptr;
  }
  if (const auto made = SchemaOf(*operation); !made) {
    Report(Severity::kError,
           {"EXECUTION.PLUGIN.INIT",
            "plugin '" + plugin + "': " + made.error(),
            "the plugin has to declare it in another way",
            {},
            {},
            {}},
           place);
    return nullptr;
  }
  return &*operation;
}

void PluginChecker::Check(const State& state, const AgentState& agent) {
  if (!agent.mcp_proxy || !agent.mcp_proxy->enable) return;
  ExposedNames names;
  const std::vector<PluginToolsEntry>& entries = agent.mcp_proxy->plugin_tools;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].plugin.empty())
      Exposed(entries[i], state, "mcp_proxy.plugin_tools[" + std::to_string(i) + "]", names);
  }
}

void PluginChecker::WarnOfSchema(const std::string& plugin, const Operation& operation, const Place& place) {
  if (!told_schemas_.emplace(plugin, operation.name).second) return;
  const auto made = SchemaOf(operation);
  if (!made) return;
  for (const std::string& warning : made->warnings) {
    std::string text = "plugin '";
    text.append(plugin).append("': ").append(warning);
    Report(Severity::kWarning,
           {"EXECUTION.PLUGIN.INIT", std::move(text), "the plugin has to declare it in another way", {}, {}, {}},
           place);
  }
}

// Names can collide whether the operations are there or not.
void PluginChecker::Exposed(const PluginToolsEntry& entry, const State& state, const std::string& field,
                            ExposedNames& names) {
  const auto* operations = Operations(entry.plugin, {state, entry.position, field + ".plugin"});
  for (std::size_t i = 0; i < entry.expose.size(); ++i) {
    const ExposedOperation& exposed = entry.expose[i];
    const Place place{state, exposed.position, field + ".expose[" + std::to_string(i) + "]"};
    const Operation* operation = operations == nullptr ? nullptr : Find(entry.plugin, exposed.name, *operations, place);
    if (operation != nullptr) WarnOfSchema(entry.plugin, *operation, place);
    if (auto name = names.Add(entry.plugin, exposed.name); !name) Report(Severity::kError, name.error(), place);
  }
}

void PluginChecker::Check(const State& state, const OperationState& step) {
  if (step.plugin.empty()) return;
  const Place place{state, step.position, "operation"};
  const auto* operations = Operations(step.plugin, place);
  if (operations == nullptr) return;
  if (const Operation* operation = Find(step.plugin, step.operation, *operations, place)) {
    Inputs(state, step, *operation);
  }
}

void PluginChecker::Inputs(const State& state, const OperationState& step, const Operation& operation) {
  for (const InputFault& fault : FaultsOfInputs(operation, KnownInputs(step, operation))) {
    const auto position = step.input_positions.find(fault.path);
    const bool given = position != step.input_positions.end();
    const bool missing = !step.inputs.contains(fault.path);
    Report(Severity::kError,
           {missing ? "WORKFLOW.PARSE.MISSING_FIELD" : "WORKFLOW.PARSE.INVALID_VALUE",
            "operation " + step.plugin + "." + step.operation + ": " + fault.message,
            fault.hint,
            {},
            {},
            {}},
           {state, given ? position->second : step.position, "inputs." + fault.path});
  }
}

}  // namespace awf
