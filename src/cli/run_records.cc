#include "cli/run_records.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

namespace awf::cli {
namespace {

RunCounts Sum(RunCounts a, const RunCounts& b) {
  a.steps += b.steps;
  a.tool_calls += b.tool_calls;
  a.tool_errors += b.tool_errors;
  a.denials += b.denials;
  a.bypasses += b.bypasses;
  a.tokens_input += b.tokens_input;
  a.tokens_output += b.tokens_output;
  a.tokens_estimated = a.tokens_estimated || b.tokens_estimated;
  if (b.cost_usd) a.cost_usd = a.cost_usd.value_or(0) + *b.cost_usd;
  return a;
}

// Whether `file` is what the run keeps its other records in, under whatever name.
bool IsRecordOfRun(const std::filesystem::path& folder, const std::filesystem::path& file) {
  static constexpr std::array kRecords = {"run.json",    "workflow.yaml", "state.json",
                                          "audit.jsonl", "log.jsonl",     "transcript.jsonl"};
  std::error_code ignored;
  const std::filesystem::path target = std::filesystem::weakly_canonical(file, ignored);
  const bool inside = std::filesystem::equivalent(target.parent_path(), folder, ignored);
  return std::ranges::any_of(kRecords, [&](const char* name) {
    return (inside && target.filename() == name) || std::filesystem::equivalent(file, folder / name, ignored);
  });
}

}  // namespace

std::expected<std::unique_ptr<RunRecords>, Error> RunRecords::Create(const RecordOptions& options, const LoadedRun& run,
                                                                     const Masker& masker) {
  auto folder = telemetry::RunFolder::Create(options.storage, options.run_id);
  if (!folder) return std::unexpected(folder.error());
  std::unique_ptr<RunRecords> records(new RunRecords(std::move(*folder), masker));
  if (auto filled = records->Fill(options, run); !filled) {
    std::error_code ignored;
    std::filesystem::remove_all(records->folder_.path(), ignored);  // nothing has run; its id is free again
    return std::unexpected(filled.error());
  }
  return records;
}

std::expected<void, Error> RunRecords::Fill(const RecordOptions& options, const LoadedRun& run) {
  manifest_.started = WallClock::now();
  manifest_.working_dir = run.working_dir.string();
  manifest_.sha256 = run.workflow.sha256;
  manifest_.only_state = options.only_state;
  if (auto written = folder_.WriteWorkflow(run.source); !written) return written;
  if (options.only_state.empty()) {
    auto state = telemetry::StateFile::Create(folder_.State());
    if (!state) return std::unexpected(state.error());
    state_ = std::move(*state);
  }
  auto audit = telemetry::AuditFile::Create(folder_.Audit(), folder_.run_id(), masker_);
  if (!audit) return std::unexpected(audit.error());
  audit_ = std::move(*audit);
  files_ = std::make_unique<telemetry::KeptFiles>(folder_.Files(), false);
  return OpenLogs(options);
}

std::expected<std::unique_ptr<RunRecords>, Error> RunRecords::Continue(const RecordOptions& options,
                                                                       const LoadedRun& run, ResumedRun& resumed,
                                                                       bool reloaded, const Masker& masker) {
  auto state = resumed.OpenState();
  if (!state) return std::unexpected(state.error());
  std::unique_ptr<RunRecords> records(new RunRecords(std::move(resumed.folder()), masker));
  records->state_ = std::move(*state);
  telemetry::RunManifest& manifest = records->manifest_;
  manifest = resumed.manifest();
  records->counts_before_ = manifest.counts;
  records->worked_before_ = manifest.Worked().value_or(std::chrono::milliseconds(0));
  ++manifest.resumes;
  manifest.status = "running";
  manifest.ended.reset();
  manifest.error.reset();
  if (reloaded) {
    // What the run goes on with is what it would be resumed with the next time.
    manifest.resumed_sha256.push_back(run.workflow.sha256);
    if (auto written = records->folder_.WriteWorkflow(run.source); !written) return std::unexpected(written.error());
  }
  auto audit = telemetry::AuditFile::Continue(records->folder_.Audit(), records->folder_.run_id(), masker);
  if (!audit) return std::unexpected(audit.error());
  records->audit_ = std::move(*audit);
  records->files_ = std::make_unique<telemetry::KeptFiles>(records->folder_.Files(), !reloaded);
  if (auto opened = records->OpenLogs(options); !opened) return std::unexpected(opened.error());
  return records;
}

std::expected<void, Error> RunRecords::OpenLogs(const RecordOptions& options) {
  auto log = telemetry::LogFile::Open(folder_.Log(), options.log_level, masker_);
  if (!log) return std::unexpected(log.error());
  log_ = std::move(*log);
  if (options.transcript) {
    auto transcript = std::make_unique<telemetry::TranscriptFile>(folder_.Transcript(), folder_.run_id(), masker_);
    if (transcript->fault()) return std::unexpected(*transcript->fault());
    transcript_ = std::move(transcript);
  }
  trace_ = options.trace.in_run_folder ? folder_.Trace() : options.trace.file;
  for (const std::filesystem::path& path :
       {options.trace.in_run_folder ? folder_.Trace() : std::filesystem::path(), options.trace.file}) {
    if (path.empty()) continue;
    if (IsRecordOfRun(folder_.path(), path))
      return Fail("USER.INPUT.INVALID_FORMAT", "the trace file is a record of the run itself: " + path.string(),
                  "Give another path; --trace-file writes trace.json in the run folder.");
    auto file = otlp::OtlpJsonFile::Open(path, options.resource, masker_);
    if (!file) return std::unexpected(file.error());
    spans_.Add(std::move(*file));
  }
  return {};
}

std::expected<void, Error> RunRecords::Begin(const LoadedRun& run, const SpanIds& ids) {
  manifest_.workflow = run.workflow.name;
  manifest_.version = run.workflow.version;
  manifest_.file = run.workflow.file;
  manifest_.awf_version = AWF_VERSION;
  manifest_.trace_id = ids.trace;
  manifest_.root_span_id = ids.root;
  manifest_.secret_inputs = SecretInputs(run.workflow, masker_.names());
  manifest_.inputs.clear();
  for (const auto& [name, value] : run.inputs)
    manifest_.inputs[name] = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
  return folder_.WriteManifest(manifest_, masker_);
}

std::expected<void, Error> RunRecords::End(const RunResult& result, const RunCounts& counts) {
  manifest_.status = result.end.status;
  manifest_.ended = WallClock::now();
  manifest_.duration = worked_before_ + result.end.duration;
  manifest_.exit_code = result.end.exit_code;
  manifest_.error = result.end.error;
  manifest_.counts = Sum(counts_before_, counts);
  manifest_.audit = audit_->Head();
  auto written = folder_.WriteManifest(manifest_, masker_);
  // Only when run.json says so: a run that seems to be running is resumed by its state.
  if (written && state_ && result.end.status == "completed") state_->Remove();
  return written;
}

}  // namespace awf::cli
