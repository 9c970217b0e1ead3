#include "cli/run_summary.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "cli/finding_text.h"
#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

using Row = std::vector<std::string>;

std::string LocalTime(WallClock::time_point time) {
  const std::time_t seconds = WallClock::to_time_t(time);
  std::tm calendar{};
  ::localtime_r(&seconds, &calendar);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &calendar)};
}

std::string FormatBytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  return FormatCount(static_cast<std::int64_t>(bytes)) + "B";
}

std::string_view Look(CallOutcome outcome) {
  if (outcome == CallOutcome::kOk) return {};
  return outcome == CallOutcome::kCancelled || outcome == CallOutcome::kDenied ? "33" : "31";
}

// One line of output, cut to the terminal and coloured as a whole.
std::string Finished(std::string line, std::string_view look, const LineStyle& style) {
  while (line.ends_with(' ')) line.pop_back();
  if (style.columns > 0) line = FitColumns(line, static_cast<std::size_t>(std::max(style.columns - 1, 1)));
  if (style.color && !look.empty()) line = std::string("\x1b[").append(look).append("m").append(line).append("\x1b[0m");
  return line + "\n";
}

std::string Padded(const std::string& cell, std::size_t width, bool right) {
  const std::size_t own = DisplayWidth(cell);
  const std::string space(width > own ? width - own : 0, ' ');
  return right ? space + cell : cell + space;
}

Row CallRow(const StepSummary& step, const CallSummary& call) {
  return {LocalTime(call.call.time),
          PrintableLine(step.context.path.empty() ? step.context.step : step.context.path),
          PrintableLine(call.call.tool),
          PrintableLine(call.call.source),
          FormatDuration(call.end.duration),
          FormatBytes(call.end.bytes_out),
          std::string(ToString(call.end.outcome)),
          PrintableLine(call.end.error)};
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
  if (step.context.kind != StepKind::kTerminal) text += "  " + FormatDuration(step.end.duration);
  if (step.end.status != StepStatus::kSuccess) text += "  ✗ " + std::string(ToString(step.end.status));
  return text;
}

// Draws the tree of spans.
class SpanTreeText {
 public:
  SpanTreeText(const RunSummary& summary, const LineStyle& style) : summary_(summary), style_(style) {
    std::map<SpanId, std::size_t> known;
    for (std::size_t i = 0; i < summary.steps.size(); ++i) known[summary.steps[i].context.span_id] = i;
    for (const StepSummary& step : summary.steps) {
      // A step whose holder is not in the summary hangs on the run.
      const auto holder = known.find(step.context.parent_span_id);
      children_[holder == known.end() ? SpanId() : holder->first].push_back(&step);
    }
  }

  std::string Text() {
    text_ = Finished("workflow.execution  " + FormatDuration(summary_.end.duration) + "  " +
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
    text_ += Finished(margin + (last ? "└─ " : "├─ ") + StepText(step), failed ? "31" : "", style_);
    const std::string inner = margin + (last ? "   " : "│  ");
    const bool holds = children_.contains(step.context.span_id);
    for (std::size_t c = 0; c < step.calls.size(); ++c) {
      const CallSummary& call = step.calls[c];
      const std::string line = inner + (c + 1 == step.calls.size() && !holds ? "└─ " : "├─ ") +
                               "tool.call: " + PrintableLine(call.call.tool) + "  " + FormatDuration(call.end.duration);
      text_ += Finished(line + Fault(call.end), Look(call.end.outcome), style_);
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
  std::vector<Row> rows{{"time", "step", "tool", "source", "duration", "bytes", "outcome", "error"}};
  std::vector<std::string_view> looks{"1"};
  for (const StepSummary& step : summary.steps) {
    for (const CallSummary& call : step.calls) {
      rows.push_back(CallRow(step, call));
      looks.push_back(Look(call.end.outcome));
    }
  }
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  std::string table;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool number = rows[0][i] == "duration" || rows[0][i] == "bytes";
      line += (i == 0 ? "" : "  ") + Padded(rows[r][i], widths[i], number);
    }
    table += Finished(std::move(line), looks[r], style);
  }
  return table;
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
