#include "cli/progress_view.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace awf::cli {
namespace {

constexpr std::chrono::milliseconds kFrame{120};
constexpr int kOut = 1, kErr = 2;

std::chrono::milliseconds Since(SteadyClock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - start);
}

}  // namespace

ProgressView::ProgressView(ProgressOptions options, Console& console, const Masker& masker)
    : options_(options), console_(console), masker_(masker) {
  if (!options_.states || !console_.options().live) return;
  // Signals are for the thread that waits for them, never for this one.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  ticker_ = std::thread([this] { Tick(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressView::~ProgressView() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  console_.Restore();
}

void ProgressView::Tick() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    wake_.wait_for(lock, kFrame, [this] { return stopping_; });
    ++frame_;
    if (stopping_ || paused_) continue;
    // Under the lock, so that a pause cannot be overtaken by a drawing that began before it.
    console_.SetLive(CurrentLine());
  }
}

std::string ProgressView::CurrentLine() {
  if (order_.empty()) return {};
  const RunningStep& step = steps_.at(order_.back());
  LiveState state{step.name, Since(step.start), {}, step.calls_ended, step.tokens, frame_};
  for (const RunningCall& call : step.calls) state.calls.push_back({call.tool, Since(call.start)});
  return LiveLine(state, Style());
}

void ProgressView::Redraw() {
  const std::lock_guard lock(mutex_);
  if (options_.states && !paused_) console_.SetLive(CurrentLine());
}

void ProgressView::Pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  console_.Restore();
}

void ProgressView::Resume() {
  {
    const std::lock_guard lock(mutex_);
    paused_ = false;
  }
  Redraw();
}

LineStyle ProgressView::Style() const { return {console_.options().color, console_.Columns()}; }

std::string ProgressView::Shown(std::string_view text) const { return PrintableLine(masker_.MaskText(text)); }

void ProgressView::Say(const std::string& line) {
  if (options_.states) console_.Line(line);
}

void ProgressView::RunStarted(const RunStart& start) {
  Say("run " + Shown(start.run_id) + " · " + Shown(start.workflow));
}

void ProgressView::StepStarted(const StepContext& step, const StepStart& start) {
  if (step.kind == StepKind::kTerminal) return;
  {
    const std::lock_guard lock(mutex_);
    RunningStep running;
    running.name = Shown(step.step);
    running.start = SteadyClock::now();
    steps_.insert_or_assign(step.span_id, std::move(running));
    std::erase(order_, step.span_id);
    order_.push_back(step.span_id);
  }
  Say(StepStartedLine(Shown(step.step), step.kind, Shown(start.provider), Style()));
  Redraw();
}

void ProgressView::CallStarted(const StepContext& step, const CallRecord& call) {
  EndText(step);
  {
    const std::lock_guard lock(mutex_);
    const auto found = steps_.find(step.span_id);
    if (found == steps_.end()) return;
    found->second.calls.push_back({call.call, Shown(call.tool), SteadyClock::now()});
  }
  Redraw();
}

void ProgressView::CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = steps_.find(step.span_id); found != steps_.end()) {
      std::erase_if(found->second.calls, [&](const RunningCall& running) { return running.id == call.call; });
      ++found->second.calls_ended;
    }
  }
  Say(CallLine(Shown(call.tool), Shown(call.source), end, Shown(end.error), Style()));
  Redraw();
}

void ProgressView::TokensUsed(const StepContext& step, const TokenUsage& usage) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = steps_.find(step.span_id); found != steps_.end()) found->second.tokens = usage;
  }
  Redraw();
}

void ProgressView::AgentText(const StepContext& step, std::string_view text) { Pass(step, kOut, text, false); }

// What the model says before a call and after it are two texts.
void ProgressView::EndText(const StepContext& step) {
  Pass(step, kOut, {}, true);
  if (options_.output) console_.EndOutLine();
}

void ProgressView::CommandOutput(const StepContext& step, bool is_stderr, std::string_view text) {
  Pass(step, is_stderr ? kErr : kOut, text, false);
}

void ProgressView::Pass(const StepContext& step, int stream, std::string_view text, bool final) {
  if (!options_.output) return;
  const bool terminal = stream == kErr ? console_.options().err_is_terminal : console_.options().out_is_terminal;
  std::string shown;
  {
    const std::lock_guard lock(mutex_);
    const auto found = steps_.find(step.span_id);
    if (found == steps_.end()) return;
    Flow& flow = found->second.flows.try_emplace(stream, masker_).first->second;
    shown = flow.secrets.Feed(text);
    if (final) shown += flow.secrets.Flush();
    if (terminal) shown = flow.filter.Feed(shown);
    if (terminal && final) shown += flow.filter.Flush();
  }
  if (stream == kErr) {
    console_.Err(shown);
  } else {
    console_.Out(shown);
  }
}

void ProgressView::StepEnded(const StepContext& step, const StepEnd& end) {
  EndText(step);
  Pass(step, kErr, {}, true);
  {
    const std::lock_guard lock(mutex_);
    steps_.erase(step.span_id);
    std::erase(order_, step.span_id);
  }
  Redraw();
  const std::string error = end.error ? Shown(end.error->code + ": " + end.error->message) : std::string();
  Say(StepEndedLine(Shown(step.step), step.kind, end, error, Style()));
}

}  // namespace awf::cli
