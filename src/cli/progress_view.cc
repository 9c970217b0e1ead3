#include "cli/progress_view.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <utility>

namespace awf::cli {
namespace {

constexpr std::chrono::milliseconds kFrame{120};
constexpr int kOut = 1, kErr = 2;

std::chrono::milliseconds Since(SteadyClock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - start);
}

const std::string& PathOf(const StepContext& step) { return step.path.empty() ? step.step : step.path; }

// The pass that "loop:12/state" stands in.
int PassOf(std::string_view path) {
  const std::size_t end = path.rfind('/');
  if (end == std::string_view::npos) return 0;
  const std::size_t colon = path.rfind(':', end);
  int pass = 0;
  if (colon != std::string_view::npos) std::from_chars(path.data() + colon + 1, path.data() + end, pass);
  return pass;
}

}  // namespace

ProgressView::ProgressView(ProgressOptions options, Console& console, const Masker& masker)
    : options_(std::move(options)), console_(console), masker_(masker), repeats_(options_.verbose) {
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

// The states that do something; those that hold others only when none does.
std::string ProgressView::CurrentLine() {
  std::vector<LiveState> running;
  for (const SpanId& id : order_)
    if (const RunningStep& step = steps_.at(id); !step.Holds()) running.push_back(Live(step));
  if (running.empty() && !order_.empty()) running.push_back(Live(steps_.at(order_.back())));
  return running.empty() ? std::string() : LiveLine(running, frame_, Style());
}

LiveState ProgressView::Live(const RunningStep& step) const {
  LiveState state{step.label.empty() ? step.shown_path : step.label,
                  Since(step.start),
                  {},
                  step.calls_ended,
                  step.tokens,
                  step.attempt,
                  {}};
  for (const RunningCall& call : step.calls) state.calls.push_back({call.tool, Since(call.start)});
  if (step.retry_at && *step.retry_at > SteadyClock::now())
    state.wait = std::chrono::duration_cast<std::chrono::milliseconds>(*step.retry_at - SteadyClock::now());
  return state;
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

ProgressView::RunningStep* ProgressView::Find(const StepContext& step) {
  const auto found = steps_.find(step.span_id);
  return found == steps_.end() ? nullptr : &found->second;
}

// Beside others is whoever stands in a parallel state; the label is the path from the outermost one on.
void ProgressView::Place(const StepContext& step, RunningStep& running) {
  for (auto holder = steps_.find(step.parent_span_id); holder != steps_.end();
       holder = steps_.find(holder->second.parent)) {
    const RunningStep& outer = holder->second;
    if (outer.kind == StepKind::kForEach) running.in_loop = true;
    if (outer.kind == StepKind::kParallel && running.path.starts_with(outer.path + "/"))
      running.label = Shown(running.path.substr(outer.path.size() + 1));
  }
}

void ProgressView::CountPass(const RunningStep& running) {
  const auto holder = steps_.find(running.parent);
  if (holder == steps_.end() || holder->second.kind != StepKind::kForEach) return;
  holder->second.passes = std::max(holder->second.passes, PassOf(running.path) + 1);
}

void ProgressView::StepStarted(const StepContext& step, const StepStart& start) {
  if (step.kind == StepKind::kTerminal) return;
  std::string note, line;
  {
    const std::lock_guard lock(mutex_);
    if (Find(step) != nullptr) return;
    RunningStep running;
    running.kind = step.kind;
    running.parent = step.parent_span_id;
    running.path = PathOf(step);
    running.shown_path = Shown(running.path);
    running.start = SteadyClock::now();
    Place(step, running);
    CountPass(running);
    const Repeats::Entry entry = repeats_.Entered(running.path);
    running.folded = !entry.shown;
    note = entry.note;
    // In a loop a command is told when it has ended, and that is enough.
    const bool told = !running.folded && (options_.verbose || !running.in_loop || step.kind != StepKind::kCommand);
    const std::string& who = step.kind == StepKind::kOperation ? start.operation : start.provider;
    if (told) line = StepStartedLine(running.shown_path, step.kind, Shown(who), Style());
    steps_.insert_or_assign(step.span_id, std::move(running));
    order_.push_back(step.span_id);
  }
  if (!note.empty()) Say(NoteLine(Shown(note), Style()));
  if (!line.empty()) Say(line);
  Redraw();
}

void ProgressView::CallStarted(const StepContext& step, const CallRecord& call) {
  EndText(step, Piece::kBreak);
  {
    const std::lock_guard lock(mutex_);
    RunningStep* running = Find(step);
    if (running == nullptr) return;
    running->calls.push_back({call.call, Shown(call.tool), SteadyClock::now()});
  }
  Redraw();
}

void ProgressView::CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) {
  bool told = true;
  std::string whose;
  {
    const std::lock_guard lock(mutex_);
    if (RunningStep* running = Find(step)) {
      std::erase_if(running->calls, [&](const RunningCall& one) { return one.id == call.call; });
      ++running->calls_ended;
      told = !running->folded;
      whose = running->label;
    }
  }
  if (told) Say(CallLine(whose, Shown(call.tool), Shown(call.source), end, Shown(end.error), Style()));
  Redraw();
}

void ProgressView::TokensUsed(const StepContext& step, const TokenUsage& usage) {
  {
    const std::lock_guard lock(mutex_);
    if (RunningStep* running = Find(step)) running->tokens = usage;
  }
  Redraw();
}

void ProgressView::AgentText(const StepContext& step, std::string_view text) { Pass(step, kOut, text, Piece::kMore); }

// What the model says before a call and after it are two texts.
void ProgressView::EndText(const StepContext& step, Piece piece) {
  Pass(step, kOut, {}, piece);
  if (options_.output) console_.EndOutLine();
}

void ProgressView::CommandOutput(const StepContext& step, bool is_stderr, std::string_view text) {
  if (options_.mode != OutputMode::kSilent) Pass(step, is_stderr ? kErr : kOut, text, Piece::kMore);
}

void ProgressView::Pass(const StepContext& step, int stream, std::string_view text, Piece piece) {
  if (!options_.output) return;
  const ConsoleOptions& console = console_.options();
  const bool terminal = stream == kErr ? console.err_is_terminal : console.out_is_terminal;
  std::string shown;
  {
    const std::lock_guard lock(mutex_);
    RunningStep* running = Find(step);
    if (running == nullptr) return;
    if (text.empty() && !running->flows.contains(stream)) return;
    const bool hold = options_.mode == OutputMode::kBuffered;
    const FlowOptions flow_options{terminal, terminal && console.color, running->label, hold};
    OutputFlow& flow = running->flows.try_emplace(stream, flow_options, masker_).first->second;
    if (piece == Piece::kMore) {
      shown = flow.Feed(text);
    } else {
      shown = piece == Piece::kBreak ? flow.Break() : flow.Finish();
    }
  }
  if (stream == kErr) {
    console_.Err(shown);
  } else {
    console_.Out(shown);
  }
}

void ProgressView::StepRetried(const StepContext& step, const StepRetry& retry) {
  EndText(step, Piece::kBreak);
  bool told = true;
  std::string path = Shown(PathOf(step));
  {
    const std::lock_guard lock(mutex_);
    if (RunningStep* running = Find(step)) {
      running->attempt = retry.attempt;
      running->retry_at = SteadyClock::now() + retry.delay;
      running->calls.clear();
      told = !running->folded;
    }
  }
  const auto of = options_.attempts.find(step.step);
  if (told)
    Say(RetryLine(path, retry, of == options_.attempts.end() ? 0 : of->second, Shown(retry.error.message), Style()));
  Redraw();
}

void ProgressView::StepEnded(const StepContext& step, const StepEnd& end) {
  EndText(step, Piece::kFinish);
  Pass(step, kErr, {}, Piece::kFinish);
  bool told = true;
  int passes = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const RunningStep* running = Find(step)) {
      passes = running->passes;
      const bool failed = end.status == StepStatus::kFailure || end.status == StepStatus::kTimeout;
      told = !running->folded || (failed && repeats_.Failed(running->path));
    }
    steps_.erase(step.span_id);
    std::erase(order_, step.span_id);
  }
  Redraw();
  if (!told) return;
  const std::string error = end.error ? Shown(end.error->code + ": " + end.error->message) : std::string();
  Say(StepEndedLine(Shown(PathOf(step)), step.kind, end, passes, error, Style()));
}

}  // namespace awf::cli
