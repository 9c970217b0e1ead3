#include "application/language/template.h"

#include <utility>

#include "application/language/template_evaluator.h"
#include "application/language/template_parser.h"

namespace awf {

std::expected<Template, TemplateFault> Template::Parse(std::string_view text) {
  auto nodes = ParseTemplate(text);
  if (!nodes) return std::unexpected(std::move(nodes.error()));
  return Template(std::move(*nodes));
}

std::expected<std::string, TemplateFault> Template::Render(const Scope& scope) const {
  return TemplateEvaluator(scope).Render(nodes_);
}

std::expected<json::value, TemplateFault> Template::Evaluate(const Scope& scope) const {
  const ActionNode* action = nodes_.size() == 1 ? std::get_if<ActionNode>(&nodes_[0].form) : nullptr;
  if (action == nullptr) {
    auto text = Render(scope);
    if (!text) return std::unexpected(std::move(text.error()));
    return json::value(*text);
  }
  auto value = TemplateEvaluator(scope).Evaluate(action->expression);
  if (!value) return std::unexpected(std::move(value.error()));
  return json::value(**value);
}

}  // namespace awf
