// TranscriptRecorder: makes the transcript of a run: what was said, and what tools were given and yielded.
//
// Types of records: run.started, run.completed, step.started, step.completed, message.system, message.user,
// message.assistant, tool.call, tool.result, bypass, usage. How much of texts is in them is the TranscriptContent's;
// sizes (`bytes`) are always there, of the whole text before it is masked or cut.
//
// Each call that our router ran is one tool.call and one tool.result of fidelity `router`, told as they happen, however
// they were told by the agent. Fidelity `agent_emitted`, the agent's own account, have native tools and calls that
// never reached the router (use_matcher.h); they bear the time at which the agent told of them. Blocks tool_use and
// tool_result of messages have sizes only: the content is in the records of the call with that id.
//
// A command step says its command (message.user, block `command`) and what it wrote (message.assistant, blocks
// `stream`, one a stream that was not empty, at the end of each attempt). `usage` is told once an attempt; those of a
// step add up to the step's.
//
// Thread-safe. Owns no sink; it outlives this. A sink that cannot write is told once through `on_failure`, and goes on
// to be asked. Memory of a running step: at most kLongestContent of each of its two streams and of each use that waits
// for its call.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "application/records/use_matcher.h"
#include "domain/record_sinks.h"
#include "domain/run_observer.h"

namespace awf {

enum class TranscriptContent {
  kNone,  // types and sizes; no text that anyone wrote
  kText,  // messages and errors; input and output of tools and commands as sizes
  kFull,  // input and output too, where they are captured
};

class TranscriptRecorder final : public RunObserver {
 public:
  using Clock = std::function<WallClock::time_point()>;

  TranscriptRecorder(TranscriptSink& sink, TranscriptContent content, std::function<void()> on_failure,
                     Clock clock = WallClock::now);

  void RunStarted(const RunStart& start) override;
  void StepStarted(const StepContext& step, const StepStart& start) override;
  void CallStarted(const StepContext& step, const CallRecord& call) override;
  void CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) override;
  void Bypassed(const StepContext& step, const NativeUse& use) override;
  void MessageSaid(const StepContext& step, const AgentMessage& message) override;
  void TokensUsed(const StepContext& step, const TokenUsage& usage) override;
  void CommandOutput(const StepContext& step, bool is_stderr, std::string_view text) override;
  void StepRetried(const StepContext& step, const StepRetry& retry) override;
  void StepEnded(const StepContext& step, const StepEnd& end) override;
  void RunEnded(const RunEnd& end) override;

 private:
  using Records = std::vector<TranscriptRecord>;

  struct Stream {
    std::string text;  // the beginning
    std::uint64_t bytes = 0;
  };
  // An entered state, over all its attempts.
  struct OpenStep {
    StepStart start;
    UseMatcher uses;
    std::map<std::string, std::string> call_ids;  // of calls that run: the agent's id by ours
    Stream out, err;
    TokenUsage attempt_usage;  // running total
    TokenUsage told_usage;     // of the attempts before
  };

  TranscriptRecord New(const StepContext& step, std::string_view type) const;
  OpenStep* Find(const StepContext& step);  // under mutex_; null for a step that is not open
  void NoteUse(const StepContext& step, const MessageBlock& block, OpenStep& open, Records& records) const;
  void NoteResult(const StepContext& step, const MessageBlock& block, OpenStep& open, Records& records) const;
  void AddClaim(const StepContext& step, const AgentUse& use, Records& records) const;
  void EndAttempt(const StepContext& step, OpenStep& open, Records& records) const;
  void AddUsage(const StepContext& step, const TokenUsage& usage, Records& records) const;
  void Write(const Records& records);

  TranscriptSink& sink_;
  const TranscriptContent content_;
  const std::function<void()> on_failure_;
  const Clock clock_;

  std::mutex mutex_;  // guards what follows; never held while a record is written
  std::string workflow_, version_;
  std::map<std::string, OpenStep> open_;  // by span id
  bool failed_ = false;
};

}  // namespace awf
