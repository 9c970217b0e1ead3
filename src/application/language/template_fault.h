// What is wrong with a template, and at which byte of its text.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <utility>

namespace awf {

struct TemplateFault {
  std::string code;  // WORKFLOW.VALIDATION.TEMPLATE_SYNTAX or EXECUTION.TEMPLATE.UNDEFINED
  std::string message;
  std::string hint;
  std::size_t offset = 0;
};

inline std::unexpected<TemplateFault> BadSyntax(std::size_t offset, std::string message, std::string hint = {}) {
  return std::unexpected(
      TemplateFault{"WORKFLOW.VALIDATION.TEMPLATE_SYNTAX", std::move(message), std::move(hint), offset});
}

inline std::unexpected<TemplateFault> Undefined(std::size_t offset, std::string message, std::string hint = {}) {
  return std::unexpected(TemplateFault{"EXECUTION.TEMPLATE.UNDEFINED", std::move(message), std::move(hint), offset});
}

}  // namespace awf
