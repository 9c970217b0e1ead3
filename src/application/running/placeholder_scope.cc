#include "application/running/placeholder_scope.h"

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "application/language/template.h"
#include "application/language/vocabulary.h"

namespace awf {
namespace {

// Walks a template for its references.
class ReferenceCollector {
 public:
  explicit ReferenceCollector(json::object& asked) : asked_(asked) {}

  void Nodes(const std::vector<TemplateNode>& nodes) {
    for (const TemplateNode& node : nodes) std::visit(*this, node.form);
  }

  void operator()(const TextNode&) {}
  void operator()(const BreakNode&) {}
  void operator()(const ContinueNode&) {}
  void operator()(const ActionNode& node) { Expression(node.expression); }
  void operator()(const VariableNode& node) { Expression(node.value); }
  void operator()(const IfNode& node) { Branches(node.branches, node.otherwise); }
  void operator()(const WithNode& node) { Branches(node.branches, node.otherwise); }
  void operator()(const RangeNode& node) {
    Expression(node.value);
    Nodes(node.body);
    Nodes(node.otherwise);
  }

 private:
  void Branches(const std::vector<TemplateBranch>& branches, const std::vector<TemplateNode>& otherwise) {
    for (const TemplateBranch& branch : branches) {
      Expression(branch.value);
      Nodes(branch.body);
    }
    Nodes(otherwise);
  }

  void Expression(const TemplateExpression& expression) {
    if (const auto* reference = std::get_if<ReferenceExpression>(&expression.form)) {
      Ask(reference->path);
    } else if (const auto* call = std::get_if<CallExpression>(&expression.form)) {
      for (const TemplateExpression& argument : call->arguments) Expression(argument);
    } else if (const auto* select = std::get_if<SelectExpression>(&expression.form)) {
      for (const TemplateExpression& base : select->base) Expression(base);
    }
  }

  // The longest of the paths that begin alike decides: what has keys is an object.
  void Ask(const std::vector<std::string>& path) {
    json::object* at = &asked_;
    std::string name;
    for (std::size_t i = 0; i < path.size(); ++i) {
      name += (i == 0 ? "" : ".") + path[i];
      json::value& value = (*at)[path[i]];
      if (i + 1 == path.size()) {
        if (value.is_null()) value = "<" + name + ">";
        return;
      }
      if (!value.is_object()) value = json::object();
      at = &value.get_object();
    }
  }

  json::object& asked_;
};

void CollectFrom(const json::value& value, json::object& asked) {
  if (value.is_string()) CollectReferences(value.get_string(), asked);
  if (value.is_array())
    for (const json::value& item : value.get_array()) CollectFrom(item, asked);
  if (value.is_object())
    for (const auto& [key, item] : value.get_object()) CollectFrom(item, asked);
}

void CollectFrom(const State& state, json::object& asked) {
  const auto collect = [&asked](const TemplateText& text) { CollectReferences(text.text, asked); };
  collect(state.dir);
  if (state.timeout) collect(state.timeout->text);
  if (state.on_failure) {
    if (const auto* failure = std::get_if<InlineFailure>(&*state.on_failure)) collect(failure->message);
  }
  for (const auto* hooks : {&state.hooks.pre, &state.hooks.post})
    for (const Hook& hook : *hooks) collect(hook.text);
  if (const auto* command = std::get_if<CommandState>(&state.body)) {
    collect(command->command);
    collect(command->script_file);
  } else if (const auto* agent = std::get_if<AgentState>(&state.body)) {
    for (const TemplateText* text : {&agent->provider, &agent->prompt, &agent->prompt_file, &agent->system_prompt})
      collect(*text);
    CollectFrom(agent->options, asked);
  } else if (const auto* terminal = std::get_if<TerminalState>(&state.body)) {
    collect(terminal->message);
  } else if (const auto* loop = std::get_if<ForEachState>(&state.body)) {
    if (const auto* text = std::get_if<TemplateText>(&loop->items)) collect(*text);
    for (const auto& [path, text] : loop->item_templates) collect(text);
  } else if (const auto* operation = std::get_if<OperationState>(&state.body)) {
    for (const auto& [path, text] : operation->input_templates) collect(text);
  }
}

json::object ObjectOf(const json::object& asked, const std::string& name) {
  const json::value* value = asked.if_contains(name);
  return value != nullptr && value->is_object() ? value->get_object() : json::object();
}

}  // namespace

void CollectReferences(std::string_view text, json::object& asked) {
  if (!HasTemplate(text)) return;
  if (const auto parsed = Template::Parse(text)) ReferenceCollector(asked).Nodes(parsed->nodes());
}

PlaceholderScope::PlaceholderScope(const Workflow& workflow, Scope base, const std::vector<std::string>& texts)
    : workflow_(workflow), base_(std::move(base)) {
  for (const State& state : workflow.states) CollectFrom(state, asked_);
  for (const std::string& text : texts) CollectReferences(text, asked_);
  const json::object asked_states = ObjectOf(asked_, "states");
  for (const State& state : workflow.states) {
    if (std::holds_alternative<TerminalState>(state.body) || base_.State(state.name) != nullptr) continue;
    json::object fields = ObjectOf(asked_states, state.name);
    for (const auto& names : {CommonResultFields(), AgentResultFields()}) {
      for (const std::string_view name : names)
        if (!fields.contains(name)) fields[name] = "<states." + state.name + "." + std::string(name) + ">";
    }
    fields["Status"] = "success";
    fields["ExitCode"] = 0;
    fields["Error"] = "";
    fields["ErrorCode"] = "";
    base_.states[state.name] = std::make_shared<const json::object>(std::move(fields));
  }
  base_.Set("captures", ObjectOf(asked_, "captures"));
  base_.Set("error", ObjectOf(asked_, "error"));
}

Scope PlaceholderScope::For(const std::string& state) const {
  Scope scope = base_;
  json::object workflow = ObjectOf(asked_, "workflow");
  workflow["Name"] = workflow_.name;
  workflow["Version"] = workflow_.version;
  workflow["CurrentState"] = state;
  scope.Set("workflow", std::move(workflow));
  return scope;
}

Scope PlaceholderScope::For(const std::string& state, const json::array* items) const {
  Scope scope = For(state);
  json::object loop = ObjectOf(asked_, "loop");
  loop["Index"] = 0;
  loop["Index1"] = 1;
  loop["First"] = true;
  if (items != nullptr && !items->empty()) {
    loop["Item"] = items->front();
    loop["Last"] = items->size() == 1;
    loop["Length"] = items->size();
  }
  scope.Set("loop", std::move(loop));
  return scope;
}

}  // namespace awf
