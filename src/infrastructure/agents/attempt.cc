#include "infrastructure/agents/attempt.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "domain/last_lines.h"
#include "infrastructure/agents/kept_messages.h"
#include "infrastructure/agents/step_isolation.h"

namespace awf::agents {
namespace {

using std::chrono::milliseconds;
using Kind = process::KeeperEvent::Kind;

constexpr milliseconds kKillAfter{5000};        // SIGTERM → SIGKILL
constexpr milliseconds kChannelPatience{1000};  // for servers to end after the CLI
constexpr milliseconds kServerPatience{200};    // a server needs 100 ms to end
constexpr milliseconds kLongestDrain{5500};     // after the first signal
constexpr milliseconds kLeftoverGrace{400};     // for what the CLI left running
constexpr milliseconds kTreePatience{3000};     // beyond the grace, for the keeper to answer

// A command child needs up to 100 ms to clean up after a lost server; what is left then belongs to nobody.
constexpr milliseconds kStrayDelays[] = {milliseconds{250}, milliseconds{700}};

Error NewError(std::string code, std::string message, std::string hint = {}) {
  return Fail(std::move(code), std::move(message), std::move(hint)).error();
}

std::string Seconds(milliseconds duration) { return std::to_string(duration.count() / 1000) + " s"; }

}  // namespace

Attempt::Attempt(const AgentHost& host, ProgramAnswers& answers, ConversationFolders& conversations,
                 const AgentRequest& request, RunObserver& observer, bool fallback)
    : host_(host),
      answers_(answers),
      conversations_(conversations),
      request_(request),
      observer_(observer),
      proxy_(request.step, observer),
      fallback_(fallback) {}

void Attempt::Warn(const std::string& text) const {
  observer_.Logged(&request_.step, LogLevel::kWarn, text, json::object{{"provider", request_.provider_as_written}});
}

void Attempt::Supervise() {
  const Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::stop_callback on_cancel(request_.cancelled, [&wake] {
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake.get(), &one, sizeof one));
  });
  std::vector<pollfd> fds;
  while (phase_ != Phase::kDone) {
    StopIfDue();
    fds.clear();
    fds.push_back({keeper_->fd(), POLLIN, 0});
    if (phase_ == Phase::kRunning) fds.push_back({wake.get(), POLLIN, 0});
    cli_->AddFds(fds);
    if (channel_) {
      channel_->AddFds(fds);
      fds.push_back({plugin_calls_->fd(), POLLIN, 0});
    }
    ::poll(fds.data(), fds.size(), PollTimeout());
    // The order matters: ends of servers that lie before the CLI's final event are deaths, those after it are not.
    DrainChannel();
    HandleStream();
    HandleKeeper();
    AdvancePhase();
  }
  cli_->Finish();
  DrainChannel();
  plugin_calls_.reset();
  channel_.reset();
  proxy_.Finish();
  stream_->Finish(cancelled_);
  // The keeper, and with it the private folder, stays until the provider has judged: Vibe tells its result there.
}

int Attempt::PollTimeout() const {
  Deadline next = phase_until_;
  if (phase_ == Phase::kRunning) next = Earlier(next, request_.deadline);
  if (!stray_checks_.empty()) next = Earlier(next, *stray_checks_.begin());
  return RemainingMs(next);
}

void Attempt::DrainChannel() {
  if (!channel_) return;
  for (const channel::ServerEvent& event : channel_->Handle()) HandleEvent(event);
  for (PluginCalls::Result& result : plugin_calls_->Take()) channel_->Send(result.connection, std::move(result.line));
  if (!version_checked_ && !proxy_.client().empty()) CheckVersion();
}

void Attempt::HandleEvent(const channel::ServerEvent& event) {
  proxy_.Handle(event);
  const auto handled = HandlePluginEvent(event);
  if (handled) return;
  if (const auto dropped = channel_->Drop(event.connection, handled.error())) HandleEvent(*dropped);
}

// After the monitor has seen it: it knows which calls are in flight.
std::expected<void, std::string> Attempt::HandlePluginEvent(const channel::ServerEvent& event) {
  if (event.kind == channel::ServerEvent::Kind::kClosed) plugin_calls_->Close(event.connection);
  if (!event.message) return {};
  if (const auto* call = std::get_if<channel::PluginCall>(&*event.message)) {
    return plugin_calls_->Start(event.connection, *call, proxy_.InFlight(event.connection, call->call));
  }
  if (const auto* cancel = std::get_if<channel::PluginCancel>(&*event.message)) {
    plugin_calls_->Cancel(event.connection, cancel->call);
  } else if (const auto* finished = std::get_if<channel::CallFinished>(&*event.message)) {
    plugin_calls_->Finished(event.connection, finished->call);
  }
  return {};
}

// What the CLI calls itself to our server, held against what --version told.
void Attempt::CheckVersion() {
  version_checked_ = true;
  if (!stream_ || !request_.Intercepts() || entry_->mcp_client.empty() || proxy_.client() != entry_->mcp_client) return;
  const std::string& told = proxy_.client_version();
  if (told == version_) return;
  if (version_.empty()) return stream_->VersionIs(told, ClaimOf(*entry_, told, request_, doubt_, proven_));
  stream_->VersionIs(version_,
                     {IsolationLevel::kCoexisting, "--version says " + version_ + ", the CLI itself says " + told});
}

void Attempt::HandleStream() {
  cli_->Handle();
  if (stream_->final_event()) proxy_.StepEnds();
  if (proxy_.JudgeEnds()) {
    for (const milliseconds delay : kStrayDelays) stray_checks_.insert(SteadyClock::now() + delay);
  }
  while (!stray_checks_.empty() && SteadyClock::now() >= *stray_checks_.begin()) {
    keeper_->KillStrays();
    stray_checks_.erase(stray_checks_.begin());
  }
}

void Attempt::HandleKeeper() {
  while (const auto event = keeper_->Next()) {
    switch (event->kind) {
      case Kind::kFailed:
        spawn_failure_ = NewError("EXECUTION.AGENT.NOT_INSTALLED", "cannot start " + std::string(entry_->program) +
                                                                       ": " + event->failure.stage + ": " +
                                                                       std::strerror(event->failure.error_number));
        phase_ = Phase::kDone;
        break;
      case Kind::kExited:
        HandleExit(event->status);
        break;
      case Kind::kTreeGone:
        phase_ = Phase::kDone;
        break;
      case Kind::kGone:
        keeper_died_ = true;
        phase_ = Phase::kDone;
        return;
      case Kind::kStarted:
      case Kind::kFolderReady:
        break;
    }
  }
}

void Attempt::HandleExit(const process::ExitStatus& status) {
  exit_ = status;
  // All that the CLI wrote is in the pipe by now; a server that ended before is judged by what stands there.
  cli_->Handle();
  DrainChannel();
  if (stream_->final_event()) proxy_.StepEnds();
  proxy_.JudgeEnds();
  proxy_.StepEnds();
  if (phase_ != Phase::kEnding) EnterDraining();
}

std::optional<Error> Attempt::WhyOver() {
  if (request_.cancelled.stop_requested()) {
    cancelled_ = true;
    return NewError("EXECUTION.RUN.CANCELLED", "the agent was stopped");
  }
  if (!Passed(request_.deadline)) return std::nullopt;
  timed_out_ = true;
  return NewError("EXECUTION.AGENT.TIMEOUT",
                  "the agent ran into the timeout of its step after " +
                      Seconds(std::chrono::round<std::chrono::seconds>(SteadyClock::now() - begin_)),
                  "Raise timeout of the state.");
}

void Attempt::StopIfDue() {
  if (phase_ != Phase::kRunning) return;
  stop_ = WhyOver();
  if (!stop_) stop_ = stream_->stop_reason();
  if (stop_) Terminate();
}

void Attempt::Terminate() {
  keeper_->SignalGroup(cli_->job(), SIGTERM);
  signalled_ = SteadyClock::now();
  // At its time limit a call ends by itself.
  if (plugin_calls_ && !timed_out_) plugin_calls_->CancelAll();
  if (cancelled_ || timed_out_) {
    proxy_.StepIsStopped(cancelled_ ? CallOutcome::kCancelled : CallOutcome::kTimeout);
  } else {
    proxy_.StepEnds();
  }
  phase_ = Phase::kTerminating;
  phase_until_ = *signalled_ + kKillAfter;
}

void Attempt::EnterDraining() {
  phase_ = Phase::kDraining;
  // A CLI that was killed takes nobody down with it in order.
  if (exit_.signal != 0) return EndServers();
  phase_until_ = SteadyClock::now() + kChannelPatience;
  if (signalled_) phase_until_ = Earlier(phase_until_, *signalled_ + kLongestDrain);
}

// Before the whole tree: a server that ends in order tells how its calls ended, and ends its commands itself.
void Attempt::EndServers() {
  if (channel_) {
    for (const pid_t server : channel_->LivePeers()) ::kill(server, SIGTERM);
  }
  servers_ended_ = true;
  phase_until_ = SteadyClock::now() + kServerPatience;
}

void Attempt::EnterEnding(milliseconds grace) {
  if (plugin_calls_) plugin_calls_->CancelAll();
  phase_ = Phase::kEnding;
  phase_until_ = SteadyClock::now() + grace + kTreePatience;
  keeper_->EndTree(cli_->job(), grace);
}

void Attempt::AdvancePhase() {
  switch (phase_) {
    case Phase::kRunning:
    case Phase::kDone:
      break;
    case Phase::kTerminating:
      if (Passed(phase_until_)) EnterEnding(milliseconds{0});
      break;
    case Phase::kDraining:
      if (!channel_ || channel_->LivePeers().empty() || (servers_ended_ && Passed(phase_until_))) {
        EnterEnding(kLeftoverGrace);
      } else if (Passed(phase_until_)) {
        EndServers();
      }
      break;
    case Phase::kEnding:
      if (Passed(phase_until_)) phase_ = Phase::kDone;
      break;
  }
}

std::shared_ptr<const AgentSession> Attempt::SessionOf(Verdict& verdict) const {
  AgentSession session;
  session.messages = KeptMessages(std::move(verdict.messages), request_, observer_);
  if (verdict.session_id.empty() && session.messages.is_null()) return nullptr;
  session.provider = request_.provider;
  session.id = verdict.session_id;
  session.usage = verdict.thread_usage;
  session.working_dir = request_.working_dir;
  session.folder = ConversationFolders::MarkOf(conversation_folder_);
  return std::make_shared<const AgentSession>(std::move(session));
}

std::optional<Error> Attempt::Failure(const Verdict& verdict) const {
  if (cancelled_ || timed_out_) return stop_;
  if (keeper_died_) return NewError("EXECUTION.AGENT.FAILED", "the keeper process of the step was killed");
  if (spawn_failure_) return spawn_failure_;
  if (stream_->stop_reason()) {
    Error why = *stream_->stop_reason();
    if (why.code == "EXECUTION.MCP_PROXY.NOT_CONNECTED") why.message = WithErrorLines(why.message);
    return why;
  }
  if (auto lost = proxy_.Failure()) {
    lost->message = WithErrorLines(lost->message);
    return lost;
  }
  if (verdict.failure) return verdict.failure;
  if (request_.proxy && !proxy_.Connected()) {
    return NewError("EXECUTION.MCP_PROXY.NOT_CONNECTED",
                    WithErrorLines(request_.provider_as_written + " ended without having connected to its MCP server"));
  }
  return stream_->Failure();
}

std::string Attempt::WithErrorLines(std::string message) const {
  constexpr std::size_t kMost = 1000;
  std::string_view tail = cli_->error_tail();
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.remove_suffix(1);
  if (tail.empty()) return message;
  if (tail.size() > kMost) {
    tail.remove_prefix(tail.size() - kMost);
    const std::size_t feed = tail.find('\n');
    if (feed != std::string_view::npos) tail.remove_prefix(feed + 1);
  }
  return message + "; its last words:\n" + std::string(tail);
}

void Attempt::LogErrorOutput() const {
  constexpr std::size_t kLines = 20;
  const std::string_view last = LastLines(cli_->error_tail(), kLines);
  if (last.empty()) return;
  observer_.Logged(&request_.step, LogLevel::kError, "agent stderr",
                   json::object{{"provider", request_.provider_as_written}, {"text", last}});
}

StepResult Attempt::Conclude(std::optional<Error> failure) {
  StepResult result;
  StepEnd& end = result.end;
  Verdict verdict;
  if (!failure) {
    verdict = provider_->Judge({exit_.exit_code, exit_.signal, cli_->error_tail()});
    if (!verdict.isolation_doubt.empty()) stream_->Doubt(verdict.isolation_doubt);
    failure = Failure(verdict);
    result.output = std::move(verdict.output);
    result.error_output = cli_->error_tail();
    end.stderr_tail = cli_->error_tail();
    end.exit_code = exit_.exit_code;
    wants_fallback_ = verdict.try_fallback && failure.has_value();
    end.isolation = stream_->level();
    end.provider_version = stream_->version();
    end.bypasses = stream_->bypasses();
    if (!failure || failure->code != "EXECUTION.AGENT.SESSION_LOST") result.session = SessionOf(verdict);
    if (failure) LogErrorOutput();
    if (cli_->dropped_lines() > 0) {
      Warn("lines of the agent's stream above 64 MiB were skipped: " + std::to_string(cli_->dropped_lines()));
    }
    if (verdict.usage.total == 0 && stream_->text_bytes() > 0) {
      verdict.usage.input = static_cast<std::int64_t>(input_bytes_ / 4);
      verdict.usage.output = static_cast<std::int64_t>(stream_->text_bytes() / 4);
      verdict.usage.total = verdict.usage.input + verdict.usage.output;
      verdict.usage.estimated = true;
    }
  }
  if (keeper_) keeper_->Stop(milliseconds{0});
  end.status = StepStatus::kSuccess;
  if (failure) {
    end.status = cancelled_ ? StepStatus::kCancelled : timed_out_ ? StepStatus::kTimeout : StepStatus::kFailure;
    if (end.exit_code == 0) end.exit_code = 1;
    failure->step = request_.step.step;
  }
  end.error = std::move(failure);
  end.usage = verdict.usage;
  end.session_id = verdict.session_id;
  end.model = verdict.model;
  end.provider = request_.provider;
  end.sandbox = sandbox_;
  end.proxy = request_.proxy.has_value();
  end.intercept = request_.proxy && request_.proxy->intercept_builtins;
  end.tool_calls = proxy_.calls();
  end.proxy_starts = proxy_.starts();
  end.proxy_tools = proxy_.tools();
  end.duration = std::chrono::duration_cast<milliseconds>(SteadyClock::now() - begin_);
  return result;
}

}  // namespace awf::agents
