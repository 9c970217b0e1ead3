#include "cli/run_session.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <utility>

#include "application/records/run_recorder.h"
#include "application/records/transcript_recorder.h"
#include "application/running/workflow_runner.h"
#include "cli/configuration.h"
#include "cli/finding_text.h"
#include "cli/masking.h"
#include "cli/print_result.h"
#include "cli/progress_view.h"
#include "cli/run_collection.h"
#include "cli/run_display.h"
#include "cli/run_executors.h"
#include "cli/run_loading.h"
#include "cli/run_records.h"
#include "cli/run_setup.h"
#include "cli/run_signals.h"
#include "cli/run_tracing.h"
#include "cli/stored_run_text.h"
#include "domain/error_catalogue.h"
#include "infrastructure/process/descriptor_limit.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/process/private_folder.h"
#include "infrastructure/telemetry/console_log.h"
#include "infrastructure/telemetry/run_store.h"

namespace awf::cli {
namespace {

// How long a reader of the output may stop reading once the run was interrupted.
constexpr std::chrono::milliseconds kPatience{2000};

class RunSession {
 public:
  RunSession(const RunOptions& options, SummaryScope scope)
      : options_(options), scope_(scope), console_(ConsoleOptions::Detect(options.global.no_color)) {}

  // Nothing has run when these fail.
  std::expected<void, LoadFailure> Prepare();
  std::expected<void, LoadFailure> PrepareResume(const ResumeOptions& resume, ResumedRun& run);
  RunOutcome Run();
  RunSummary Summary() const;

 private:
  std::expected<void, LoadFailure> Settle();
  std::expected<void, LoadFailure> Take(std::expected<LoadedRun, LoadFailure> loaded);
  std::expected<void, Error> FindPlaces();
  void Learn();
  void ShowFindings();
  void Tell(const Error& error, Severity severity, bool hints);
  void TellMissing(Error error, std::string_view what);
  otlp::TraceResource Resource() const;
  RecordOptions Recording() const;
  std::expected<void, Error> Begin(std::expected<std::unique_ptr<RunRecords>, Error> records);
  RunResult RunWorkflow(RunRecorder& recorder, ProgressView& view);
  void AuditFailed(RunRecorder& recorder, const Error& error);
  void Conclude(RunResult& result, const RunRecorder& recorder);
  void Show(const RunResult& result);
  void CollectStart();
  void CollectEnd(const RunResult& result, const RunOutcome& outcome);

  const RunOptions& options_;
  const SummaryScope scope_;
  Console console_;
  Masker masker_;
  RunTracing tracing_;
  std::filesystem::path storage_, program_;  // program_: awf
  LoadedRun loaded_;
  RunRequest request_;
  std::optional<SignalsHeld> held_;  // from the first trace of the run on
  std::optional<process::PrivateFolder> private_folder_;
  RunCollection collection_;
  std::unique_ptr<RunRecords> records_;
  std::optional<SummaryCollector> collector_;
  std::stop_source stop_;
};

std::expected<void, LoadFailure> RunSession::Prepare() {
  telemetry::PlainFiles files;
  if (auto settled = Settle(); !settled) return std::unexpected(settled.error());
  if (auto taken = Take(RunLoader(options_, files).Load()); !taken) return taken;
  if (auto found = FindPlaces(); !found) return std::unexpected(found.error());
  Learn();
  return Begin(RunRecords::Create(Recording(), loaded_, masker_));
}

std::expected<void, LoadFailure> RunSession::PrepareResume(const ResumeOptions& resume, ResumedRun& run) {
  telemetry::KeptFiles files(run.folder().Files(), !resume.reload);
  if (auto settled = Settle(); !settled) return std::unexpected(settled.error());
  if (auto taken = Take(RunLoader(options_, files).Load(run, resume.reload)); !taken) return taken;
  auto state = awf::PrepareResume(run.state(), loaded_.workflow, resume.from);
  if (!state) return std::unexpected(state.error());
  request_.resume = std::move(*state);
  request_.resumed_trace_id = run.manifest().trace_id;
  request_.resumed_span_id = run.manifest().root_span_id;
  if (auto found = FindPlaces(); !found) return std::unexpected(found.error());
  Learn();
  return Begin(RunRecords::Continue(Recording(), loaded_, run, resume.reload, masker_));
}

std::expected<void, LoadFailure> RunSession::Take(std::expected<LoadedRun, LoadFailure> loaded) {
  if (!loaded) return std::unexpected(loaded.error());
  loaded_ = std::move(*loaded);
  if (auto filled = FillRequest(options_, loaded_, request_); !filled) return std::unexpected(filled.error());
  return {};
}

// What is wrong with the options themselves.
std::expected<void, LoadFailure> RunSession::Settle() {
  auto masker = ConfiguredMasker(options_.config);
  if (!masker) return std::unexpected(LoadFailure(std::move(masker.error())));
  masker_ = std::move(*masker);
  std::error_code cause;
  program_ = std::filesystem::read_symlink("/proc/self/exe", cause);
  if (cause) return Fail("SYSTEM.IO.READ_FAILED", "cannot read /proc/self/exe: " + cause.message());
  if (auto prepared = tracing_.Prepare(options_, request_); !prepared) return std::unexpected(prepared.error());
  if (options_.only_state.empty() && !options_.mocks.empty()) {
    return Fail("USER.INPUT.INVALID_FORMAT", "--mock stands for results that a single state needs",
                "Add --step STATE.");
  }
  return {};
}

std::expected<void, Error> RunSession::FindPlaces() {
  held_.emplace();
  auto storage = StorageFolder(options_.global.storage, NonEmptyVariable);
  if (!storage) return std::unexpected(storage.error());
  storage_ = std::move(*storage);
  auto private_folder = process::PrivateFolder::Open();
  if (!private_folder) return std::unexpected(private_folder.error());
  private_folder_ = std::move(*private_folder);
  private_folder_->SweepLeftovers();
  auto collection = RunCollection::Open(ChooseCollection(options_.config, NonEmptyVariable), masker_);
  if (!collection) return std::unexpected(collection.error());
  collection_ = std::move(*collection);
  telemetry::RunStore(storage_).RemoveLeftStates();
  return {};
}

void RunSession::Learn() {
  LearnSecrets(options_, loaded_, masker_);
  for (const std::string& secret : ExportSecrets(options_, masker_.names(), NonEmptyVariable))
    masker_.AddSecret(secret);
  collector_.emplace(masker_, scope_);
  if (!options_.global.quiet) ShowFindings();
}

// On stderr, which has nothing but JSON lines where the log does.
void RunSession::Tell(const Error& error, Severity severity, bool hints) {
  const std::string_view word = severity == Severity::kError     ? "error"
                                : severity == Severity::kWarning ? "warning"
                                                                 : "note";
  const std::string text = options_.global.json_log
                               ? JsonLine(json::object{{"severity", word}, {"error", ErrorJson(error, hints)}})
                               : ErrorBlock(error, severity, hints);
  console_.Line(masker_.MaskText(text));
}

// A line of the collected log that is missing there.
void RunSession::TellMissing(Error error, std::string_view what) {
  error.message.append("; the ").append(what).append(" is missing there");
  Tell(error, Severity::kWarning, false);
}

void RunSession::ShowFindings() {
  for (const Finding& finding : loaded_.findings) {
    if (finding.severity == Severity::kNote && !options_.global.verbose) continue;
    Tell(finding.error, finding.severity, !options_.global.no_hints);
  }
  if (!options_.skip_plugins) return;
  console_.Line(options_.global.json_log ? JsonLine(json::object{{"severity", "warning"}, {"message", kPluginsSkipped}})
                                         : "Warning: " + std::string(kPluginsSkipped));
}

otlp::TraceResource RunSession::Resource() const {
  return {ServiceName(options_, NonEmptyVariable), AWF_VERSION, request_.hostname, ::getpid(),
          NonEmptyVariable("OTEL_RESOURCE_ATTRIBUTES").value_or("")};
}

RecordOptions RunSession::Recording() const {
  return {storage_,
          options_.run_id,
          options_.global.log_level,
          tracing_.target(),
          Resource(),
          options_.only_state,
          ChooseTranscript(options_).has_value()};
}

std::expected<void, Error> RunSession::Begin(std::expected<std::unique_ptr<RunRecords>, Error> records) {
  if (!records) return std::unexpected(records.error());
  records_ = std::move(*records);
  request_.run_id = records_->folder().run_id();
  request_.run_dir = records_->folder().path();
  request_.tracing.content =
      options_.config.telemetry.content.value_or(false) || ChooseTranscript(options_) == TranscriptContent::kFull;
  request_.tracing.propagate_http = options_.config.telemetry.propagate_http.value_or(false);
  request_.cancelled = stop_.get_token();
  return records_->Begin(loaded_, {request_.trace_id, request_.span_id});
}

RunOutcome RunSession::Run() {
  process::BecomeSubreaper();
  const process::RaisedDescriptorLimit descriptors;
  const auto print = [this](std::string_view lines) { console_.Line(lines); };
  telemetry::ConsoleLog console_log(ConsoleLoggingOf(options_.global), masker_, print);
  RunTracing::Told told;
  SpanSinks& spans = records_->spans();
  tracing_.Start(request_, Resource(), masker_, print, [&told](auto&&... record) { told(record...); }, spans);
  const TelemetryConfig& telemetry = options_.config.telemetry;
  RunRecorder recorder({request_.user,
                        request_.hostname,
                        AWF_VERSION,
                        records_->secret_inputs(),
                        {telemetry.span_names == "semconv", telemetry.attributes == "openinference"}},
                       {{&records_->log(), &console_log},
                        &records_->audit(),
                        spans.empty() ? nullptr : &spans,
                        telemetry.content.value_or(false) ? &masker_ : nullptr},
                       [&](const Error& error) { AuditFailed(recorder, error); });
  // No span, and so nothing to tell of one, comes before the recorder is there.
  told = [&recorder](LogLevel level, std::string_view message, const json::object& fields) {
    recorder.Logged(nullptr, level, message, fields);
  };
  ProgressView view(ProgressOf(options_, loaded_.workflow), console_, masker_);
  const RunSignals signals({[this](int) {
                              console_.LimitWaiting(kPatience);
                              stop_.request_stop();
                            },
                            [this, &spans] {
                              console_.LimitWaiting(std::chrono::milliseconds(0));
                              spans.Abandon();
                              KillDescendants();
                            },
                            [&view] { view.Pause(); }, [&view] { view.Resume(); }});
  if (const std::string settings = ProjectSettings(options_.config, options_.global); !settings.empty())
    recorder.Logged(nullptr, LogLevel::kWarn, settings, {});
  CollectStart();
  RunResult result = RunWorkflow(recorder, view);
  view.Pause();
  Conclude(result, recorder);
  Show(result);
  int exit_code = result.end.exit_code;
  if (const int lost = console_.OutFailure()) exit_code = ReportLostOutput(lost, options_.global, exit_code);
  const RunOutcome outcome{exit_code, result.end.status == "cancelled" ? signals.caught() : 0};
  CollectEnd(result, outcome);
  FlushSpans(spans, told);
  return outcome;
}

// The collected log stands beside the records of the run: what cannot be written there ends no run.
void RunSession::CollectStart() {
  telemetry::CollectedRun run{request_.run_id,
                              loaded_.workflow.name,
                              loaded_.workflow.version,
                              request_.user,
                              request_.hostname,
                              records_->folder().path(),
                              {},
                              records_->secret_inputs(),
                              request_.resume.has_value()};
  for (const auto& [name, value] : loaded_.inputs)
    run.inputs[name] = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
  if (const auto written = collection_.Started(std::move(run)); !written)
    TellMissing(written.error(), "start of the run");
}

void RunSession::CollectEnd(const RunResult& result, const RunOutcome& outcome) {
  const telemetry::CollectedEnd end{result.end.status, outcome.signal != 0 ? 128 + outcome.signal : outcome.exit_code,
                                    result.end.duration, result.end.error, records_->audit().Head()};
  if (const auto written = collection_.Completed(end); !written) TellMissing(written.error(), "end of the run");
}

RunResult RunSession::RunWorkflow(RunRecorder& recorder, ProgressView& view) {
  ObserverList observers;
  RunExecutors executors(
      {program_, *private_folder_, request_, loaded_.workflow.name, {storage_, records_->trace()}, *loaded_.plugins},
      observers);
  observers.Add(&executors.first());
  observers.Add(&recorder);
  std::optional<TranscriptRecorder> transcript;
  if (TranscriptSink* file = records_->transcript()) {
    transcript.emplace(*file, ChooseTranscript(options_).value_or(TranscriptContent::kNone), [&recorder, file] {
      json::object fields{{"file", file->Name()}};
      if (std::string cause = file->Failure(); !cause.empty()) fields["error"] = cause;
      recorder.Logged(nullptr, LogLevel::kWarn, "records cannot be written", fields);
    });
    observers.Add(&*transcript);
  }
  observers.Add(&*collector_);
  observers.Add(&view);
  observers.Add(&executors.last());
  RunPorts ports = executors.Ports(observers);
  ports.journal = records_->journal();
  ports.files = &records_->files();
  ports.regexes = loaded_.regexes.get();
  return WorkflowRunner(ports).Run(loaded_.workflow, request_);
}

// A run without a complete audit must not go on.
void RunSession::AuditFailed(RunRecorder& recorder, const Error& error) {
  recorder.Logged(nullptr, LogLevel::kError, "audit cannot be written", {{"error", error.message}});
  stop_.request_stop();
}

void RunSession::Conclude(RunResult& result, const RunRecorder& recorder) {
  if (const auto failure = recorder.AuditFailure()) {
    result.end.status = "failed";
    result.end.error = failure;
    result.end.exit_code = ExitCodeOf(failure->code);
    collector_->RunEnded(result.end);
  }
  collector_->SetStates(result.states);
  const auto written = records_->End(result, recorder.Counts());
  if (!written) Tell(written.error(), Severity::kWarning, false);
}

void RunSession::Show(const RunResult& result) {
  const GlobalOptions& global = options_.global;
  RunSummary summary = Summary();
  if (summary.end.error && records_->journal() != nullptr) {
    std::string& hint = summary.end.error->hint;
    const std::string command = "awf resume " + request_.run_id;
    hint = hint.empty() ? command + " goes on where it stopped"
                        : hint + (hint.ends_with('.') || hint.ends_with('?') ? " " : ". ") + "Then: " + command;
  }
  if (global.format == OutputFormat::kJson) {
    console_.Out(JsonLine(SummaryJson(summary, !global.no_hints)));
    return;
  }
  if (summary.end.error) {
    // Among JSON lines the log's own "workflow completed" tells it.
    if (!global.json_log) console_.Line(ErrorBlock(*summary.end.error, Severity::kError, !global.no_hints));
  } else if (!summary.end.message.empty()) {
    console_.Out(PrintableLine(summary.end.message) + "\n");
  }
  if (global.format == OutputFormat::kTable) {
    const auto states = ReadAuditedStates(records_->folder().Audit(), false);
    if (states) console_.Out(StateTable(*states, StyleOfStdout(global)));
  }
  if (global.verbose) {
    const json::object head{{"audit", {{"seq", summary.audit.seq}, {"hash", summary.audit.hash}}}};
    console_.Line(global.json_log ? JsonLine(head)
                                  : "audit head: " + std::to_string(summary.audit.seq) + " " + summary.audit.hash);
  }
  if (global.quiet) return;
  console_.Out("run " + request_.run_id + " " + result.end.status + " in " + DurationText(result.end.duration) + " · " +
               summary.folder.string() + "\n");
}

RunSummary RunSession::Summary() const {
  if (!records_) return {};
  RunSummary summary = collector_->Summary();
  summary.audit = records_->audit().Head();
  summary.folder = records_->folder().path();
  summary.trace = records_->trace();
  return summary;
}

RunOutcome Refused(const LoadFailure& failure, const GlobalOptions& global) {
  return {ReportErrors(failure.errors, global, failure.exit_code), 0};
}

}  // namespace

RunOutcome ExecuteRun(const RunOptions& options, RunSummary* summary) {
  RunSession session(options, summary == nullptr ? SummaryScope::kResults : SummaryScope::kStepsAndCalls);
  if (auto prepared = session.Prepare(); !prepared) return Refused(prepared.error(), options.global);
  const RunOutcome outcome = session.Run();
  if (summary != nullptr) *summary = session.Summary();
  return outcome;
}

RunOutcome ExecuteResume(const ResumeOptions& options, ResumedRun run) {
  RunSession session(options.run, SummaryScope::kResults);
  if (auto prepared = session.PrepareResume(options, run); !prepared)
    return Refused(prepared.error(), options.run.global);
  return session.Run();
}

int EndOf(const RunOutcome& outcome) { return outcome.signal != 0 ? DieBySignal(outcome.signal) : outcome.exit_code; }

}  // namespace awf::cli
