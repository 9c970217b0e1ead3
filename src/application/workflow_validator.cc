#include "application/workflow_validator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "application/state_graph.h"
#include "application/template.h"
#include "application/template_checker.h"

namespace awf {
namespace {

class Validator {
 public:
  Validator(const Workflow& workflow, const EnvironmentLookup& environment, std::vector<Finding>& findings)
      : workflow_(workflow),
        environment_(environment),
        findings_(findings),
        graph_(workflow),
        templates_(workflow, graph_, findings) {}

  void Run() {
    Target(workflow_.initial, "", "states.initial");
    for (const State& state : workflow_.states) {
      Targets(state);
      Templates(state);
      if (const auto* agent = std::get_if<AgentState>(&state.body)) Agent(state, *agent);
    }
    if (graph_.Complete()) Flow();
  }

 private:
  void Report(Severity severity, std::string code, std::string message, std::string hint, const Position& position,
              std::string step, std::string field) {
    findings_.push_back(
        {severity,
         {std::move(code), std::move(message), std::move(hint), position, std::move(step), std::move(field)}});
  }

  void Target(const StateTarget& target, const std::string& step, const std::string& field) {
    if (target.state.empty() || graph_.IndexOf(target.state)) return;
    Report(Severity::kError, "WORKFLOW.VALIDATION.MISSING_STATE", "there is no state '" + target.state + "'",
           graph_.HintFor(target.state), target.position, step, field);
  }

  void Targets(const State& state) {
    if (state.on_success) Target(*state.on_success, state.name, "on_success");
    if (state.on_failure) {
      if (const auto* target = std::get_if<StateTarget>(&*state.on_failure)) Target(*target, state.name, "on_failure");
    }
    if (state.on_success || state.partial || std::holds_alternative<TerminalState>(state.body)) return;
    Report(Severity::kError, "WORKFLOW.VALIDATION.INVALID_TRANSITION",
           "nothing follows the success of state '" + state.name + "'", "add on_success", state.position, state.name,
           "on_success");
  }

  void Template(const TemplateText& text, const TemplatePlace& place) {
    if (HasTemplate(text.text)) templates_.Check(text, place);
  }

  void Templates(const State& state) {
    Template(state.dir, {state, "dir"});
    if (state.timeout) Template(state.timeout->text, {state, "timeout"});
    if (state.on_failure) {
      if (const auto* failure = std::get_if<InlineFailure>(&*state.on_failure)) {
        Template(failure->message, {state, "on_failure.message", false, true});
      }
    }
    if (const auto* command = std::get_if<CommandState>(&state.body)) {
      Template(command->command, {state, "command", true, false});
    } else if (const auto* terminal = std::get_if<TerminalState>(&state.body)) {
      Template(terminal->message, {state, "message"});
    } else if (const auto* agent = std::get_if<AgentState>(&state.body)) {
      Template(agent->provider, {state, "provider"});
      Template(agent->prompt, {state, "prompt"});
      Template(agent->system_prompt, {state, "system_prompt"});
      for (const auto& [path, text] : agent->option_templates) Template(text, {state, "options." + path});
    }
  }

  void Agent(const State& state, const AgentState& agent) {
    if (!agent.provider.empty() && !HasTemplate(agent.provider.text)) {
      if (const auto provider = ResolveProvider(agent.provider.text)) {
        Options(state, agent, *provider);
      } else {
        Report(Severity::kError, provider.error().code, provider.error().message, provider.error().hint,
               agent.provider.position, state.name, "provider");
      }
    }
    if (agent.mcp_proxy) EmptyProxy(state, agent);
  }

  void Options(const State& state, const AgentState& agent, const std::string& provider) {
    const CheckedOptions checked = CheckProviderOptions({provider, agent.options, agent.option_sources}, environment_);
    for (Finding finding : checked.findings) {
      const auto position = agent.option_positions.find(finding.error.field);
      finding.error.position = position == agent.option_positions.end() ? agent.provider.position : position->second;
      finding.error.step = state.name;
      finding.error.field = finding.error.field.empty() ? "options" : "options." + finding.error.field;
      findings_.push_back(std::move(finding));
    }
  }

  void EmptyProxy(const State& state, const AgentState& agent) {
    const McpProxySettings& proxy = *agent.mcp_proxy;
    const bool exposes =
        std::ranges::any_of(proxy.plugin_tools, [](const auto& entry) { return !entry.expose.empty(); });
    if (!proxy.enable || proxy.intercept_builtins || exposes) return;
    Report(Severity::kError, "USER.MCP_PROXY.EMPTY_PROXY",
           "mcp_proxy is enabled but offers no tool: intercept_builtins is false and nothing is exposed",
           "set intercept_builtins: true, or remove the block", agent.mcp_proxy_position, state.name, "mcp_proxy");
  }

  // Reachability and cycles; every state is known whole and every target exists.
  void Flow() {
    const std::vector<bool> reached = graph_.ReachedFromInitial();
    bool ends = false;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const State& state = workflow_.states[i];
      if (!reached[i]) {
        Report(Severity::kWarning, "WORKFLOW.VALIDATION.UNREACHABLE_STATE",
               "state '" + state.name + "' is never reached", "add a transition to it or remove it", state.position,
               state.name, "");
      }
      const bool is_end = std::holds_alternative<TerminalState>(state.body) ||
                          (state.on_failure && std::holds_alternative<InlineFailure>(*state.on_failure));
      ends = ends || (reached[i] && is_end);
    }
    if (!ends) {
      Report(Severity::kError, "WORKFLOW.VALIDATION.NO_TERMINAL",
             "no terminal state can be reached from '" + workflow_.initial.state + "'",
             "add a state of type terminal and a transition to it", workflow_.initial.position, "", "states");
    }
    for (const StateGraph::Cycle& cycle : graph_.EndlessCycles()) {
      if (reached[cycle.states[0]]) Cycle(cycle);
    }
  }

  void Cycle(const StateGraph::Cycle& cycle) {
    std::string names;
    for (const std::size_t state : cycle.states) {
      names += (names.empty() ? "'" : ", '") + workflow_.states[state].name + "'";
    }
    const State& first = workflow_.states[cycle.states[0]];
    if (cycle.left_by_failure) {
      Report(Severity::kWarning, "WORKFLOW.VALIDATION.CYCLE_DETECTED", "only a failure leaves the cycle of " + names,
             "give the cycle a way out on success", first.position, first.name, "");
    } else {
      Report(Severity::kError, "WORKFLOW.VALIDATION.CYCLE_DETECTED", "nothing leaves the cycle of " + names,
             "give the cycle a way out", first.position, first.name, "");
    }
  }

  const Workflow& workflow_;
  const EnvironmentLookup& environment_;
  std::vector<Finding>& findings_;
  StateGraph graph_;
  TemplateChecker templates_;
};

}  // namespace

void ValidateWorkflow(const Workflow& workflow, const EnvironmentLookup& environment, std::vector<Finding>& findings) {
  Validator(workflow, environment, findings).Run();
}

}  // namespace awf
