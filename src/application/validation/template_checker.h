// Checks the templates of a workflow at load: syntax, functions, references, and that the words of agents do not go
// into a command as they are.
//
// What a variable or the dot of with holds is followed as far as it is a reference: `with .states.a` makes `.Output`
// the reference states.a.Output. Used by one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "application/language/template_ast.h"
#include "application/validation/reference_checker.h"
#include "domain/workflow.h"

namespace awf {

class TemplateChecker {
 public:
  explicit TemplateChecker(ReferenceChecker& references) : references_(references) {}

  void Check(const TemplateText& text, const ReferencePlace& place);

 private:
  // What is known of a value.
  struct Value {
    std::vector<std::string> path;        // of the reference that it is; empty: unknown
    std::vector<std::size_t> agent_text;  // offsets of what brings the words of an agent into it
  };
  // Of a variable or the dot.
  struct Held {
    std::string name;  // of the variable
    std::vector<std::string> path;
    bool agent_text = false;
  };
  enum class Use { kPrinted, kValue, kDefaulted };

  void Nodes(const std::vector<TemplateNode>& nodes);
  void Action(const TemplateExpression& expression);
  void Branches(const std::vector<TemplateBranch>& branches, const std::vector<TemplateNode>& otherwise, bool with);
  void Range(const RangeNode& range);
  void Body(const std::vector<TemplateNode>& nodes, std::optional<Held> dot);
  void Bind(const VariableBinding& target, const Value& value, bool elements);

  Value Evaluate(const TemplateExpression& expression, Use use);
  Value Call(const TemplateExpression& expression, const CallExpression& call, Use use);
  Value Reference(std::size_t offset, std::vector<std::string> path, Use use, bool order_known);
  Value Select(std::size_t offset, const Held& base, const std::vector<std::string>& path, Use use);
  Held* FindVariable(const std::string& name);

  ReferenceChecker& references_;
  // Of the text that is being checked.
  const TemplateText* text_ = nullptr;
  const ReferencePlace* place_ = nullptr;
  std::vector<Held> variables_;
  Held dot_;
};

}  // namespace awf
