#include "application/records/span_builder.h"

#include <algorithm>
#include <utility>

#include "application/records/rpc_event.h"
#include "application/records/span_names.h"
#include "domain/masked_content.h"
#include "domain/trace_context.h"

namespace awf {
namespace {

using namespace span_names;

constexpr std::string_view kPluginPrefix = "plugin:";

void Set(Attributes& attributes, std::string_view name, AttributeValue value) {
  attributes.emplace_back(std::string(name), std::move(value));
}

void SetText(Attributes& attributes, std::string_view name, std::string_view value) {
  Set(attributes, name, std::string(value));
}

void SetKnown(Attributes& attributes, std::string_view name, std::string_view value) {
  if (!value.empty()) SetText(attributes, name, value);
}

void SetCount(Attributes& attributes, std::string_view name, std::int64_t value) { Set(attributes, name, value); }

std::int64_t RoundedMs(std::chrono::microseconds duration) {
  return std::chrono::round<std::chrono::milliseconds>(duration).count();
}

// Durations that are told leave out what is not the step's own work; a span holds all that happened in it.
WallClock::duration LongerOf(std::chrono::milliseconds told, std::chrono::microseconds elapsed) {
  return std::chrono::duration_cast<WallClock::duration>(std::max<std::chrono::microseconds>(told, elapsed));
}

// The JSON-RPC id as a string: 7 → "7", "a" → "a".
std::string RequestIdText(const std::string& source) {
  json::error_code error;
  const json::value id = json::parse(source, error);
  if (!error && id.is_string()) return std::string(id.get_string());
  return source;
}

// The convention's name of who serves the model, where it has one.
std::string_view ProviderName(std::string_view provider) { return provider == "claude" ? "anthropic" : provider; }

// The client's context is believed where it belongs to this run; any other is only pointed at.
void PlaceCallInTrace(const StepContext& step, const CallRecord& call, SpanRecord& span) {
  span.parent_span_id = step.span_id;
  const auto client = ParseTraceParent(call.traceparent);
  if (!client) return;
  std::string trace_state = AcceptedTraceState(call.traceparent, call.tracestate);
  if (client->trace_id != step.trace_id) {
    span.links.push_back({client->trace_id, client->span_id, std::move(trace_state)});
    return;
  }
  span.parent_span_id = client->span_id;
  if (!trace_state.empty()) span.trace_state = std::move(trace_state);
}

// "tools/call Grep": a convention's name, where the configuration asks for it, else awf's own.
std::string SpanName(const SpanStyle& style, std::string_view convention, std::string_view own, std::string_view name) {
  return std::string(style.semconv_names ? convention : own).append(" ").append(name);
}

const std::string& FirstKnown(const std::string& text, const std::string& otherwise) {
  return text.empty() ? otherwise : text;
}

void DescribeProxy(const StepEnd& end, const StepNotes& notes, Attributes& attributes) {
  Set(attributes, "awf.proxy.enabled", end.proxy);
  Set(attributes, "awf.proxy.intercept", end.proxy && end.intercept);
  SetCount(attributes, "awf.proxy.tools", end.proxy_tools);
  SetCount(attributes, "awf.proxy.starts", notes.proxy_starts);
  if (!end.proxy) return;
  if (end.isolation) {
    SetText(attributes, "awf.isolation.level", ToString(*end.isolation));
  } else if (!end.intercept) {  // the agent's own tools are there on purpose
    SetText(attributes, "awf.isolation.level", ToString(IsolationLevel::kCoexisting));
  }
  SetKnown(attributes, "awf.sandbox", end.sandbox);
  SetCount(attributes, "awf.bypasses", notes.bypasses);
  if (end.changed_outside_proxy) {
    SetCount(attributes, "awf.changed_outside_proxy", static_cast<std::int64_t>(end.changed_outside_proxy->size()));
  }
}

void DescribeAgent(const StepContext& step, const StepEnd& end, const StepNotes& notes, Attributes& attributes) {
  const std::string& provider = FirstKnown(end.provider, notes.start.provider);
  SetText(attributes, "awf.provider", provider);
  SetKnown(attributes, "awf.provider.version", FirstKnown(end.provider_version, notes.start.provider_version));
  SetText(attributes, kOperation, kInvokeAgent);
  SetText(attributes, kAgent, step.step);
  SetText(attributes, kProvider, ProviderName(provider));
  SetKnown(attributes, kModel, FirstKnown(notes.start.model, end.model));  // as asked for; else as announced
  SetKnown(attributes, kConversation, end.session_id);
  if (end.usage.input > 0 || end.usage.output > 0) {
    SetCount(attributes, kInputTokens, end.usage.input);
    SetCount(attributes, kOutputTokens, end.usage.output);
    Set(attributes, "awf.tokens.estimated", end.usage.estimated);
  }
  if (end.usage.cost_usd) Set(attributes, "awf.cost_usd", *end.usage.cost_usd);
  if (end.proxy || notes.start.proxy_set) DescribeProxy(end, notes, attributes);
}

}  // namespace

std::string CallErrorType(const CallEnd& end) {
  if (!end.denied.empty() || end.outcome == CallOutcome::kDenied) return "policy_denied";
  if (!end.error_type.empty()) return end.error_type;
  switch (end.outcome) {
    case CallOutcome::kTimeout:
      return "timeout";
    case CallOutcome::kCancelled:
      return "cancelled";
    case CallOutcome::kLost:
      return "proxy_lost";
    default:
      return "tool_error";
  }
}

SpanRecord BuildCallSpan(const SpanFrame& frame, const StepContext& step, const CallRecord& call, const CallEnd& end,
                         const std::string& error, const std::string& protocol) {
  const bool over_stdio = !call.request_id.empty();
  SpanRecord span;
  span.trace_id = step.trace_id;
  span.span_id = call.call;
  span.trace_state = frame.trace_state;
  span.name = SpanName(frame.style, over_stdio ? kToolsCall : kExecuteTool,
                       "tool.call:", call.tool.empty() ? kUnknownSource : std::string_view(call.tool));
  span.kind = over_stdio ? SpanKind::kServer : SpanKind::kInternal;
  span.start = call.time;
  span.end = call.time + std::chrono::duration_cast<WallClock::duration>(end.duration);
  PlaceCallInTrace(step, call, span);

  Attributes& attributes = span.attributes;
  SetText(attributes, "tool.name", call.tool);
  SetText(attributes, "tool.source", call.source);
  SetCount(attributes, "tool.duration_ms", RoundedMs(end.duration));
  SetText(attributes, kOperation, kExecuteTool);
  SetText(attributes, kTool, call.tool);
  SetText(attributes, kToolType, call.source.starts_with(kPluginPrefix) ? "extension" : "function");
  SetKnown(attributes, kToolCallId, call.client_call_id);
  if (over_stdio) {
    SetText(attributes, kMcpMethod, kToolsCall);
    SetKnown(attributes, kMcpProtocol, protocol);
    SetText(attributes, kRequestId, RequestIdText(call.request_id));
    SetText(attributes, kNetworkTransport, "pipe");
  }
  if (end.rpc) span.events.push_back(RpcEvent(*end.rpc, span));
  if (end.outcome != CallOutcome::kOk) {
    const std::string type = CallErrorType(end);
    SetText(attributes, kErrorType, type);
    span.failed = true;
    span.status_message = error;
    SpanEvent exception{kExceptionEvent, span.end, {}};
    SetText(exception.attributes, kExceptionType, type);
    SetText(exception.attributes, kExceptionMessage, error);
    span.events.push_back(std::move(exception));
  }
  if (end.exit_code) SetCount(attributes, kProcessExitCode, *end.exit_code);
  SetCount(attributes, "awf.bytes_in", static_cast<std::int64_t>(call.bytes_in));
  SetCount(attributes, "awf.bytes_out", static_cast<std::int64_t>(end.bytes_out));
  if (end.truncated) Set(attributes, "awf.truncated", true);
  if (step.attempt > 1) SetCount(attributes, "awf.attempt", step.attempt);
  if (frame.style.openinference) SetText(attributes, kOpenInferenceKind, kOpenInferenceTool);
  return span;
}

void AddCallContent(SpanRecord& span, const CallRecord& call, const CallEnd& end, const Masker& masker) {
  SetKnown(span.attributes, kCallArguments, MaskedArguments(masker, call, kLongestSpanContent));
  SetKnown(span.attributes, kCallResult, MaskedResult(masker, end, kLongestSpanContent));
}

SpanRecord BuildStepSpan(const SpanFrame& frame, const StepContext& step, const StepEnd& end, StepNotes notes) {
  SpanRecord span;
  span.trace_id = step.trace_id;
  span.span_id = step.span_id;
  span.parent_span_id = step.parent_span_id.empty() ? frame.root : step.parent_span_id;
  span.trace_state = frame.trace_state;
  constexpr std::string_view kOwn = "step:";
  span.name = SpanName(frame.style, step.kind == StepKind::kAgent ? kInvokeAgent : kOwn, kOwn, step.step);
  span.start = notes.start.time;
  span.end = span.start + LongerOf(end.duration, notes.elapsed);

  Attributes& attributes = span.attributes;
  SetText(attributes, "step.name", step.step);
  SetText(attributes, "step.type", ToString(step.kind));
  SetText(attributes, "step.status", ToString(end.status));
  if (end.attempts > 1) SetCount(attributes, "awf.attempts", end.attempts);
  if (step.loop_index) SetCount(attributes, "awf.loop.index", *step.loop_index);
  SetKnown(attributes, "awf.branch", step.branch);
  SetKnown(attributes, "awf.operation", notes.start.operation);
  if (step.kind == StepKind::kCommand) SetCount(attributes, kProcessExitCode, end.exit_code);
  if (end.error) {
    SetText(attributes, kErrorType, end.error->code);
    span.failed = true;
    span.status_message = end.error->message;
  }
  if (step.kind == StepKind::kAgent) DescribeAgent(step, end, notes, attributes);
  span.events = std::move(notes.events);
  if (end.rpc) span.events.push_back(RpcEvent(*end.rpc, span));
  if (end.status == StepStatus::kCancelled) span.events.push_back({"cancelled", span.end, {}});
  return span;
}

SpanRecord BuildRunSpan(const SpanFrame& frame, const RunStart& start, const RunEnd& end, const RunNotes& notes) {
  SpanRecord span;
  span.trace_id = start.trace_id;
  span.span_id = start.span_id;
  span.parent_span_id = start.parent_span_id;
  span.trace_state = frame.trace_state;
  span.name = frame.style.semconv_names ? kInvokeWorkflow + (" " + start.workflow) : "workflow.execution";
  span.start = start.time;
  span.end = start.time + LongerOf(end.duration, notes.elapsed);
  span.failed = end.error.has_value();
  if (end.error) span.status_message = end.error->message;
  if (!start.resumed_span_id.empty()) span.links.push_back({start.resumed_trace_id, start.resumed_span_id});

  Attributes& attributes = span.attributes;
  SetText(attributes, "workflow.name", start.workflow);
  SetKnown(attributes, "workflow.version", start.version);
  SetText(attributes, "awf.run.id", start.run_id);
  if (start.resumed) Set(attributes, "awf.run.resumed", true);
  SetText(attributes, kOperation, kInvokeWorkflow);
  SetText(attributes, kWorkflow, start.workflow);
  SetText(attributes, "awf.run.status", end.status);
  SetCount(attributes, "awf.exit_code", end.exit_code);
  SetCount(attributes, "awf.steps", notes.steps);
  SetCount(attributes, "awf.tool_calls", notes.tool_calls);
  SetKnown(attributes, "awf.audit.head", notes.audit_head);
  return span;
}

}  // namespace awf
