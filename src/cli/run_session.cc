#include "cli/run_session.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <stop_token>
#include <utility>

#include "application/findings.h"
#include "application/inputs.h"
#include "application/run_recorder.h"
#include "application/workflow_runner.h"
#include "cli/finding_text.h"
#include "cli/progress_view.h"
#include "cli/run_setup.h"
#include "cli/run_signals.h"
#include "cli/run_tools.h"
#include "domain/error_catalogue.h"
#include "domain/random_id.h"
#include "domain/trace_context.h"
#include "infrastructure/agents/agent_executor.h"
#include "infrastructure/process/command_executor.h"
#include "infrastructure/process/environment.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/process/private_folder.h"
#include "infrastructure/telemetry/audit_file.h"
#include "infrastructure/telemetry/console_log.h"
#include "infrastructure/telemetry/log_file.h"
#include "infrastructure/telemetry/otlp_json_file.h"
#include "infrastructure/telemetry/run_folder.h"
#include "infrastructure/telemetry/sha256.h"
#include "infrastructure/yaml/workflow_loader.h"

namespace awf::cli {
namespace {

// How long a reader of the output may stop reading once the run was interrupted.
constexpr std::chrono::milliseconds kPatience{2000};

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// Spans to several files at once.
class SpanFiles final : public SpanSink {
 public:
  void Add(std::unique_ptr<SpanSink> file) { files_.push_back(std::move(file)); }
  bool empty() const { return files_.empty(); }

  bool Write(const SpanRecord& span) override {
    bool written = true;
    for (const auto& file : files_) written = file->Write(span) && written;
    return written;
  }
  std::string Name() const override { return "trace file"; }

 private:
  std::vector<std::unique_ptr<SpanSink>> files_;
};

class RunSession {
 public:
  explicit RunSession(const RunOptions& options)
      : options_(options), console_(ConsoleOptions::Detect(options.global.no_color)) {}

  // Nothing has run when this fails.
  std::expected<void, std::vector<Error>> Prepare();
  RunOutcome Run();
  RunSummary Summary() const;

 private:
  using Failures = std::unexpected<std::vector<Error>>;

  std::expected<void, std::vector<Error>> Load();
  std::expected<void, Error> OpenFolder();
  std::expected<void, Error> OpenRecords();
  void DrawIds();
  ProgressOptions Progress() const;
  telemetry::ConsoleLogOptions ConsoleLogging() const;
  RunResult RunWorkflow(RunRecorder& recorder, ProgressView& view);
  void AuditFailed(RunRecorder& recorder, const Error& error);
  void Conclude(RunResult& result, const RunRecorder& recorder);
  void Show(const RunResult& result);
  void Warn(const std::expected<void, Error>& written);

  const RunOptions& options_;
  Console console_;
  Masker masker_;
  LoadedWorkflow loaded_;
  json::object inputs_;
  TraceTarget trace_;
  std::optional<telemetry::RunFolder> folder_;
  std::optional<process::PrivateFolder> private_folder_;
  std::unique_ptr<telemetry::LogFile> log_;
  std::unique_ptr<telemetry::AuditFile> audit_;
  SpanFiles spans_;
  std::optional<SummaryCollector> collector_;
  telemetry::RunManifest manifest_;
  RunRequest request_;
  std::optional<SignalsHeld> held_;  // from the first trace of the run on
  std::filesystem::path program_;    // awf
  std::stop_source stop_;
};

std::expected<void, std::vector<Error>> RunSession::Prepare() {
  if (auto loaded = Load(); !loaded) return loaded;
  held_.emplace();
  if (auto opened = OpenFolder(); !opened) return Failures({opened.error()});
  if (auto opened = OpenRecords(); !opened) return Failures({opened.error()});
  return {};
}

std::expected<void, std::vector<Error>> RunSession::Load() {
  std::error_code cause;
  request_.working_dir = std::filesystem::current_path(cause);
  if (cause) return Failures({Fail("SYSTEM.IO.READ_FAILED", "no working directory: " + cause.message()).error()});
  program_ = std::filesystem::read_symlink("/proc/self/exe", cause);
  if (cause) return Failures({Fail("SYSTEM.IO.READ_FAILED", "cannot read /proc/self/exe: " + cause.message()).error()});
  auto trace = ChooseTrace(options_, Variable);
  if (!trace) return Failures({trace.error()});
  trace_ = *trace;
  loaded_ = LoadWorkflow(options_.workflow);
  if (!loaded_.Runnable()) return Failures(ErrorsOf(loaded_.findings));
  loaded_.workflow->sha256 = telemetry::Sha256Hex(loaded_.source);
  auto inputs = ResolveInputs(*loaded_.workflow, options_.inputs);
  if (!inputs) return Failures({inputs.error()});
  inputs_ = std::move(*inputs);
  LearnSecrets(*loaded_.workflow, inputs_, environ, masker_);
  if (options_.global.quiet) return {};
  for (const Finding& finding : loaded_.findings) {
    if (finding.severity == Severity::kNote && !options_.global.verbose) continue;
    console_.Line(masker_.MaskText(ErrorBlock(finding.error, finding.severity, !options_.global.no_hints)));
  }
  return {};
}

std::expected<void, Error> RunSession::OpenFolder() {
  const auto storage = StorageFolder(options_.global.storage, Variable);
  if (!storage) return std::unexpected(storage.error());
  auto private_folder = process::PrivateFolder::Open();
  if (!private_folder) return std::unexpected(private_folder.error());
  private_folder_ = std::move(*private_folder);
  private_folder_->SweepLeftovers();
  auto folder = telemetry::RunFolder::Create(*storage, options_.run_id);
  if (!folder) return std::unexpected(folder.error());
  folder_ = std::move(*folder);
  DrawIds();

  const Workflow& workflow = *loaded_.workflow;
  manifest_.workflow = workflow.name;
  manifest_.version = workflow.version;
  manifest_.file = workflow.file;
  manifest_.sha256 = workflow.sha256;
  manifest_.awf_version = AWF_VERSION;
  manifest_.trace_id = request_.trace_id;
  manifest_.secret_inputs = SecretInputs(workflow);
  for (const auto& [name, value] : inputs_)
    manifest_.inputs[name] = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
  manifest_.started = WallClock::now();
  if (auto written = folder_->WriteWorkflow(loaded_.source); !written) return written;
  return folder_->WriteManifest(manifest_, masker_);
}

void RunSession::DrawIds() {
  request_.run_id = folder_->run_id();
  request_.traceparent = Variable("TRACEPARENT").value_or("");
  const auto parent = ParseTraceParent(request_.traceparent);
  request_.trace_id = parent ? parent->trace_id : RandomHex(16);
  request_.parent_span_id = parent ? parent->span_id : "";
  request_.span_id = RandomHex(8);
  request_.spans = trace_.any();
  request_.inputs = inputs_;
  request_.cancelled = stop_.get_token();
}

std::expected<void, Error> RunSession::OpenRecords() {
  auto log = telemetry::LogFile::Open(folder_->Log(), options_.global.log_level, masker_);
  if (!log) return std::unexpected(log.error());
  log_ = std::move(*log);
  auto audit = telemetry::AuditFile::Create(folder_->Audit(), folder_->run_id(), masker_);
  if (!audit) return std::unexpected(audit.error());
  audit_ = std::move(*audit);
  collector_.emplace(masker_);
  if (!trace_.any()) return {};
  const telemetry::TraceResource resource{ServiceName(options_, Variable), AWF_VERSION, HostName(), ::getpid(),
                                          Variable("OTEL_RESOURCE_ATTRIBUTES").value_or("")};
  for (const std::filesystem::path& path :
       {trace_.in_run_folder ? folder_->Trace() : std::filesystem::path(), trace_.file}) {
    if (path.empty()) continue;
    auto file = telemetry::OtlpJsonFile::Open(path, resource, masker_);
    if (!file) return std::unexpected(file.error());
    spans_.Add(std::move(*file));
  }
  return {};
}

ProgressOptions RunSession::Progress() const {
  const bool json = options_.global.format == OutputFormat::kJson;
  return {!options_.global.quiet && !options_.global.json_log, !json};
}

telemetry::ConsoleLogOptions RunSession::ConsoleLogging() const {
  const GlobalOptions& global = options_.global;
  return {global.verbose ? global.log_level : std::max(global.log_level, LogLevel::kWarn), global.json_log,
          !global.verbose};
}

RunOutcome RunSession::Run() {
  process::BecomeSubreaper();
  telemetry::ConsoleLog console_log(ConsoleLogging(), masker_, [this](std::string_view line) { console_.Line(line); });
  RunRecorder recorder({UserName(), HostName(), AWF_VERSION, manifest_.secret_inputs},
                       {{log_.get(), &console_log}, audit_.get(), spans_.empty() ? nullptr : &spans_},
                       [&](const Error& error) { AuditFailed(recorder, error); });
  ProgressView view(Progress(), console_, masker_);
  const RunSignals signals({[this](int) {
                              console_.LimitWaiting(kPatience);
                              stop_.request_stop();
                            },
                            [this] {
                              console_.LimitWaiting(std::chrono::milliseconds(0));
                              KillDescendants();
                            },
                            [&view] { view.Pause(); }, [&view] { view.Resume(); }});
  RunResult result = RunWorkflow(recorder, view);
  view.Pause();
  Conclude(result, recorder);
  Show(result);
  return {result.end.exit_code, result.end.status == "cancelled" ? signals.caught() : 0};
}

RunResult RunSession::RunWorkflow(RunRecorder& recorder, ProgressView& view) {
  ObserverList observers;
  observers.Add(&recorder);
  observers.Add(&*collector_);
  observers.Add(&view);
  const std::vector<std::string> environment = process::CurrentEnvironment();
  process::KeeperCommandExecutor commands(environment);
  agents::ProviderExecutor agents({program_, *private_folder_, environment, request_.spans},
                                  StepToolMaker(environment, private_folder_->path()));
  WorkflowRunner runner({commands, agents, observers});
  return runner.Run(*loaded_.workflow, request_);
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
  manifest_.status = result.end.status;
  manifest_.ended = manifest_.started + result.end.duration;
  manifest_.exit_code = result.end.exit_code;
  manifest_.error = result.end.error;
  manifest_.counts = recorder.Counts();
  manifest_.audit = audit_->Head();
  Warn(folder_->WriteManifest(manifest_, masker_));
}

void RunSession::Warn(const std::expected<void, Error>& written) {
  if (!written) console_.Line(ErrorBlock(written.error(), Severity::kWarning, false));
}

void RunSession::Show(const RunResult& result) {
  const GlobalOptions& global = options_.global;
  if (global.format == OutputFormat::kJson) {
    console_.Out(json::serialize(SummaryJson(Summary())) + "\n");
    return;
  }
  const RunSummary summary = Summary();
  if (summary.end.error) {
    console_.Line(ErrorBlock(*summary.end.error, Severity::kError, !global.no_hints));
  } else if (!summary.end.message.empty()) {
    console_.Out(PrintableLine(summary.end.message) + "\n");
  }
  if (global.verbose) console_.Line("audit head: " + std::to_string(summary.audit.seq) + " " + summary.audit.hash);
  if (global.quiet) return;
  console_.Out("run " + folder_->run_id() + " " + result.end.status + " in " + FormatDuration(result.end.duration) +
               " · " + folder_->path().string() + "\n");
}

RunSummary RunSession::Summary() const {
  if (!collector_ || !folder_) return {};
  RunSummary summary = collector_->Summary();
  summary.audit = audit_->Head();
  summary.folder = folder_->path();
  if (trace_.any()) summary.trace = trace_.in_run_folder ? folder_->Trace() : trace_.file;
  return summary;
}

}  // namespace

RunOutcome ExecuteRun(const RunOptions& options, RunSummary* summary) {
  RunSession session(options);
  if (auto prepared = session.Prepare(); !prepared) return {ReportErrors(prepared.error(), options.global), 0};
  const RunOutcome outcome = session.Run();
  if (summary != nullptr) *summary = session.Summary();
  return outcome;
}

int EndOf(const RunOutcome& outcome) { return outcome.signal != 0 ? DieBySignal(outcome.signal) : outcome.exit_code; }

}  // namespace awf::cli
