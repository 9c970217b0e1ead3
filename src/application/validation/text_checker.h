// Walks over all texts of a state, each with its place: templates, expressions, and the conditions of its transitions
// (MASKED_FAILURE). Used by one thread.
#pragma once

#include <string>
#include <vector>

#include "application/validation/expression_checker.h"
#include "application/validation/reference_checker.h"
#include "application/validation/template_checker.h"
#include "domain/workflow.h"

namespace awf {

class TextChecker {
 public:
  TextChecker(const StateGraph& graph, ReferenceChecker& references, TemplateChecker& templates,
              ExpressionChecker& expressions)
      : graph_(graph), references_(references), templates_(templates), expressions_(expressions) {}

  void Check(const State& state);

 private:
  void Template(const TemplateText& text, const ReferencePlace& place);
  void Expression(const TemplateText& text, const ReferencePlace& place, ExpressionChecker::Result wanted);
  void Common(const State& state);
  void Hooks(const State& state, const std::vector<Hook>& hooks, const std::string& field, Moment moment);
  void Transitions(const State& state);
  void Agent(const State& state, const AgentState& agent);
  void Loop(const State& state, const ForEachState& loop);

  const StateGraph& graph_;
  ReferenceChecker& references_;
  TemplateChecker& templates_;
  ExpressionChecker& expressions_;
};

}  // namespace awf
