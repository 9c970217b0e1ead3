#include "bench/recorder_cost.h"

#include <stdexcept>

#include "application/records/run_recorder.h"
#include "domain/random_id.h"
#include "infrastructure/otlp/otlp_json_file.h"
#include "infrastructure/telemetry/audit_file.h"
#include "infrastructure/telemetry/log_file.h"

namespace awf::bench {
namespace {

// One call as the step channel would tell it; the observer may be null.
void TellCall(RunObserver* observer, const StepContext& step) {
  CallRecord call;
  call.call = RandomHex(8);
  call.tool = "Read";
  call.source = kBuiltinSource;
  call.request_id = "17";
  call.client_call_id = "toolu_01";
  call.time = WallClock::now();
  call.bytes_in = 64;
  CallEnd end;
  end.duration = std::chrono::microseconds(230);
  end.bytes_out = 1100;
  if (observer == nullptr) return;
  observer->CallStarted(step, call);
  observer->CallFinished(step, call, end);
}

std::chrono::nanoseconds PerCall(RunObserver* observer, const StepContext& step, int calls) {
  const auto start = SteadyClock::now();
  for (int i = 0; i < calls; ++i) TellCall(observer, step);
  return (SteadyClock::now() - start) / calls;
}

template <typename T>
T Must(std::expected<T, Error> value) {
  if (!value) throw std::runtime_error(value.error().message);
  return std::move(*value);
}

std::chrono::nanoseconds WithSinks(const std::filesystem::path& folder, bool spans, int calls) {
  std::filesystem::create_directory(folder);
  Masker masker;
  masker.AddSecret("a-secret-of-the-benchmark");
  auto log = Must(telemetry::LogFile::Open(folder / "log.jsonl", LogLevel::kInfo, masker));
  auto audit = Must(telemetry::AuditFile::Create(folder / "audit.jsonl", "bench", masker));
  std::unique_ptr<otlp::OtlpJsonFile> trace;
  if (spans) trace = Must(otlp::OtlpJsonFile::Open(folder / "trace.json", {}, masker));
  RunRecorder recorder({}, {{log.get()}, audit.get(), trace.get()}, [](const Error&) {});

  RunStart run;
  run.run_id = "bench";
  run.trace_id = RandomHex(16);
  run.span_id = RandomHex(8);
  run.workflow = "bench";
  StepContext step;
  step.run_id = run.run_id;
  step.step = step.path = "work";
  step.kind = StepKind::kAgent;
  step.trace_id = run.trace_id;
  step.span_id = RandomHex(8);
  recorder.RunStarted(run);
  recorder.StepStarted(step, {});
  const std::chrono::nanoseconds cost = PerCall(&recorder, step, calls);
  recorder.StepEnded(step, {});
  recorder.RunEnded({});
  return cost;
}

}  // namespace

RecorderCost MeasureRecorder(const std::filesystem::path& folder, int calls) {
  RecorderCost cost;
  cost.off = PerCall(nullptr, {}, calls);
  cost.log_audit = WithSinks(folder / "default", false, calls);
  cost.all = WithSinks(folder / "all", true, calls);
  return cost;
}

}  // namespace awf::bench
