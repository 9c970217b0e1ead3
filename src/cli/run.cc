// awf run WF, and what its --help says of the workflow.
#include <unistd.h>

#include <algorithm>

#include "application/validation/findings.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/dry_run.h"
#include "cli/input_help.h"
#include "cli/print_result.h"
#include "cli/run_session.h"
#include "domain/terminal_text.h"
#include "infrastructure/yaml/workflow_loader.h"

namespace awf::cli {

int RunCommand(const RunOptions& options) {
  return options.dry_run ? DryRun(options) : EndOf(ExecuteRun(options, nullptr));
}

int RunHelpCommand(const RunOptions& options) {
  std::error_code ignored;
  ValidationContext context;
  context.folders = Folders::From(ProcessEnvironment, std::filesystem::current_path(ignored));
  const auto path = FindWorkflow(options.workflow, context.folders);
  if (!path) return ReportErrors({path.error()}, options.global);
  const LoadedWorkflow loaded = LoadWorkflow(*path, context);
  if (!loaded.workflow) return ReportErrors(ErrorsOf(loaded.findings), options.global);
  const ConsoleOptions console = ConsoleOptions::Detect(options.global.no_color);
  const int columns = console.out_is_terminal && console.columns ? console.columns() : 0;
  const Workflow& workflow = *loaded.workflow;
  std::string text = "\nWorkflow " + PrintableLine(workflow.name) + " (" + PrintableLine(*path) + ")";
  if (!workflow.description.empty()) text += ": " + PrintableLine(workflow.description);
  text += "\n" + InputHelp(workflow, static_cast<std::size_t>(std::max(columns, 0)));
  return PrintResult(text, options.global);
}

}  // namespace awf::cli
