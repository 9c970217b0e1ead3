#include "cli/run_summary.h"

#include <set>

#include "cli/finding_text.h"
#include "cli/text_table.h"
#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

std::string FormatBytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  return FormatCount(static_cast<std::int64_t>(bytes)) + "B";
}

std::string_view Look(CallOutcome outcome) {
  if (outcome == CallOutcome::kOk) return {};
  return outcome == CallOutcome::kCancelled || outcome == CallOutcome::kDenied ? "33" : "31";
}

std::vector<std::string> CallRow(const StepSummary& step, const CallSummary& call) {
  return {LocalTime(call.call.time, "%H:%M:%S"),
          step.context.path.empty() ? step.context.step : step.context.path,
          call.call.tool,
          call.call.source,
          DurationText(call.end.duration),
          FormatBytes(call.end.bytes_out),
          std::string(ToString(call.end.outcome)),
          call.end.error};
}

// The text of a call that did not end well.
std::string Fault(const CallEnd& end) {
  if (end.outcome == CallOutcome::kOk) return {};
  const std::string error = PrintableLine(end.error);
  return "  ✗ " + (error.empty() ? std::string(ToString(end.outcome)) : error);
}

std::string StepText(const StepSummary& step) {
  std::string text = "step: " + PrintableLine(step.context.step);
  if (step.context.loop_index) text += " #" + std::to_string(*step.context.loop_index);
  if (!step.ended) return text;
  if (step.context.kind != StepKind::kTerminal) text += "  " + DurationText(step.end.duration);
  if (step.end.status != StepStatus::kSuccess) text += "  ✗ " + std::string(ToString(step.end.status));
  return text;
}

// Draws the tree of spans.
class SpanTreeText {
 public:
  SpanTreeText(const RunSummary& summary, const LineStyle& style) : summary_(summary), style_(style) {
    std::set<SpanId> known;
    for (const StepSummary& step : summary.steps) known.insert(step.context.span_id);
    for (const StepSummary& step : summary.steps) {
      // A step whose holder is not in the summary hangs on the run.
      const SpanId& holder = step.context.parent_span_id;
      children_[known.contains(holder) ? holder : SpanId()].push_back(&step);
    }
  }

  std::string Text() {
    text_ = StyledLine("workflow.execution  " + DurationText(summary_.end.duration) + "  " +
                           PrintableLine(summary_.start.workflow) + "  " + summary_.end.status,
                       {}, style_);
    Steps({}, "");
    return std::move(text_);
  }

 private:
  void Steps(const SpanId& holder, const std::string& margin) {
    const auto found = children_.find(holder);
    if (found == children_.end()) return;
    for (const StepSummary* step : found->second) Step(*step, margin, step == found->second.back());
  }

  void Step(const StepSummary& step, const std::string& margin, bool last) {
    const bool failed = step.ended && step.end.status != StepStatus::kSuccess;
    text_ += StyledLine(margin + (last ? "└─ " : "├─ ") + StepText(step), failed ? "31" : "", style_);
    const std::string inner = margin + (last ? "   " : "│  ");
    const bool holds = children_.contains(step.context.span_id);
    for (std::size_t c = 0; c < step.calls.size(); ++c) {
      const CallSummary& call = step.calls[c];
      const std::string line = inner + (c + 1 == step.calls.size() && !holds ? "└─ " : "├─ ") +
                               "tool.call: " + PrintableLine(call.call.tool) + "  " + DurationText(call.end.duration);
      text_ += StyledLine(line + Fault(call.end), Look(call.end.outcome), style_);
    }
    if (holds) Steps(step.context.span_id, inner);
  }

  const RunSummary& summary_;
  const LineStyle& style_;
  std::map<SpanId, std::vector<const StepSummary*>> children_;  // by holder; "": of the run
  std::string text_;
};

}  // namespace

int RunSummary::CallCount() const {
  std::size_t count = 0;
  for (const StepSummary& step : steps) count += step.calls.size();
  return static_cast<int>(count);
}

json::object SummaryJson(const RunSummary& summary, bool hints) {
  json::object out{{"run_id", JsonText(summary.start.run_id)},
                   {"status", JsonText(summary.end.status)},
                   {"exit_code", summary.end.exit_code},
                   {"duration_ms", summary.end.duration.count()}};
  if (summary.end.error) out["error"] = ErrorJson(*summary.end.error, hints);
  json::object states;
  for (const auto& [name, fields] : summary.states) states[name] = fields;
  out["states"] = std::move(states);
  out["audit"] = {{"seq", summary.audit.seq}, {"hash", summary.audit.hash}};
  return out;
}

std::string CallTable(const RunSummary& summary, const LineStyle& style) {
  if (summary.CallCount() == 0) return "no tool calls\n";
  TextTable table(
      {{"time"}, {"step"}, {"tool"}, {"source"}, {"duration", true}, {"bytes", true}, {"outcome"}, {"error"}});
  for (const StepSummary& step : summary.steps)
    for (const CallSummary& call : step.calls) table.Add(CallRow(step, call), Look(call.end.outcome));
  return table.Render(style);
}

std::string SpanTree(const RunSummary& summary, const LineStyle& style) { return SpanTreeText(summary, style).Text(); }

void SummaryCollector::RunStarted(const RunStart& start) {
  const std::lock_guard lock(mutex_);
  summary_.start = start;
  summary_.start.inputs.clear();
}

void SummaryCollector::StepStarted(const StepContext& step, const StepStart&) {
  if (scope_ == SummaryScope::kResults) return;
  const std::lock_guard lock(mutex_);
  Find(step);
}

void SummaryCollector::CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) {
  if (scope_ == SummaryScope::kResults) return;
  CallSummary summary{call, end};
  summary.call.tool = masker_.MaskText(call.tool);
  summary.end.error = masker_.MaskText(end.error);
  const std::lock_guard lock(mutex_);
  Find(step).calls.push_back(std::move(summary));
}

void SummaryCollector::StepEnded(const StepContext& step, const StepEnd& end) {
  if (scope_ == SummaryScope::kResults) return;
  StepEnd masked = end;
  masked.stderr_tail = masker_.MaskText(end.stderr_tail);
  Mask(masked.error);
  const std::lock_guard lock(mutex_);
  StepSummary& summary = Find(step);
  summary.end = std::move(masked);
  summary.ended = true;
}

void SummaryCollector::RunEnded(const RunEnd& end) {
  const std::lock_guard lock(mutex_);
  summary_.end = end;
  summary_.end.message = masker_.MaskText(end.message);
  Mask(summary_.end.error);
}

void SummaryCollector::SetStates(const std::vector<std::pair<std::string, json::object>>& states) {
  const std::lock_guard lock(mutex_);
  summary_.states.clear();
  // Each state by itself: the name of a state is no key that speaks of a secret.
  for (const auto& [name, fields] : states) summary_.states.emplace_back(name, masker_.MaskJson(fields).get_object());
}

RunSummary SummaryCollector::Summary() const {
  const std::lock_guard lock(mutex_);
  return summary_;
}

StepSummary& SummaryCollector::Find(const StepContext& step) {
  const auto [place, fresh] = places_.try_emplace(step.span_id, summary_.steps.size());
  if (fresh) summary_.steps.push_back({step, {}, false, {}});
  return summary_.steps[place->second];
}

void SummaryCollector::Mask(std::optional<Error>& error) const {
  if (!error) return;
  error->message = masker_.MaskText(error->message);
  error->hint = masker_.MaskText(error->hint);
}

}  // namespace awf::cli
