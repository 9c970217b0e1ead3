// ProgressView: what a user sees of a run while it runs.
//
// stderr: states, tool calls as they end, and on a terminal one calm live line with what goes on right now; in a pipe
// plain lines. stdout: the agents' text and the output of commands; of states in a parallel state whole lines that
// begin with the state's name, so that every reader knows whose they are. States are named by their path
// ("fix_all:2/test", passes from 0). In loops a command has one line a pass, when it has ended; what runs again and
// again is folded (cli/progress_repeats.h). What models, commands and clients say is hostile: secrets are masked, on a
// terminal control sequences are removed, and in awf's own lines always. Thread-safe.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/output_flow.h"
#include "cli/progress_repeats.h"
#include "cli/progress_text.h"
#include "domain/masker.h"
#include "domain/run_observer.h"

namespace awf::cli {

struct ProgressOptions {
  bool states = true;  // states, calls, live line; off with --quiet
  bool output = true;  // the agents' text and the output of commands; off with -f json
  OutputMode mode = OutputMode::kStreaming;
  bool verbose = false;                 // nothing is folded
  std::map<std::string, int> attempts;  // by state: how many it has at most, where that is more than one
};

class ProgressView final : public RunObserver {
 public:
  // Console and masker outlive it.
  ProgressView(ProgressOptions options, Console& console, const Masker& masker);
  ~ProgressView() override;  // takes the live line away

  void RunStarted(const RunStart& start) override;
  void StepStarted(const StepContext& step, const StepStart& start) override;
  void CallStarted(const StepContext& step, const CallRecord& call) override;
  void CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) override;
  void AgentText(const StepContext& step, std::string_view text) override;
  void TokensUsed(const StepContext& step, const TokenUsage& usage) override;
  void CommandOutput(const StepContext& step, bool is_stderr, std::string_view text) override;
  void StepRetried(const StepContext& step, const StepRetry& retry) override;
  void StepEnded(const StepContext& step, const StepEnd& end) override;

  // Takes the live line away and gives the terminal back, as before a stop of the process (Ctrl-Z) or its end.
  void Pause();
  void Resume();

 private:
  struct RunningCall {
    std::string id, tool;
    SteadyClock::time_point start;
  };
  struct RunningStep {
    StepKind kind = StepKind::kCommand;
    SpanId parent;
    std::string path, shown_path;
    std::string label;  // beside others; else empty
    bool in_loop = false, folded = false;
    SteadyClock::time_point start;
    int passes = 0;  // of a loop: begun so far
    int attempt = 1;
    std::optional<SteadyClock::time_point> retry_at;
    std::vector<RunningCall> calls;
    int calls_ended = 0;
    TokenUsage tokens;
    std::map<int, OutputFlow> flows;  // by stream: 1, 2

    bool Holds() const { return kind == StepKind::kParallel || kind == StepKind::kForEach; }
  };
  enum class Piece { kMore, kBreak, kFinish };  // what the end of a text means to its flow

  LineStyle Style() const;
  std::string Shown(std::string_view text) const;  // masked, one line
  void Say(const std::string& line);
  RunningStep* Find(const StepContext& step);                 // under mutex_
  void Place(const StepContext& step, RunningStep& running);  // under mutex_: among those that hold it
  void CountPass(const RunningStep& running);                 // under mutex_
  void Pass(const StepContext& step, int stream, std::string_view text, Piece piece);
  void EndText(const StepContext& step, Piece piece);
  void Tick();
  std::string CurrentLine();  // under mutex_
  LiveState Live(const RunningStep& step) const;
  void Redraw();

  const ProgressOptions options_;
  Console& console_;
  const Masker& masker_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::map<SpanId, RunningStep> steps_;
  std::vector<SpanId> order_;  // as started
  Repeats repeats_;
  std::size_t frame_ = 0;
  bool paused_ = false, stopping_ = false;
  std::thread ticker_;  // only where there is a live line
};

}  // namespace awf::cli
