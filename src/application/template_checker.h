// Checks the templates of a workflow at load: syntax, and that every reference can be known to mean something.
#pragma once

#include <string>
#include <vector>

#include "application/state_graph.h"
#include "application/template_ast.h"
#include "application/template_fault.h"
#include "domain/workflow.h"

namespace awf {

// Where a template stands.
struct TemplatePlace {
  const State& state;
  std::string field;
  bool is_command = false;   // goes to a shell: agents' words want escaping
  bool after_state = false;  // evaluated when the state itself has run
};

class TemplateChecker {
 public:
  TemplateChecker(const Workflow& workflow, const StateGraph& graph, std::vector<Finding>& findings);

  void Check(const TemplateText& text, const TemplatePlace& place);

 private:
  struct Context {
    const TemplateText& text;
    const TemplatePlace& place;
    bool has_default = false;  // a missing value is provided for
    bool escaped = false;
  };
  void Expression(const TemplateExpression& expression, const Context& context);
  void Reference(std::size_t offset, const std::vector<std::string>& path, const Context& context);
  void Input(std::size_t offset, const std::vector<std::string>& path, const Context& context);
  void StateField(std::size_t offset, const std::vector<std::string>& path, const Context& context);
  bool FieldExists(std::size_t offset, const State& state, const std::vector<std::string>& path,
                   const Context& context);
  void Order(std::size_t offset, const std::string& name, const Context& context);
  void Report(Severity severity, const char* code, std::size_t offset, std::string message, std::string hint,
              const Context& context);
  void Undefined(std::size_t offset, std::string message, std::string hint, const Context& context);

  const std::vector<bool>& ReachedFrom(std::size_t state);
  const std::vector<bool>& ReachedWithout(std::size_t state);

  const Workflow& workflow_;
  const StateGraph& graph_;
  std::vector<Finding>& findings_;
  std::vector<bool> reachable_;
  std::map<std::size_t, std::vector<bool>> reached_from_, reached_without_;
};

}  // namespace awf
