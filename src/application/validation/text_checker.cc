#include "application/validation/text_checker.h"

#include "application/language/template.h"

namespace awf {

void TextChecker::Check(const State& state) {
  Common(state);
  Transitions(state);
  if (const auto* command = std::get_if<CommandState>(&state.body)) {
    Template(command->command, {state, "command", Moment::kBefore, true});
    Template(command->script_file, {state, "script_file"});
  } else if (const auto* terminal = std::get_if<TerminalState>(&state.body)) {
    Template(terminal->message, {state, "message"});
  } else if (const auto* agent = std::get_if<AgentState>(&state.body)) {
    Agent(state, *agent);
  } else if (const auto* loop = std::get_if<ForEachState>(&state.body)) {
    Loop(state, *loop);
  } else if (const auto* operation = std::get_if<OperationState>(&state.body)) {
    for (const auto& [path, text] : operation->input_templates) Template(text, {state, "inputs." + path});
  }
}

void TextChecker::Template(const TemplateText& text, const ReferencePlace& place) {
  if (HasTemplate(text.text)) templates_.Check(text, place);
}

void TextChecker::Expression(const TemplateText& text, const ReferencePlace& place, ExpressionChecker::Result wanted) {
  if (!text.empty()) expressions_.Check(text, place, wanted);
}

void TextChecker::Common(const State& state) {
  Template(state.dir, {state, "dir"});
  if (state.timeout) Template(state.timeout->text, {state, "timeout"});
  Hooks(state, state.hooks.pre, "hooks.pre", Moment::kBefore);
  Hooks(state, state.hooks.post, "hooks.post", Moment::kAfter);
  if (!state.on_failure) return;
  if (const auto* failure = std::get_if<InlineFailure>(&*state.on_failure)) {
    Template(failure->message, {state, "on_failure.message", Moment::kAfterFailure});
  }
}

void TextChecker::Hooks(const State& state, const std::vector<Hook>& hooks, const std::string& field, Moment moment) {
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    const bool command = hooks[i].kind == Hook::Kind::kCommand;
    const std::string place = field + "[" + std::to_string(i) + "]." + (command ? "command" : "log");
    Template(hooks[i].text, {state, place, moment, command});
  }
}

void TextChecker::Transitions(const State& state) {
  const auto index = graph_.index().Find(state.name);
  const bool branch = index && graph_.containment().IsBranch(*index);
  bool outcome_read = false, caught = false;
  for (std::size_t i = 0; i < state.transitions.size(); ++i) {
    const Transition& transition = state.transitions[i];
    const std::string field = "transitions[" + std::to_string(i) + "]";
    references_.TakeOutcomeRead();
    Expression(transition.when, {state, field + ".when", Moment::kAfter}, ExpressionChecker::Result::kCondition);
    outcome_read = references_.TakeOutcomeRead() || outcome_read;
    if (!transition.when.empty() || caught) continue;
    caught = true;
    if (outcome_read || branch || state.partial) continue;
    references_.Report(Severity::kWarning, "WORKFLOW.VALIDATION.MASKED_FAILURE", {{}, transition.position, {}},
                       {state, field}, 0,
                       "a failure of '" + state.name + "' goes to '" + transition.target.state + "' like a success",
                       "catch it before, with when: states." + state.name + ".Status != \"success\"");
  }
}

void TextChecker::Agent(const State& state, const AgentState& agent) {
  Template(agent.provider, {state, "provider"});
  Template(agent.prompt, {state, "prompt"});
  Template(agent.prompt_file, {state, "prompt_file"});
  Template(agent.system_prompt, {state, "system_prompt"});
  for (const auto& [path, text] : agent.option_templates) Template(text, {state, "options." + path});
}

void TextChecker::Loop(const State& state, const ForEachState& loop) {
  if (const auto* items = std::get_if<TemplateText>(&loop.items)) {
    Expression(*items, {state, "items"}, ExpressionChecker::Result::kList);
  }
  for (const auto& [path, text] : loop.item_templates) Template(text, {state, "items" + path});
  if (const auto* limit = std::get_if<TemplateText>(&loop.max_iterations)) {
    Expression(*limit, {state, "max_iterations"}, ExpressionChecker::Result::kNumber);
  }
  Expression(loop.break_when, {state, "break_when", Moment::kPassEnd}, ExpressionChecker::Result::kCondition);
}

}  // namespace awf
