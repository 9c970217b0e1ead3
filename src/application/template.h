// A template, parsed once and rendered against the values of a run.
//
// The Go text/template subset of the workflow language: references into `inputs` and `states`, literals, comments,
// trim markers, pipelines, parentheses, functions. Constant after Parse, so thread-safe. Faults carry the offset of the
// offending text; TemplateText::At makes a position of it. Output is limited to 64 MiB.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "application/template_ast.h"
#include "application/template_fault.h"
#include "domain/json.h"

namespace awf {

class Template {
 public:
  static std::expected<Template, TemplateFault> Parse(std::string_view text);

  // `scope` is the root that references start from: {"inputs": {…}, "states": {…}}. A value that is not there is
  // EXECUTION.TEMPLATE.UNDEFINED, unless `default` takes it.
  std::expected<std::string, TemplateFault> Render(const json::object& scope) const;

  const std::vector<TemplateNode>& nodes() const { return nodes_; }

 private:
  explicit Template(std::vector<TemplateNode> nodes) : nodes_(std::move(nodes)) {}
  std::vector<TemplateNode> nodes_;
};

inline bool HasTemplate(std::string_view text) { return text.find("{{") != std::string_view::npos; }

}  // namespace awf
