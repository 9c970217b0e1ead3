// awf status RUN: what is known of a run, and of its states.
#include <algorithm>

#include "cli/audited_states.h"
#include "cli/commands.h"
#include "cli/finding_text.h"
#include "cli/print_result.h"
#include "cli/stored_run_text.h"
#include "domain/terminal_text.h"
#include "infrastructure/telemetry/audit_tail.h"

namespace awf::cli {
namespace {

using telemetry::StoredRun;

constexpr std::size_t kLabelWidth = 10;

void AddFact(std::string& text, std::string_view label, std::string_view value) {
  if (value.empty()) return;
  text += std::string(label) + std::string(kLabelWidth - label.size(), ' ') + PrintableLine(value) + "\n";
}

std::string Counted(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// run.json counts when the run ends.
std::string CountsText(const RunCounts& counts) {
  std::string text =
      Counted(counts.steps, "state", "states") + ", " + Counted(counts.tool_calls, "tool call", "tool calls");
  if (counts.tool_errors > 0) text += ", " + Counted(counts.tool_errors, "tool error", "tool errors");
  if (counts.denials > 0) text += ", " + Counted(counts.denials, "denial", "denials");
  if (counts.bypasses > 0) text += ", " + Counted(counts.bypasses, "bypass", "bypasses");
  if (counts.tokens_input + counts.tokens_output > 0) {
    text += ", " + FormatCount(counts.tokens_input) + " tokens in, " + FormatCount(counts.tokens_output) + " out";
    if (counts.tokens_estimated) text += " (estimated)";
  }
  return text;
}

std::string ErrorText(const Error& error) {
  return error.code + (error.step.empty() ? "" : " in " + error.step) + ": " + error.message;
}

std::string WorkflowText(const telemetry::RunManifest& manifest) {
  std::string text = manifest.workflow;
  if (!manifest.version.empty()) text += " " + manifest.version;
  return text + " (" + manifest.file + ")";
}

std::string StatusText(const StoredRun& run) {
  if (run.manifest.ended && run.status != telemetry::kInterrupted)
    return run.status + ", exit code " + std::to_string(run.manifest.exit_code);
  if (run.owner_pid != 0) return run.status + ", process " + std::to_string(run.owner_pid);
  return run.status;
}

std::string FactsText(const StoredRun& run, const AuditHead& head) {
  const telemetry::RunManifest& manifest = run.manifest;
  std::string text;
  AddFact(text, "run", run.run_id);
  if (run.status == telemetry::kDamaged) {
    AddFact(text, "status", run.status + ": " + run.fault);
    AddFact(text, "folder", run.folder.string());
    return text;
  }
  AddFact(text, "workflow", WorkflowText(manifest));
  AddFact(text, "status", StatusText(run));
  AddFact(text, "started", LocalDateTime(manifest.started));
  if (manifest.ended) AddFact(text, "ended", LocalDateTime(*manifest.ended));
  AddFact(text, "duration", DurationOf(run, WallClock::now()));
  if (manifest.resumes > 0) AddFact(text, "resumed", Counted(manifest.resumes, "time", "times"));
  if (manifest.error) AddFact(text, "error", ErrorText(*manifest.error));
  if (manifest.ended) AddFact(text, "counts", CountsText(manifest.counts));
  AddFact(text, "folder", run.folder.string());
  if (head.seq >= 0) AddFact(text, "audit", std::to_string(head.seq) + " " + head.hash);
  return text;
}

json::object StateJson(const AuditedState& state) {
  json::object out{{"name", JsonText(state.name)},         {"type", JsonText(state.type)},
                   {"status", JsonText(state.status)},     {"runs", state.runs},
                   {"attempts", state.attempts},           {"exit_code", state.exit_code},
                   {"duration_ms", state.duration.count()}};
  if (!state.code.empty()) out["error"] = {{"code", JsonText(state.code)}, {"message", JsonText(state.error)}};
  return out;
}

json::object StatusJson(const StoredRun& run, const AuditHead& head, const std::vector<AuditedState>& states) {
  json::object out = RunJson(run);
  const telemetry::RunManifest& manifest = run.manifest;
  if (run.status != telemetry::kDamaged) {
    out["file"] = JsonText(manifest.file);
    out["working_dir"] = JsonText(manifest.working_dir);
    json::object inputs;
    for (const auto& [name, value] : manifest.inputs) inputs[name] = JsonText(value);
    out["inputs"] = std::move(inputs);
    out["resumes"] = manifest.resumes;
    if (run.owner_pid != 0) out["pid"] = run.owner_pid;
    if (manifest.ended) out["counts"] = telemetry::CountsJson(manifest.counts);
    out["audit"] = {{"seq", head.seq}, {"hash", JsonText(head.hash)}};
  }
  json::array list;
  for (const AuditedState& state : states) list.push_back(StateJson(state));
  out["states"] = std::move(list);
  return out;
}

// That of a run that has ended is in run.json; the file itself tells it of others.
AuditHead HeadOf(const StoredRun& run) {
  if (run.manifest.ended && run.status != "running" && run.status != telemetry::kInterrupted) return run.manifest.audit;
  const auto tail = telemetry::ReadAuditTail(run.folder / "audit.jsonl");
  return tail ? tail->head : AuditHead{};
}

}  // namespace

int StatusCommand(const StatusOptions& options) {
  const GlobalOptions& global = options.global;
  const auto store = OpenRunStore(global);
  if (!store) return ReportErrors({store.error()}, global);
  const auto run = store->Find(options.run_id);
  if (!run) return ReportErrors({run.error()}, global);
  if (global.quiet || global.format == OutputFormat::kQuiet) return PrintResult(run->status + "\n", global);
  const auto states = ReadAuditedStates(run->folder / "audit.jsonl", run->status == "running");
  if (!states) return ReportErrors({states.error()}, global);
  const AuditHead head = HeadOf(*run);
  if (global.format == OutputFormat::kJson)
    return PrintResult(json::serialize(StatusJson(*run, head, *states)) + "\n", global);
  const std::string table = states->empty() ? std::string() : StateTable(*states, StyleOfStdout(global));
  if (global.format == OutputFormat::kTable) return PrintResult(table, global);
  std::string text = FactsText(*run, head);
  if (!table.empty()) text += "\n" + table;
  if (run->Resumable() && !global.no_hints)
    text += "\nawf resume " + PrintableLine(run->run_id) + " takes it up again\n";
  return PrintResult(text, global);
}

}  // namespace awf::cli
