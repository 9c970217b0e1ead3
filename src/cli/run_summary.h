// RunSummary: what a run came to, for `-f json` and for people who want to see it once more: the table of tool calls
// and the tree of spans. A passive value; all its texts are masked.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/progress_text.h"
#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "domain/run_observer.h"

namespace awf::cli {

struct CallSummary {
  CallRecord call;
  CallEnd end;
};

struct StepSummary {
  StepContext context;
  StepEnd end;
  bool ended = false;
  std::vector<CallSummary> calls;  // in the order of their ends
};

struct RunSummary {
  RunStart start;  // without inputs
  RunEnd end;
  std::vector<StepSummary> steps;                            // in the order of their starts
  std::vector<std::pair<std::string, json::object>> states;  // result fields
  AuditHead audit;
  std::filesystem::path folder;  // of the run; log.jsonl and audit.jsonl are in it
  std::filesystem::path trace;   // empty: no spans were written

  int CallCount() const;
};

// {run_id, status, exit_code, duration_ms, error?, states, audit}; the error as ErrorJson makes it.
json::object SummaryJson(const RunSummary& summary, bool hints);

// Columns: time, step, tool, source, duration, bytes, outcome, error. Header and one line per call, each ending in a
// line feed; "no tool calls" when there were none.
std::string CallTable(const RunSummary& summary, const LineStyle& style);

// workflow.execution, its steps in the states that hold them, their calls, with durations and failures.
std::string SpanTree(const RunSummary& summary, const LineStyle& style);

// What a summary keeps: steps and calls grow with the run, results do not.
enum class SummaryScope { kResults, kStepsAndCalls };

// Builds a summary from the events of a run. Thread-safe; the masker outlives it.
class SummaryCollector final : public RunObserver {
 public:
  SummaryCollector(const Masker& masker, SummaryScope scope) : masker_(masker), scope_(scope) {}

  void RunStarted(const RunStart& start) override;
  void StepStarted(const StepContext& step, const StepStart& start) override;
  void CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) override;
  void StepEnded(const StepContext& step, const StepEnd& end) override;
  void RunEnded(const RunEnd& end) override;

  void SetStates(const std::vector<std::pair<std::string, json::object>>& states);
  RunSummary Summary() const;

 private:
  StepSummary& Find(const StepContext& step);  // under mutex_; a step keeps its place through all attempts
  void Mask(std::optional<Error>& error) const;

  const Masker& masker_;
  const SummaryScope scope_;
  mutable std::mutex mutex_;  // guards what follows
  RunSummary summary_;
  std::map<SpanId, std::size_t> places_;  // in summary_.steps
};

}  // namespace awf::cli
