// awf validate FILE: all findings at once, as blocks on stderr or as JSON on stdout. Offline; starts nothing.
#include <algorithm>
#include <cstdio>

#include "application/findings.h"
#include "cli/commands.h"
#include "cli/finding_text.h"
#include "domain/error_catalogue.h"
#include "infrastructure/yaml/workflow_loader.h"

namespace awf::cli {
namespace {

constexpr int kStrictExit = 2;

int ExitCode(const std::vector<Finding>& findings, bool strict) {
  int exit_code = 0;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::kError) continue;
    const int code = ExitCodeOf(finding.error.code);
    exit_code = exit_code == 0 ? code : std::min(exit_code, code);
  }
  const bool warned =
      std::ranges::any_of(findings, [](const Finding& finding) { return finding.severity == Severity::kWarning; });
  return exit_code == 0 && strict && warned ? kStrictExit : exit_code;
}

void PrintJson(const LoadedWorkflow& loaded, const ValidateOptions& options, bool valid) {
  json::array errors, warnings;
  for (const Finding& finding : loaded.findings) {
    json::object entry = FindingJson(finding.error);
    if (options.global.no_hints) entry["hint"] = "";
    if (finding.severity == Severity::kError) {
      errors.push_back(std::move(entry));
    } else if (finding.severity == Severity::kWarning) {
      warnings.push_back(std::move(entry));
    }
  }
  const json::object report = {{"valid", valid},
                               {"workflow", JsonText(loaded.workflow ? loaded.workflow->name : "")},
                               {"file", JsonText(options.workflow)},
                               {"errors", std::move(errors)},
                               {"warnings", std::move(warnings)}};
  std::fputs((json::serialize(report) + "\n").c_str(), stdout);
}

void PrintText(const LoadedWorkflow& loaded, const ValidateOptions& options, bool valid) {
  bool first = true;
  for (const Finding& finding : loaded.findings) {
    if (finding.severity == Severity::kNote && !options.global.verbose) continue;
    const std::string block = ErrorBlock(finding.error, finding.severity, !options.global.no_hints);
    std::fputs(((first ? "" : "\n") + block).c_str(), stderr);
    first = false;
  }
  if (valid && !options.global.quiet) std::fputs((options.workflow + ": valid\n").c_str(), stdout);
}

}  // namespace

int ValidateCommand(const ValidateOptions& options) {
  const LoadedWorkflow loaded = LoadWorkflow(options.workflow);
  const int exit_code = ExitCode(loaded.findings, options.strict);
  if (options.global.format == OutputFormat::kJson) {
    PrintJson(loaded, options, exit_code == 0);
  } else {
    PrintText(loaded, options, exit_code == 0);
  }
  std::fflush(stdout);
  return exit_code;
}

}  // namespace awf::cli
