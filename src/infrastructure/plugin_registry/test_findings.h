// For tests: findings and errors as lines.
#pragma once

#include <string>
#include <vector>

#include "domain/error.h"
#include "domain/workflow.h"

namespace awf::plugin_registry {

// "3:1 field: message (hint)".
inline std::string Told(const Error& error) {
  std::string line = std::to_string(error.position.line) + ":" + std::to_string(error.position.column) + " ";
  line += error.field + ": " + error.message;
  return error.hint.empty() ? line : line + " (" + error.hint + ")";
}

// The same with "warning " before what is one.
inline std::vector<std::string> Told(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings) {
    lines.push_back((finding.severity == Severity::kWarning ? "warning " : "") + Told(finding.error));
  }
  return lines;
}

}  // namespace awf::plugin_registry
