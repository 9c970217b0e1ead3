// Runs the tree of a template against the values of a scope.
//
// One evaluator renders one template once; it borrows the scope and the tree. Work is bounded: every node, call and
// iteration is a step, as is every 256 bytes of text that a function takes or makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/language/scope.h"
#include "application/language/template_ast.h"
#include "application/language/template_fault.h"
#include "application/language/template_values.h"

namespace awf {

inline constexpr std::int64_t kMaxTemplateSteps = 10'000'000;

class TemplateEvaluator {
 public:
  explicit TemplateEvaluator(const Scope& scope, std::int64_t max_steps = kMaxTemplateSteps)
      : scope_(scope), max_steps_(max_steps) {}

  std::expected<std::string, TemplateFault> Render(const std::vector<TemplateNode>& nodes);
  std::expected<TemplateValue, TemplateFault> Evaluate(const TemplateExpression& expression);

 private:
  struct Failure {
    TemplateFault fault;
    bool missing = false;  // nothing is there; `default` provides for it
  };
  using Value = std::expected<TemplateValue, Failure>;
  enum class Flow { kOn, kBreak, kContinue };
  using Outcome = std::expected<Flow, TemplateFault>;
  // A way down from a value, for messages: shown as `prefix` + the names joined with dots.
  struct Way {
    std::size_t offset;
    std::string prefix;
    const std::vector<std::string>& path;
    std::size_t first;  // the first name that is yet to go
  };

  Value Of(const TemplateExpression& expression);
  Value Form(std::size_t offset, const LiteralExpression& literal);
  Value Form(std::size_t offset, const ReferenceExpression& reference);
  Value Form(std::size_t offset, const DotExpression& dot);
  Value Form(std::size_t offset, const VariableExpression& variable);
  Value Form(std::size_t offset, const SelectExpression& select);
  Value Form(std::size_t offset, const CallExpression& call);
  Value Logical(const CallExpression& call);
  Value Environment(std::size_t offset, const std::vector<std::string>& path);
  Value State(std::size_t offset, const std::vector<std::string>& path);
  Value Namespace(std::size_t offset, const std::vector<std::string>& path);
  TemplateValue Whole(const std::string& name, const json::object& object);
  static Value Walk(TemplateValue value, const Way& way);
  static Value WalkObject(const json::object& object, const TemplateValue& owner, const Way& way);
  static std::unexpected<Failure> NotFound(const Way& way, std::size_t at, const json::object& object);
  static std::unexpected<Failure> Missing(std::size_t offset, std::string message, std::string hint = {});
  static std::unexpected<Failure> Wrong(std::size_t offset, std::string message, std::string hint = {});

  Outcome List(const std::vector<TemplateNode>& nodes);
  Outcome Run(std::size_t offset, const TextNode& text);
  Outcome Run(std::size_t offset, const ActionNode& action);
  Outcome Run(std::size_t offset, const VariableNode& variable);
  Outcome Run(std::size_t offset, const IfNode& node);
  Outcome Run(std::size_t offset, const WithNode& node);
  Outcome Run(std::size_t offset, const RangeNode& node);
  Outcome Run(std::size_t, const BreakNode&) { return Flow::kBreak; }
  Outcome Run(std::size_t, const ContinueNode&) { return Flow::kContinue; }
  Outcome Choose(const std::vector<TemplateBranch>& branches, const std::vector<TemplateNode>& otherwise,
                 bool rebinds_dot);
  Outcome Iterate(const RangeNode& node, const TemplateValue& value);
  Outcome IterateObject(const RangeNode& node, const TemplateValue& value);
  Outcome IterateNumber(const RangeNode& node, std::int64_t count);
  Outcome Element(const RangeNode& node, const TemplateValue& index, const TemplateValue& element);
  Outcome Body(const std::vector<TemplateNode>& nodes, const TemplateValue& dot);

  void Bind(const VariableBinding& target, const TemplateValue& value);
  void Set(std::string_view name, const TemplateValue& value);
  TemplateValue* FindVariable(std::string_view name);
  std::expected<void, TemplateFault> Spend(std::size_t offset, std::int64_t steps);
  std::expected<void, TemplateFault> Append(std::size_t offset, std::string_view text);

  const Scope& scope_;
  const std::int64_t max_steps_;
  std::string output_;
  std::int64_t steps_ = 0;
  TemplateValue dot_;                                                  // inside range and with
  std::vector<std::pair<std::string_view, TemplateValue>> variables_;  // the innermost last
  std::map<std::string, TemplateValue, std::less<>> wholes_;           // namespaces used as values
};

}  // namespace awf
