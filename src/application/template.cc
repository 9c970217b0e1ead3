#include "application/template.h"

#include <utility>

#include "application/template_functions.h"
#include "application/template_parser.h"

namespace awf {
namespace {

using Value = std::expected<json::value, TemplateFault>;

std::string Dotted(const std::vector<std::string>& path, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ".") + path[i];
  return text;
}

class Evaluator {
 public:
  explicit Evaluator(const json::object& scope) : scope_(scope) {}

  Value Evaluate(const TemplateExpression& expression) const {
    return std::visit([&](const auto& form) { return Form(expression.offset, form); }, expression.form);
  }

 private:
  Value Form(std::size_t, const LiteralExpression& literal) const { return literal.value; }

  Value Form(std::size_t offset, const ReferenceExpression& reference) const {
    const auto root = scope_.find(reference.path[0]);
    if (root == scope_.end()) return Undefined(offset, "'" + reference.path[0] + "' is not there");
    return Walk(offset, root->value(), reference.path, 1);
  }

  Value Form(std::size_t offset, const SelectExpression& select) const {
    Value base = Evaluate(select.base[0]);
    if (!base) return base;
    return Walk(offset, *base, select.path, 0);
  }

  Value Form(std::size_t offset, const CallExpression& call) const {
    const TemplateFunction* function = FindTemplateFunction(call.function);
    if (function == nullptr) return Undefined(offset, "there is no function '" + call.function + "'");
    std::vector<json::value> arguments;
    for (const TemplateExpression& argument : call.arguments) {
      Value value = Evaluate(argument);
      const bool may_be_missing =
          call.function == "default" && &argument == &call.arguments.back() && !IsCall(argument);
      if (!value && !may_be_missing) return value;
      arguments.push_back(value ? std::move(*value) : json::value());
    }
    std::expected<json::value, std::string> result = function->call(arguments);
    if (!result) return Undefined(offset, "'" + call.function + "' " + result.error());
    return std::move(*result);
  }

  static bool IsCall(const TemplateExpression& expression) {
    return std::holds_alternative<CallExpression>(expression.form);
  }

  static Value Walk(std::size_t offset, const json::value& from, const std::vector<std::string>& path,
                    std::size_t first) {
    const json::value* value = &from;
    for (std::size_t i = first; i < path.size(); ++i) {
      const json::object* object = value->if_object();
      const auto found = object == nullptr ? nullptr : object->if_contains(path[i]);
      if (found == nullptr) return Missing(offset, path, i);
      value = found;
    }
    return *value;
  }

  static Value Missing(std::size_t offset, const std::vector<std::string>& path, std::size_t at) {
    if (path[0] == "states" && at == 1) {
      return Undefined(offset, "state '" + path[1] + "' has not run", "give a value for that case with default");
    }
    const std::string whole = Dotted(path, path.size());
    if (at + 1 == path.size()) return Undefined(offset, "'" + whole + "' has no value");
    return Undefined(offset, "'" + whole + "' has no value: there is no '" + Dotted(path, at + 1) + "'");
  }

  const json::object& scope_;
};

}  // namespace

std::expected<Template, TemplateFault> Template::Parse(std::string_view text) {
  auto nodes = ParseTemplate(text);
  if (!nodes) return std::unexpected(std::move(nodes.error()));
  return Template(std::move(*nodes));
}

std::expected<std::string, TemplateFault> Template::Render(const json::object& scope) const {
  const Evaluator evaluator(scope);
  std::string output;
  for (const TemplateNode& node : nodes_) {
    std::size_t offset = 0;
    if (const auto* text = std::get_if<TextNode>(&node)) {
      output += text->text;
    } else {
      const TemplateExpression& expression = std::get<ActionNode>(node).expression;
      offset = expression.offset;
      Value value = evaluator.Evaluate(expression);
      if (!value) return std::unexpected(std::move(value.error()));
      output += TextOf(*value);
    }
    if (output.size() > kMaxTemplateOutput) return Undefined(offset, "the text becomes longer than 64 MiB");
  }
  return output;
}

}  // namespace awf
