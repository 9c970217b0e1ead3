// ProgressView: what a user sees of a run while it runs.
//
// stderr: states, tool calls as they end, and on a terminal one calm live line with what goes on right now; in a pipe
// plain lines. stdout: the agents' text and the output of commands. What models, commands and clients say is hostile:
// secrets are masked, on a terminal control sequences are removed, and in awf's own lines always. Thread-safe.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/console.h"
#include "cli/progress_text.h"
#include "domain/masker.h"
#include "domain/run_observer.h"
#include "domain/terminal_text.h"

namespace awf::cli {

struct ProgressOptions {
  bool states = true;  // states, calls, live line; off with --quiet
  bool output = true;  // the agents' text and the output of commands; off with -f json
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
  void StepEnded(const StepContext& step, const StepEnd& end) override;

  // Takes the live line away and gives the terminal back, as before a stop of the process (Ctrl-Z) or its end.
  void Pause();
  void Resume();

 private:
  // Text of one source on its way to one stream.
  struct Flow {
    explicit Flow(const Masker& masker) : secrets(masker) {}
    StreamMasker secrets;
    TerminalFilter filter;
  };
  struct RunningCall {
    std::string id, tool;
    SteadyClock::time_point start;
  };
  struct RunningStep {
    std::string name;
    SteadyClock::time_point start;
    std::vector<RunningCall> calls;
    int calls_ended = 0;
    TokenUsage tokens;
    std::map<int, Flow> flows;  // by stream: 1, 2
  };

  LineStyle Style() const;
  std::string Shown(std::string_view text) const;  // masked, one line
  void Say(const std::string& line);
  void Pass(const StepContext& step, int stream, std::string_view text, bool final);
  void EndText(const StepContext& step);
  void Tick();
  std::string CurrentLine();  // under mutex_
  void Redraw();

  const ProgressOptions options_;
  Console& console_;
  const Masker& masker_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::map<SpanId, RunningStep> steps_;
  std::vector<SpanId> order_;  // as started; the live line shows the last
  std::size_t frame_ = 0;
  bool paused_ = false, stopping_ = false;
  std::thread ticker_;  // only where there is a live line
};

}  // namespace awf::cli
