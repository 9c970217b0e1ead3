#include "infrastructure/builtins/command_child.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "infrastructure/process/output_pipe.h"
#include "infrastructure/process/wake_event.h"

namespace awf::builtins {
namespace {

using process::Keeper;
using process::KeeperEvent;
using std::chrono::milliseconds;

constexpr milliseconds kGrace{5000};
constexpr milliseconds kDrainTime{120};
// A keeper that has not ended a tree so long after SIGKILL is stopped or broken, and is killed itself.
constexpr milliseconds kKeeperPatience{3000};

CommandEnd NotStarted(const char* stage, int error) { return {CommandEnd::Kind::kNotStarted, {}, {error, stage}}; }

}  // namespace

struct CommandChild::State {
  // A command that somebody waits for. Its pipes are touched by the dispatcher alone.
  struct Call {
    const OnOutput* on_output = nullptr;
    Deadline deadline;
    std::stop_token cancelled;
    Fd out, err;
    std::optional<CommandEnd> end;                // the answer, when it is over
    std::optional<CommandEnd::Kind> ended_early;  // kTimedOut or kCancelled: its tree is being ended
    std::optional<process::ExitStatus> exit;
    bool settled = false;  // nothing of it runs that we wait for
    Deadline drained_at, given_up_at;
  };

  explicit State(CommandChildOptions given) : options(std::move(given)) { process::BecomeSubreaper(); }

  void Adopt(std::unique_ptr<Keeper> started);
  std::expected<void, Error> EnsureKeeper();
  CommandEnd Run(process::SpawnRequest request, Call& call);
  void EndEverything(milliseconds grace);

  void Dispatch();
  void Poll(std::unique_lock<std::mutex>& lock);
  void ReadOutputs();
  void ReadEvents();
  void Handle(const KeeperEvent& event);
  void KeeperIsGone();
  void Judge(std::uint32_t job, Call& call);
  void EndEarly(std::uint32_t job, Call& call, CommandEnd::Kind why);
  void Settle(Call& call);
  void Finish(Call& call);
  Deadline NextMoment() const;

  const CommandChildOptions options;
  const process::WakeEvent wake;
  std::mutex mutex;
  std::condition_variable call_ended;
  std::unique_ptr<Keeper> keeper;
  std::map<std::uint32_t, Call*> calls;  // by job of the present keeper
  std::list<Fd> background;              // pipes of commands that are over, for the dispatcher alone
  bool closed = false;                   // the server ends
  bool stopping = false;                 // the dispatcher ends
  std::thread dispatcher;
};

void CommandChild::State::Adopt(std::unique_ptr<Keeper> started) {
  keeper = std::move(started);
  if (options.restrict_programs) keeper->Restrict();
}

std::expected<void, Error> CommandChild::State::EnsureKeeper() {
  if (!keeper) {
    auto spawned = Keeper::Spawn(options.program);
    if (!spawned) return std::unexpected(spawned.error());
    Adopt(std::move(*spawned));
  }
  if (!dispatcher.joinable()) dispatcher = std::thread([this] { Dispatch(); });
  return {};
}

CommandEnd CommandChild::State::Run(process::SpawnRequest request, Call& call) {
  auto out = process::MakeOutputPipe();
  auto err = process::MakeOutputPipe();
  if (!out || !err) return NotStarted("pipe", out ? err.error() : out.error());
  call.out = std::move(out->read_end);
  call.err = std::move(err->read_end);
  request.stdout_fd = out->write_end.get();
  request.stderr_fd = err->write_end.get();
  const std::stop_callback wake_up(call.cancelled, [this] { wake.Wake(); });

  std::unique_lock lock(mutex);
  if (closed || call.cancelled.stop_requested()) return {CommandEnd::Kind::kCancelled, {}, {}};
  if (!EnsureKeeper()) return NotStarted("keeper", EAGAIN);
  calls[keeper->Start(request)] = &call;
  out->write_end.Reset();
  err->write_end.Reset();
  wake.Wake();
  call_ended.wait(lock, [&] { return call.end.has_value(); });
  return *call.end;
}

void CommandChild::State::EndEverything(milliseconds grace) {
  const std::lock_guard lock(mutex);
  closed = true;
  for (const auto& [job, call] : calls) {
    if (!call->ended_early && !call->exit) call->ended_early = CommandEnd::Kind::kCancelled;
    call->given_up_at = SteadyClock::now() + grace + kKeeperPatience;
  }
  if (keeper) keeper->EndTree(process::kAllJobs, grace);
  wake.Wake();
}

void CommandChild::State::Dispatch() {
  std::unique_lock lock(mutex);
  while (!stopping) {
    Poll(lock);
    ReadEvents();
    for (const auto& [job, call] : calls) Judge(job, *call);
    if (std::erase_if(calls, [](const auto& entry) { return entry.second->end.has_value(); }) > 0) {
      call_ended.notify_all();
    }
  }
}

// Waits without the lock, and reads without it: calls come and go, but only this thread takes them out, and their pipes
// are its own.
void CommandChild::State::Poll(std::unique_lock<std::mutex>& lock) {
  std::vector<pollfd> watched{{wake.fd(), POLLIN, 0}, {keeper ? keeper->fd() : -1, POLLIN, 0}};
  std::vector<std::pair<Fd*, std::function<void(std::string_view)>>> pipes;
  for (const auto& [job, call] : calls) {
    const OnOutput& on_output = *call->on_output;
    pipes.emplace_back(&call->out, [&on_output](std::string_view bytes) { on_output(false, bytes); });
    pipes.emplace_back(&call->err, [&on_output](std::string_view bytes) { on_output(true, bytes); });
  }
  for (Fd& pipe : background) pipes.emplace_back(&pipe, [](std::string_view) {});
  for (const auto& [pipe, take] : pipes) watched.push_back({pipe->get(), POLLIN, 0});
  const int timeout = RemainingMs(NextMoment());
  lock.unlock();
  ::poll(watched.data(), watched.size(), timeout);
  wake.Clear();
  for (std::size_t i = 0; i < pipes.size(); ++i)
    if (watched[i + 2].revents != 0) process::ReadAvailable(*pipes[i].first, pipes[i].second);
  background.remove_if([](const Fd& pipe) { return !pipe; });
  lock.lock();
}

Deadline CommandChild::State::NextMoment() const {
  Deadline next;
  for (const auto& [job, call] : calls) {
    if (call->settled) {
      next = Earlier(next, call->drained_at);
    } else {
      next = Earlier(next, call->ended_early ? call->given_up_at : call->deadline);
    }
  }
  return next;
}

void CommandChild::State::ReadEvents() {
  while (keeper) {
    const auto event = keeper->Next();
    if (!event) return;
    Handle(*event);
  }
}

void CommandChild::State::Handle(const KeeperEvent& event) {
  if (event.kind == KeeperEvent::Kind::kGone) return KeeperIsGone();
  if (event.kind == KeeperEvent::Kind::kTreeGone && event.job == process::kAllJobs) {
    for (const auto& [job, call] : calls) Settle(*call);
    return;
  }
  const auto found = calls.find(event.job);
  if (found == calls.end()) return;
  Call& call = *found->second;
  switch (event.kind) {
    case KeeperEvent::Kind::kFailed:
      call.end = CommandEnd{CommandEnd::Kind::kNotStarted, {}, event.failure};
      return;
    case KeeperEvent::Kind::kExited:
      call.exit = event.status;
      // When the server ends there is no time to wait for the rest of the tree; it goes with the keeper.
      if (!call.ended_early || closed) Settle(call);
      return;
    case KeeperEvent::Kind::kTreeGone:
      return Settle(call);
    case KeeperEvent::Kind::kStarted:
    case KeeperEvent::Kind::kFolderReady:
    case KeeperEvent::Kind::kGone:
      return;
  }
}

void CommandChild::State::KeeperIsGone() {
  keeper.reset();
  for (const auto& [job, call] : calls) {
    if (!call->end) call->end = CommandEnd{call->ended_early.value_or(CommandEnd::Kind::kLost), {}, {}};
    Finish(*call);
  }
}

void CommandChild::State::Judge(std::uint32_t job, Call& call) {
  if (call.end) return Finish(call);
  if (call.settled) {
    if ((call.out || call.err) && !Passed(call.drained_at)) return;
    const bool exited = call.exit && !call.ended_early;
    call.end = exited ? CommandEnd{CommandEnd::Kind::kExited, *call.exit, {}}
                      : CommandEnd{call.ended_early.value_or(CommandEnd::Kind::kLost), {}, {}};
    return Finish(call);
  }
  if (call.ended_early) {
    if (Passed(call.given_up_at) && keeper) ::kill(keeper->pid(), SIGKILL);  // the next event is kGone
  } else if (call.cancelled.stop_requested()) {
    EndEarly(job, call, CommandEnd::Kind::kCancelled);
  } else if (Passed(call.deadline)) {
    EndEarly(job, call, CommandEnd::Kind::kTimedOut);
  }
}

void CommandChild::State::EndEarly(std::uint32_t job, Call& call, CommandEnd::Kind why) {
  call.ended_early = why;
  call.given_up_at = SteadyClock::now() + kGrace + kKeeperPatience;
  keeper->EndTree(job, kGrace);
}

void CommandChild::State::Settle(Call& call) {
  if (call.settled) return;
  call.settled = true;
  call.drained_at = SteadyClock::now() + (closed ? milliseconds{0} : kDrainTime);
}

// What still writes goes on writing.
void CommandChild::State::Finish(Call& call) {
  for (Fd* pipe : {&call.out, &call.err})
    if (*pipe) background.push_back(std::move(*pipe));
}

CommandChild::CommandChild(CommandChildOptions options) : state_(std::make_unique<State>(std::move(options))) {}

std::expected<std::shared_ptr<CommandChild>, Error> CommandChild::Fork(CommandChildOptions options) {
  auto keeper = Keeper::Fork();
  if (!keeper) return std::unexpected(keeper.error());
  auto child = std::make_shared<CommandChild>(std::move(options));
  child->state_->Adopt(std::move(*keeper));
  return child;
}

CommandChild::~CommandChild() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.Wake();
  if (state_->dispatcher.joinable()) state_->dispatcher.join();
}

CommandEnd CommandChild::Run(process::SpawnRequest request, const Deadline& deadline, const std::stop_token& cancelled,
                             const OnOutput& on_output) {
  State::Call call;
  call.on_output = &on_output;
  call.deadline = deadline;
  call.cancelled = cancelled;
  return state_->Run(std::move(request), call);
}

void CommandChild::CancelAll() { state_->EndEverything(kGrace); }
void CommandChild::KillAll() { state_->EndEverything(milliseconds{0}); }

}  // namespace awf::builtins
