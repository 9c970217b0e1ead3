// RunRecords: all that a run leaves behind: its folder with run.json, log, audit, state, copies of files, and its
// spans.
//
// Made when nothing can stand in the way of the run any more, by the thread that runs it. Names and values are masked
// on their way to disk, but for state.json.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "application/records/run_recorder.h"
#include "application/running/run_result.h"
#include "cli/resumed_run.h"
#include "cli/run_loading.h"
#include "cli/run_setup.h"
#include "cli/span_sinks.h"
#include "domain/masker.h"
#include "infrastructure/otlp/otlp_json_file.h"
#include "infrastructure/telemetry/audit_file.h"
#include "infrastructure/telemetry/kept_files.h"
#include "infrastructure/telemetry/log_file.h"
#include "infrastructure/telemetry/run_folder.h"
#include "infrastructure/telemetry/state_file.h"
#include "infrastructure/telemetry/transcript_file.h"

namespace awf::cli {

struct RecordOptions {
  std::filesystem::path storage;
  std::string run_id;  // empty: drawn
  LogLevel log_level = LogLevel::kInfo;
  TraceTarget trace;
  otlp::TraceResource resource;
  std::string only_state;  // not empty: no journal, the run cannot be taken up again
  bool transcript = false;
};

struct SpanIds {
  TraceId trace;
  SpanId root;
};

class RunRecords {
 public:
  // Of a new run. `masker` outlives the records.
  static std::expected<std::unique_ptr<RunRecords>, Error> Create(const RecordOptions& options, const LoadedRun& run,
                                                                  const Masker& masker);
  // Of a run that is taken up again; `reloaded`: with another workflow file than the stored one.
  static std::expected<std::unique_ptr<RunRecords>, Error> Continue(const RecordOptions& options, const LoadedRun& run,
                                                                    ResumedRun& resumed, bool reloaded,
                                                                    const Masker& masker);

  // run.json says from here on that this process runs it.
  std::expected<void, Error> Begin(const LoadedRun& run, const SpanIds& ids);
  // run.json tells the end; state.json goes when nothing is left to resume.
  std::expected<void, Error> End(const RunResult& result, const RunCounts& counts);

  const telemetry::RunFolder& folder() const { return folder_; }
  const std::set<std::string>& secret_inputs() const { return manifest_.secret_inputs; }
  telemetry::LogFile& log() { return *log_; }
  telemetry::AuditFile& audit() { return *audit_; }
  const std::filesystem::path& trace() const { return trace_; }  // empty: no spans are written
  SpanSinks& spans() { return spans_; }                          // with the trace files in it
  RunJournal* journal() { return state_.get(); }
  TextFiles& files() { return *files_; }
  TranscriptSink* transcript() { return transcript_.get(); }  // null: none was asked for

 private:
  RunRecords(telemetry::RunFolder folder, const Masker& masker) : folder_(std::move(folder)), masker_(masker) {}
  std::expected<void, Error> Fill(const RecordOptions& options, const LoadedRun& run);  // a new folder
  std::expected<void, Error> OpenLogs(const RecordOptions& options);

  telemetry::RunFolder folder_;
  const Masker& masker_;
  telemetry::RunManifest manifest_;
  RunCounts counts_before_;                     // of former owners
  std::chrono::milliseconds worked_before_{0};  // of former owners
  std::unique_ptr<telemetry::LogFile> log_;
  std::unique_ptr<telemetry::AuditFile> audit_;
  std::unique_ptr<telemetry::StateFile> state_;
  std::unique_ptr<telemetry::KeptFiles> files_;
  std::unique_ptr<telemetry::TranscriptFile> transcript_;
  SpanSinks spans_;
  std::filesystem::path trace_;
};

}  // namespace awf::cli
