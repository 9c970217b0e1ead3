#include "cli/dry_run.h"

#include <cstdio>

#include "cli/agent_preview.h"
#include "cli/dry_run_text.h"
#include "cli/finding_text.h"
#include "cli/masking.h"
#include "cli/plugin_catalogue.h"
#include "cli/print_result.h"
#include "cli/run_loading.h"
#include "infrastructure/process/environment.h"
#include "infrastructure/telemetry/kept_files.h"

namespace awf::cli {
namespace {

// Never called: a plan runs nothing.
class Unused final : public CommandExecutor, public AgentExecutor {
 public:
  StepResult Run(const CommandRequest&, RunObserver&) override { return {}; }
  StepResult Run(const AgentRequest&, RunObserver&) override { return {}; }
};

std::expected<RunRequest, Error> RequestFor(const RunOptions& options, const LoadedRun& run) {
  RunRequest request;
  if (auto filled = FillRequest(options, run, request); !filled) return std::unexpected(filled.error());
  request.run_id = "<workflow.ID>";
  request.run_dir = "<awf.run_dir>";
  return request;
}

}  // namespace

int DryRun(const RunOptions& options) {
  const GlobalOptions& global = options.global;
  telemetry::PlainFiles files;
  const auto run = RunLoader(options, files).Load();
  if (!run) return ReportErrors(run.error().errors, global, run.error().exit_code);
  const auto request = RequestFor(options, *run);
  if (!request) return ReportErrors({request.error()}, global);
  auto masker = ConfiguredMasker(options.config);
  if (!masker) return ReportErrors(masker.error(), global);
  LearnSecrets(options, *run, *masker);
  for (const Finding& finding : run->findings) {
    if (finding.severity != Severity::kWarning || global.quiet) continue;
    std::fputs(masker->MaskText(ErrorBlock(finding.error, finding.severity, !global.no_hints)).c_str(), stderr);
  }
  std::error_code ignored;
  Unused executors;
  RunObserver observer;
  RunPorts ports{executors, executors, observer};
  ports.files = &files;
  ports.regexes = run->regexes.get();
  PluginCatalogue catalogue(*run->plugins, MayStart::kNone);
  OperationCatalogue* known = options.skip_plugins ? nullptr : &catalogue;
  const RunPlan plan = PlanRun(
      run->workflow, *request, ports,
      AgentPreviewer(process::CurrentEnvironment(), std::filesystem::read_symlink("/proc/self/exe", ignored), known),
      known);
  if (global.format == OutputFormat::kJson) return PrintResult(JsonLine(DryRunJson(plan, *run, *masker)), global);
  return PrintResult(DryRunText(plan, *run, *masker), global);
}

}  // namespace awf::cli
