#include "cli/run_tracing.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "domain/random_id.h"
#include "domain/trace_context.h"
#include "infrastructure/otlp/batch_exporter.h"
#include "infrastructure/otlp/sampler.h"
#include "infrastructure/telemetry/console_trace.h"

namespace awf::cli {
namespace {

constexpr std::chrono::milliseconds kFlushPatience{5000};

}  // namespace

std::expected<void, Error> RunTracing::Prepare(const RunOptions& options, RunRequest& request) {
  auto target = ChooseTrace(options, NonEmptyVariable);
  if (!target) return std::unexpected(std::move(target.error()));
  target_ = std::move(*target);
  request.traceparent = NonEmptyVariable(kTraceParentVariable).value_or("");
  request.tracestate = NonEmptyVariable(kTraceStateVariable).value_or("");
  request.tracing.trace_state = AcceptedTraceState(request.traceparent, request.tracestate);
  const auto parent = ParseTraceParent(request.traceparent);
  request.trace_id = parent ? parent->trace_id : RandomHex(16);
  request.parent_span_id = parent ? parent->span_id : "";
  request.span_id = RandomHex(8);
  if (target_.any()) {
    const auto sampler = otlp::Sampler::Resolve(NonEmptyVariable);
    if (!sampler) return std::unexpected(sampler.error());
    request.tracing.sampled =
        sampler->Sampled(request.trace_id, parent ? std::optional(parent->sampled) : std::nullopt);
    if (!request.tracing.sampled) target_ = Unsampled(std::move(target_), options);
  }
  request.tracing.spans = target_.any();
  if (!target_.collector) return {};
  auto transport = otlp::MakeTransport(*target_.collector);
  if (!transport) return std::unexpected(std::move(transport.error()));
  transport_ = std::move(*transport);
  return {};
}

void RunTracing::Start(const RunRequest& request, const otlp::TraceResource& resource, const Masker& masker,
                       std::function<void(std::string_view)> print, Told told, SpanSinks& sinks) {
  if (target_.console)
    sinks.Add(std::make_unique<telemetry::ConsoleTrace>(request.parent_span_id, masker, std::move(print)));
  if (!transport_) return;
  auto on_trouble = [told = std::move(told), endpoint = transport_->Endpoint()](const std::string& error) {
    told(LogLevel::kDebug, "spans cannot be sent now", {{"endpoint", endpoint}, {"error", error}});
  };
  sinks.Export(std::make_unique<otlp::BatchExporter>(std::move(transport_), target_.collector->batch, resource, masker,
                                                     std::move(on_trouble)));
}

void FlushSpans(SpanSinks& sinks, const RunTracing::Told& told) {
  const auto report = sinks.Flush(kFlushPatience);
  if (!report || report->unsent + report->dropped == 0) return;
  json::object fields{{"endpoint", report->endpoint}, {"count", report->unsent + report->dropped}};
  if (report->dropped > 0) fields["dropped"] = report->dropped;
  fields["error"] = report->last_error.empty() ? "more spans waited than the queue holds" : report->last_error;
  told(LogLevel::kWarn, "spans not sent", fields);
}

}  // namespace awf::cli
