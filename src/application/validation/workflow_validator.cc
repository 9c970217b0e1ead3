#include "application/validation/workflow_validator.h"

#include <optional>

#include "application/validation/agent_checker.h"
#include "application/validation/capture_checker.h"
#include "application/validation/continuation_checker.h"
#include "application/validation/expression_checker.h"
#include "application/validation/file_checker.h"
#include "application/validation/flow_checker.h"
#include "application/validation/plugin_checker.h"
#include "application/validation/reference_checker.h"
#include "application/validation/state_graph.h"
#include "application/validation/template_checker.h"
#include "application/validation/text_checker.h"

namespace awf {

void ValidateWorkflow(const Workflow& workflow, const ValidationContext& context, std::vector<Finding>& findings) {
  const StateGraph graph(workflow);
  FlowChecker(workflow, graph, findings).Check();
  CheckCaptureNames(workflow, findings);
  ContinuationChecker(workflow, graph, findings).Check();
  ReferenceChecker references(workflow, graph, findings);
  TemplateChecker templates(references);
  ExpressionChecker expressions(references, templates, context.regexes);
  TextChecker texts(graph, references, templates, expressions);
  AgentChecker agents(context, findings);
  FileChecker files(workflow, context, templates, findings);
  std::optional<PluginChecker> plugins;
  if (context.operations != nullptr) plugins.emplace(*context.operations, findings);
  for (const State& state : workflow.states) {
    texts.Check(state);
    files.Check(state);
    if (const auto* agent = std::get_if<AgentState>(&state.body)) {
      agents.Check(state, *agent);
      if (plugins) plugins->Check(state, *agent);
    } else if (const auto* operation = std::get_if<OperationState>(&state.body)) {
      if (plugins) plugins->Check(state, *operation);
    }
  }
}

}  // namespace awf
