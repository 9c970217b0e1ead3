#include "application/running/dry_run.h"

#include <algorithm>
#include <deque>
#include <set>

#include "application/language/conversations.h"
#include "application/language/duration.h"
#include "application/language/expression.h"
#include "application/language/template.h"
#include "application/running/placeholder_scope.h"
#include "application/running/run_context.h"
#include "application/running/state_worker.h"
#include "application/running/step_renderer.h"

namespace awf {
namespace {

std::vector<PlannedTarget> TargetsOf(const State& state) {
  std::vector<PlannedTarget> targets;
  targets.reserve(state.transitions.size() + 2);
  for (const Transition& transition : state.transitions)
    targets.push_back({transition.when.empty() ? "transitions" : transition.when.text, transition.target.state});
  if (state.on_success) targets.push_back({"on_success", state.on_success->state});
  if (!state.on_failure) return targets;
  if (const auto* target = std::get_if<StateTarget>(&*state.on_failure)) {
    targets.push_back({"on_failure", target->state});
  } else {
    const auto& failure = std::get<InlineFailure>(*state.on_failure);
    targets.push_back({"on_failure", "the run fails with exit code " + std::to_string(failure.status)});
  }
  return targets;
}

Scope KnownScope(const RunPorts& ports, const RunRequest& request) {
  Scope scope = ConstantScope(ports, request, request.inputs);
  scope.states = request.mocks;
  return scope;
}

// What the prompt files hold whose names are known: they are templates too.
std::vector<std::string> PromptTexts(const Workflow& workflow, const RunRequest& request, const RunPorts& ports,
                                     const std::filesystem::path& folder) {
  std::vector<std::string> texts;
  if (ports.files == nullptr) return texts;
  const Scope scope = KnownScope(ports, request);
  for (const State& state : workflow.states) {
    const auto* agent = std::get_if<AgentState>(&state.body);
    if (agent == nullptr || agent->prompt_file.empty()) continue;
    const auto name = StepRenderer(request, scope, folder).Text(state, agent->prompt_file, "prompt_file");
    if (!name) continue;
    auto text = ports.files->Read(request.folders.Resolve(*name, folder, ports.environment, *ports.files));
    if (text) texts.push_back(std::move(*text));
  }
  return texts;
}

class Planner {
 public:
  Planner(const Workflow& workflow, const RunRequest& request, const RunPorts& ports, const PreviewAgent& preview,
          OperationCatalogue* operations)
      : workflow_(workflow),
        request_(request),
        preview_(preview),
        operations_(operations),
        folder_(FolderOf(workflow, request.working_dir)),
        placeholders_(workflow, KnownScope(ports, request), PromptTexts(workflow, request, ports, folder_)) {}

  RunPlan Plan() {
    std::deque<std::string> ahead = {request_.only_state.empty() ? workflow_.initial.state : request_.only_state};
    while (!ahead.empty()) {
      const State* state = workflow_.Find(ahead.front());
      ahead.pop_front();
      if (state == nullptr || seen_.contains(state->name)) continue;
      Visit(*state, "", placeholders_.For(state->name), {});
      if (!request_.only_state.empty()) return std::move(plan_);
      for (const Transition& transition : state->transitions) ahead.push_back(transition.target.state);
      if (state->on_success) ahead.push_back(state->on_success->state);
    }
    for (const State& state : workflow_.states)
      if (!seen_.contains(state.name)) plan_.not_walked.push_back(state.name);
    return std::move(plan_);
  }

 private:
  // Loops around a state: the items of the innermost one, where they are known.
  struct Around {
    bool in_loop = false;
    std::optional<json::array> items;
  };

  Scope ScopeOf(const State& state, const Around& around) const {
    if (!around.in_loop) return placeholders_.For(state.name);
    return placeholders_.For(state.name, around.items ? &*around.items : nullptr);
  }

  void Visit(const State& state, const std::string& within, const Scope& scope, const Around& around) {
    if (!seen_.insert(state.name).second) return;
    PlannedState planned;
    planned.name = state.name;
    planned.path = within + state.name;
    planned.kind = KindOf(state);
    planned.description = state.description;
    planned.retry = state.retry;
    planned.targets = TargetsOf(state);
    const StepRenderer renderer(request_, scope, folder_);
    Common(state, renderer, planned);
    std::visit([&](const auto& body) { Body(state, body, renderer, scope, planned); }, state.body);
    plan_.states.push_back(planned);
    if (const auto* parallel = std::get_if<ParallelState>(&state.body)) {
      Held(parallel->branches, planned.path + "/", around);
    } else if (const auto* loop = std::get_if<ForEachState>(&state.body)) {
      Held(loop->body, planned.path + ":0/", {true, ItemsOf(*loop, scope)});
    }
  }

  void Held(const std::vector<StateTarget>& targets, const std::string& within, const Around& around) {
    for (const StateTarget& target : targets) {
      if (const State* state = workflow_.Find(target.state)) Visit(*state, within, ScopeOf(*state, around), around);
    }
  }

  void Add(PlannedState& planned, const State& state, const StepRenderer& renderer, const TemplateText& text,
           const std::string& field) const {
    if (text.empty()) return;
    const auto rendered = renderer.Text(state, text, field);
    planned.texts.push_back(
        {field, rendered ? *rendered : text.text, rendered ? std::string() : rendered.error().message});
  }

  void Common(const State& state, const StepRenderer& renderer, PlannedState& planned) const {
    Add(planned, state, renderer, state.dir, "dir");
    if (planned.kind == StepKind::kTerminal) return;
    const auto timeout = renderer.Timeout(state);
    if (!timeout) {
      planned.timeout = state.timeout->text.text;
    } else {
      planned.timeout = *timeout ? FormatDuration(**timeout) : "none";
    }
    for (const Hook& hook : state.hooks.pre) Add(planned, state, renderer, hook.text, "hooks.pre");
    for (const Hook& hook : state.hooks.post) Add(planned, state, renderer, hook.text, "hooks.post");
  }

  void Body(const State& state, const CommandState& command, const StepRenderer& renderer, const Scope&,
            PlannedState& planned) const {
    Add(planned, state, renderer, command.command, "command");
    Add(planned, state, renderer, command.script_file, "script_file");
  }

  void Body(const State& state, const OperationState& operation, const StepRenderer& renderer, const Scope&,
            PlannedState& planned) const {
    planned.texts.push_back({"operation", operation.plugin + "." + operation.operation, {}});
    for (const auto& [name, value] : operation.inputs) {
      OperationState one;
      one.inputs[name] = value;
      one.input_templates = operation.input_templates;
      const auto rendered = renderer.Inputs(state, one);
      planned.texts.push_back({"inputs." + std::string(name), ShownInput(rendered ? rendered->at(name) : value),
                               rendered ? std::string() : rendered.error().message});
    }
    if (operations_ == nullptr) {
      planned.notes.emplace_back("the operation is not verified: plugins are skipped");
    } else if (const auto known = operations_->Find(operation.plugin); !known) {
      planned.notes.push_back(known.error().code + ": " + known.error().message);
    } else if (known->source == KnownOperations::Source::kUnknown) {
      planned.notes.push_back("the operation is not verified: " + known->why_unknown);
    }
  }

  static std::string ShownInput(const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
  }

  void Body(const State& state, const TerminalState& terminal, const StepRenderer& renderer, const Scope&,
            PlannedState& planned) const {
    planned.texts.push_back({"status", terminal.success ? "success" : "failure", {}});
    Add(planned, state, renderer, terminal.message, "message");
  }

  void Body(const State&, const ParallelState& parallel, const StepRenderer&, const Scope&,
            PlannedState& planned) const {
    for (const StateTarget& branch : parallel.branches) planned.holds.push_back(branch.state);
  }

  void Body(const State&, const ForEachState& loop, const StepRenderer&, const Scope& scope,
            PlannedState& planned) const {
    for (const StateTarget& target : loop.body) planned.holds.push_back(target.state);
    const auto items = ItemsOf(loop, scope);
    const auto* text = std::get_if<TemplateText>(&loop.items);
    planned.texts.push_back({"items", items ? json::serialize(*items) : text->text,
                             items ? std::string() : "they are known when the loop begins"});
  }

  // An agent's texts come from its request: the files that they may stand in have been read for it.
  void Body(const State& state, const AgentState& agent, const StepRenderer& renderer, const Scope&,
            PlannedState& planned) const {
    StepContext context;
    context.step = state.name;
    context.kind = StepKind::kAgent;
    context.path = planned.path;
    auto request = renderer.Agent(state, agent, context);
    if (!request && request.error().field == "dir") {
      // It may be made by a state before this one.
      planned.notes.push_back(request.error().message);
      State here = state;
      here.dir = {};
      request = renderer.Agent(here, agent, context);
    }
    if (!request) {
      planned.notes.push_back(request.error().code + ": " + request.error().message);
      for (const auto& [field, text] : {std::pair{"provider", &agent.provider},
                                        {"system_prompt", &agent.system_prompt},
                                        {"prompt_file", &agent.prompt_file},
                                        {"prompt", &agent.prompt}})
        Add(planned, state, renderer, *text, field);
      return;
    }
    planned.texts.push_back({"provider", request->provider_as_written, {}});
    if (!request->system_prompt.empty()) planned.texts.push_back({"system_prompt", request->system_prompt, {}});
    Add(planned, state, renderer, agent.prompt_file, "prompt_file");
    planned.texts.push_back({"prompt", request->prompt, {}});
    Join(state, agent, *request, planned);
    auto preview = preview_(*request);
    if (!preview && request->continued && preview.error().code == "EXECUTION.AGENT.SESSION_LOST") {
      // Some providers look for the session before they say how they would start.
      request->continued.reset();
      preview = preview_(*request);
      planned.notes.emplace_back("shown as if the conversation began here: its session is known in a run only");
    }
    if (preview) {
      planned.agent = std::move(*preview);
    } else {
      planned.notes.push_back(preview.error().code + ": " + preview.error().message);
    }
  }

  // The session is known when the step that it goes on from has run.
  void Join(const State& state, const AgentState& agent, AgentRequest& request, PlannedState& planned) const {
    request.conversation = ConversationOf(workflow_, state);
    if (!agent.continue_from) return;
    const std::string& source = agent.continue_from->state;
    planned.texts.push_back({"conversation", "goes on from " + source, {}});
    // It begins by itself the first time, and that is the time which is shown.
    if (source == state.name) return;
    if (!request_.only_state.empty()) {
      planned.notes.push_back("EXECUTION.AGENT.SESSION_LOST: alone it has no conversation to go on with");
    }
    AgentSession session;
    session.provider = request.provider;
    session.id = "<session of " + source + ">";
    session.working_dir = request.working_dir;
    request.continued = std::move(session);
  }

  // What a loop goes over, where that does not depend on what runs before it.
  std::optional<json::array> ItemsOf(const ForEachState& loop, const Scope& scope) const {
    if (const auto* list = std::get_if<json::array>(&loop.items)) {
      json::value rendered(*list);
      Render(rendered, scope);
      return rendered.get_array();
    }
    const auto& text = std::get<TemplateText>(loop.items);
    auto value = EvaluateExpressionText(text.text, scope);
    if (!value || !value->is_array()) return std::nullopt;
    return value->get_array();
  }

  static void Render(json::value& value, const Scope& scope) {
    if (value.is_array()) {
      for (json::value& item : value.get_array()) Render(item, scope);
    } else if (value.is_object()) {
      for (auto& [key, item] : value.get_object()) Render(item, scope);
    } else if (value.is_string() && HasTemplate(value.get_string())) {
      const auto parsed = Template::Parse(value.get_string());
      if (!parsed) return;
      if (auto evaluated = parsed->Evaluate(scope)) value = std::move(*evaluated);
    }
  }

  const Workflow& workflow_;
  const RunRequest& request_;
  const PreviewAgent& preview_;
  OperationCatalogue* const operations_;
  const std::filesystem::path folder_;
  const PlaceholderScope placeholders_;
  std::set<std::string> seen_;
  RunPlan plan_;
};

}  // namespace

RunPlan PlanRun(const Workflow& workflow, const RunRequest& request, const RunPorts& ports, const PreviewAgent& preview,
                OperationCatalogue* operations) {
  return Planner(workflow, request, ports, preview, operations).Plan();
}

}  // namespace awf
