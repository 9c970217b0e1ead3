// awf resume [RUN]: takes up a run where it stood; -l lists those that can be.
#include <cstdio>

#include "cli/commands.h"
#include "cli/print_result.h"
#include "cli/resumed_run.h"
#include "cli/run_session.h"
#include "cli/stored_run_text.h"

namespace awf::cli {
namespace {

int ListResumable(const telemetry::RunStore& store, const GlobalOptions& global) {
  std::vector<telemetry::StoredRun> runs = store.List();
  std::erase_if(runs, [](const telemetry::StoredRun& run) { return !run.Resumable(); });
  if (runs.empty() && !global.quiet) std::fputs("no runs that can be resumed\n", stderr);
  return PrintResult(RunList(runs, global), global);
}

}  // namespace

int ResumeCommand(const ResumeOptions& options) {
  const GlobalOptions& global = options.run.global;
  const auto store = OpenRunStore(global);
  if (!store) return ReportErrors({store.error()}, global);
  if (options.list) return ListResumable(*store, global);
  const auto stored = options.run_id.empty() ? store->NewestResumable() : store->Find(options.run_id);
  if (!stored) return ReportErrors({stored.error()}, global);
  auto run = ResumedRun::Open(*stored);
  if (!run) return ReportErrors({run.error()}, global);
  return EndOf(ExecuteResume(options, std::move(*run)));
}

}  // namespace awf::cli
