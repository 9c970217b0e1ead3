// The two kinds of faults of expressions: found by the parser, met when evaluating.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <utility>

#include "application/language/template_fault.h"

namespace awf {

inline std::unexpected<TemplateFault> BadExpression(std::size_t offset, std::string message, std::string hint = {}) {
  return std::unexpected(
      TemplateFault{"WORKFLOW.VALIDATION.EXPRESSION_SYNTAX", std::move(message), std::move(hint), offset});
}

inline std::unexpected<TemplateFault> ExpressionFailed(std::size_t offset, std::string message, std::string hint = {}) {
  return std::unexpected(TemplateFault{"EXECUTION.EXPRESSION.FAILED", std::move(message), std::move(hint), offset});
}

}  // namespace awf
