#include "application/validation/findings.h"

#include <algorithm>
#include <tuple>

namespace awf {
namespace {

auto Order(const Finding& finding) {
  const Error& error = finding.error;
  return std::tie(error.position.file, error.position.line, error.position.column, finding.severity, error.code,
                  error.step, error.field, error.message);
}

}  // namespace

void SortFindings(std::vector<Finding>& findings) {
  std::ranges::sort(findings, {}, Order);
  const auto rest = std::ranges::unique(findings, {}, Order);
  findings.erase(rest.begin(), rest.end());
}

bool HasErrors(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& finding) { return finding.severity == Severity::kError; });
}

std::vector<Error> ErrorsOf(const std::vector<Finding>& findings) {
  std::vector<Error> errors;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::kError) errors.push_back(finding.error);
  }
  return errors;
}

}  // namespace awf
