// A template, parsed once and rendered against the values of a run.
//
// The Go text/template subset of the workflow language. Constant after Parse, so thread-safe. Faults carry the offset
// of the offending text; TemplateText::At makes a position of it. Output is limited to 64 MiB, work to 10 million steps
// (template_evaluator.h).
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/scope.h"
#include "application/language/template_ast.h"
#include "application/language/template_fault.h"
#include "domain/json.h"

namespace awf {

class Template {
 public:
  static std::expected<Template, TemplateFault> Parse(std::string_view text);

  // A value that is not there is EXECUTION.TEMPLATE.UNDEFINED, unless `default` takes it.
  std::expected<std::string, TemplateFault> Render(const Scope& scope) const;
  // The value of a template that is one single action, keeping its type; else the rendered text as a string.
  std::expected<json::value, TemplateFault> Evaluate(const Scope& scope) const;

  const std::vector<TemplateNode>& nodes() const { return nodes_; }

 private:
  explicit Template(std::vector<TemplateNode> nodes) : nodes_(std::move(nodes)) {}
  std::vector<TemplateNode> nodes_;
};

inline bool HasTemplate(std::string_view text) { return text.find("{{") != std::string_view::npos; }

}  // namespace awf
