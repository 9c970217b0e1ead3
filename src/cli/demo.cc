// awf demo: a sample project with a failing test, a scripted model on loopback (or the real Claude Code), and the
// workflow examples/workflows/fix-failing-test.yaml that brings the two together. No key, no network.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/demo_project.h"
#include "cli/demo_script.h"
#include "cli/run_session.h"
#include "cli/run_signals.h"
#include "infrastructure/model_server/model_server.h"
#include "infrastructure/process/blocked_signals.h"

namespace awf::cli {
namespace {

using model_server::ChatCompletionsModel;
using model_server::ModelServer;

// Serves the script and points the openai_compatible provider at it.
std::expected<std::unique_ptr<ModelServer>, Error> StartModel() {
  const process::AllSignalsBlocked blocked;
  auto server = ModelServer::Start(std::make_unique<ChatCompletionsModel>(DemoScript()));
  if (!server) return server;
  ::setenv("OPENAI_BASE_URL", (*server)->base_url().c_str(), 1);
  ::setenv("OPENAI_MODEL", "scripted-demo", 1);
  ::setenv("OPENAI_API_KEY", "no-key-is-needed", 1);
  return server;
}

RunOptions OptionsFor(const DemoOptions& demo, const DemoProject& project) {
  RunOptions run;
  run.global = demo.global;
  run.workflow = project.workflow().string();
  run.inputs = {{"provider", demo.provider}, {"project", project.project().string()}};
  run.trace_file = true;
  return run;
}

void Introduce(Console& console, const DemoOptions& demo, const DemoProject& project) {
  const bool scripted = demo.provider != "claude";
  console.Line(
      "A small bakery program has a test that fails. The agent shall repair it.\n"
      "  project   " +
      project.project().string() + "\n" + "  workflow  " + project.workflow().string() + "\n" + "  model     " +
      (scripted ? "scripted, inside awf (no key, no network)" : "your Claude Code login") + "\n");
}

void Conclude(Console& console, const RunSummary& summary, const std::filesystem::path& kept) {
  const LineStyle style{console.options().color, console.Columns()};
  console.Line("\nEvery tool call that the agent made:\n" + CallTable(summary, style));
  console.Line("\nThe same as a trace:\n" + SpanTree(summary, style));
  console.Line("\nRecords of this run, in " + summary.folder.string() + ":\n" +
               "  log.jsonl    what happened, one JSON object a line\n"
               "  audit.jsonl  the same as a chain of hashes (head " +
               summary.audit.hash.substr(0, 12) +
               "…)\n"
               "  trace.json   the spans, OTLP JSON");
  if (!kept.empty()) console.Line("\nThe project is kept in " + kept.string());
}

}  // namespace

int DemoCommand(const DemoOptions& options) {
  std::optional<SignalsHeld> held(std::in_place);  // while there is a project to take away
  auto project = DemoProject::Make();
  if (!project) return ReportErrors({project.error()}, options.global);
  if (options.keep) project->Keep();

  std::unique_ptr<ModelServer> model;
  if (options.provider != "claude") {
    auto started = StartModel();
    if (!started) return ReportErrors({started.error()}, options.global);
    model = std::move(*started);
  }

  const bool show = !options.global.quiet && options.global.format == OutputFormat::kText;
  Console console(ConsoleOptions::Detect(options.global.no_color));
  if (show) Introduce(console, options, *project);
  RunSummary summary;
  const RunOutcome outcome = ExecuteRun(OptionsFor(options, *project), &summary);
  model.reset();
  const std::filesystem::path kept = options.keep ? project->folder() : std::filesystem::path();
  {
    const DemoProject done = std::move(*project);
  }
  held.reset();
  if (show && !summary.folder.empty()) Conclude(console, summary, kept);
  return EndOf(outcome);
}

}  // namespace awf::cli
