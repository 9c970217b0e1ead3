#include "infrastructure/agents/attempt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "domain/last_lines.h"
#include "domain/random_id.h"
#include "domain/trace_context.h"
#include "infrastructure/agents/cli_program.h"
#include "infrastructure/agents/kept_messages.h"
#include "infrastructure/agents/step_isolation.h"
#include "infrastructure/agents/step_tools.h"
#include "infrastructure/agents/stream_json.h"
#include "infrastructure/mcp/serve_config.h"

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
constexpr long long kLongestToolTimeoutMs = 24LL * 3600 * 1000;

// A command child needs up to 100 ms to clean up after a lost server; what is left then belongs to nobody.
constexpr milliseconds kStrayDelays[] = {milliseconds{250}, milliseconds{700}};

// The names of the built-in tools, in the order of a client's list.
const std::vector<std::string>& BuiltinNames() {
  static const std::vector<std::string> names = {"Read", "Write", "Edit", "Bash", "Glob", "Grep"};
  return names;
}

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

std::expected<void, Error> Attempt::Prepare() {
  entry_ = FindCliProvider(request_.provider);
  if (entry_ == nullptr) return Fail("USER.PROVIDER.UNKNOWN", "no agent CLI is known for " + request_.provider);
  if (request_.cancelled.stop_requested()) {
    cancelled_ = true;
    return Fail("EXECUTION.RUN.CANCELLED", "cancelled before the agent started");
  }
  if (request_.proxy) {
    auto sandbox = EnforcedSandbox(request_.proxy->sandbox, request_.step, observer_);
    if (!sandbox) return std::unexpected(sandbox.error());
    sandbox_ = *sandbox;
  }
  const Environment base = ChildEnvironment({});
  auto program = CliProgram(host_, *entry_, base.Get("PATH"));
  if (!program) return std::unexpected(program.error());
  const std::string version = answers_.Version(*program, base.Block(), request_.cancelled);
  facts_.emplace(answers_, *program, base.Block(), request_.cancelled);
  const auto proven = IsProven(host_, *entry_, *program, version, request_, observer_);
  if (!proven) {
    cancelled_ = request_.cancelled.stop_requested();
    return std::unexpected(proven.error());
  }
  proven_ = *proven;

  if (auto started = StartKeeper(); !started) return started;
  if (auto opened = OpenConversation(); !opened) return opened;
  std::optional<ProxyEndpoint> endpoint;
  if (request_.proxy) {
    auto opened = OpenProxy();
    if (!opened) return std::unexpected(opened.error());
    endpoint = std::move(*opened);
  }
  const bool verified = std::ranges::find(entry_->verified, version) != entry_->verified.end();
  provider_ = entry_->make({.environment = base,
                            .step_folder = folder_,
                            .conversation_folder = conversation_folder_,
                            .version = version,
                            .mitigate = Intercepts() && !proven_ && !(entry_->announces && verified),
                            .fallback = fallback_,
                            .facts = &*facts_});
  auto invocation = provider_->Prepare(request_, endpoint ? &*endpoint : nullptr);
  if (!invocation) return std::unexpected(invocation.error());
  stream_.emplace(RulesFor(version, endpoint ? &*endpoint : nullptr, invocation->isolation_doubt), observer_, [this] {
    DrainChannel();
    return proxy_.Connected();
  });
  for (const std::string& warning : invocation->warnings) Warn(warning);
  for (const PrivateFile& file : invocation->files) {
    if (auto written = WriteFile(file.name, file.contents); !written) return written;
  }
  invocation->argv[0] = program->string();
  input_bytes_ = invocation->input.size();
  TellPrompts();
  auto cli = CliProcess::Start(
      *keeper_,
      {invocation->argv, ChildEnvironment(*invocation).Block(), request_.working_dir, std::move(invocation->input)},
      [this](std::string_view line) { provider_->Read(line, *stream_); });
  if (!cli) return std::unexpected(cli.error());
  cli_ = std::move(*cli);
  return {};
}

std::expected<ProxyEndpoint, Error> Attempt::OpenProxy() {
  const long long left = RemainingMs(request_.deadline, static_cast<int>(kLongestToolTimeoutMs));
  ProxyEndpoint endpoint{
      host_.program, folder_ / "serve.json", folder_, {}, std::clamp(left, 1LL, kLongestToolTimeoutMs)};
  if (Intercepts()) endpoint.tools = BuiltinNames();
  if (auto opened = OpenChannel(endpoint); !opened) return std::unexpected(opened.error());
  return endpoint;
}

StreamMonitor::Rules Attempt::RulesFor(const std::string& version, const ProxyEndpoint* endpoint,
                                       const std::string& doubt) const {
  StreamMonitor::Rules rules;
  rules.step = request_.step;
  rules.provider = request_.provider_as_written;
  rules.version = version;
  rules.verified = entry_->verified.back();
  rules.proxy = endpoint != nullptr;
  rules.intercept = Intercepts();
  rules.required = rules.intercept && request_.proxy->isolation_required;
  if (rules.intercept) rules.claim = ClaimOf(*entry_, version, request_, doubt, proven_);
  if (endpoint == nullptr) return rules;
  for (const std::string& tool : endpoint->tools) rules.ours.insert(provider_->ShownName(tool));
  return rules;
}

// As the workflow has them, not with what the recipe adds.
void Attempt::TellPrompts() const {
  for (const auto& [role, text] :
       {std::pair{MessageRole::kSystem, &request_.system_prompt}, std::pair{MessageRole::kUser, &request_.prompt}}) {
    if (text->empty()) continue;
    MessageBlock block;
    block.type = "text";
    block.text = *text;
    observer_.MessageSaid(request_.step, {role, {std::move(block)}});
  }
}

std::expected<void, Error> Attempt::StartKeeper() {
  auto keeper = process::Keeper::Spawn(host_.program);
  if (!keeper) return std::unexpected(keeper.error());
  keeper_ = std::move(*keeper);
  folder_ = host_.private_folder.NewStepFolder();
  if (auto made = MakeKeptFolder(*keeper_, folder_); !made) return made;
  if (::mkdir((folder_ / "tmp").c_str(), 0700) == 0) return {};
  return Fail("SYSTEM.IO.WRITE_FAILED", "cannot make " + (folder_ / "tmp").string() + ": " + std::strerror(errno));
}

// The session to go on with must lie in the folder that the conversation has now.
std::expected<void, Error> Attempt::OpenConversation() {
  if (request_.conversation.empty()) return {};
  auto folder = conversations_.Folder(request_.conversation);
  if (!folder) return std::unexpected(folder.error());
  conversation_folder_ = std::move(*folder);
  if (!request_.continued || request_.continued->folder.empty()) return {};
  if (request_.continued->folder == ConversationFolders::MarkOf(conversation_folder_)) return {};
  return Fail("EXECUTION.AGENT.SESSION_LOST",
              request_.provider +
                  " keeps its sessions in a private folder, and that of this conversation was deleted "
                  "when the run was interrupted",
              "Begin the conversation anew: resume from the step that it begins with, '" + request_.conversation +
                  "', or from the loop or parallel state around it.");
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

std::expected<void, Error> Attempt::OpenChannel(const ProxyEndpoint& endpoint) {
  ServeConfig config;
  config.socket = folder_ / "channel";
  config.token = RandomHex(32);
  config.tools = MakeToolSettings(request_, host_.environment, host_.private_folder.path(), host_.tracing);
  config.intercept_builtins = request_.proxy->intercept_builtins;
  config.content = host_.tracing.content;
  if (host_.tracing.spans) config.step_span_id = request_.step.span_id;
  auto channel = channel::StepChannelServer::Listen(config.socket, config.token);
  if (!channel) return std::unexpected(channel.error());
  channel_ = std::move(*channel);
  return WriteFile(endpoint.config.filename(), EncodeServeConfig(config));
}

std::expected<void, Error> Attempt::WriteFile(const std::string& name, const std::string& contents) const {
  const std::filesystem::path path = folder_ / name;
  const auto failed = [&](int error) {
    return Fail("SYSTEM.IO.WRITE_FAILED", "cannot write " + path.string() + ": " + std::strerror(error));
  };
  // "home/.gemini/settings.json": with its folders.
  for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    if (::mkdir((folder_ / name.substr(0, slash)).c_str(), 0700) != 0 && errno != EEXIST) return failed(errno);
  }
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return failed(errno);
  if (const int error = WriteAll(fd.get(), contents)) return failed(error);
  return {};
}

// The user's variables without awf's own, the step's, the recipe's, TMPDIR.
Environment Attempt::ChildEnvironment(const Invocation& invocation) const {
  Environment environment(host_.environment);
  environment.UnsetPrefix("AWF_");
  for (const auto& [name, value] : TraceVariables(host_.tracing, request_.step.trace_id, request_.step.span_id)) {
    environment.Set(name, value);
  }
  const auto of_recipe = [&](std::string_view name) {
    return name == "TMPDIR" || std::ranges::find(invocation.unset_env, name) != invocation.unset_env.end() ||
           std::ranges::any_of(invocation.set_env, [&](const auto& entry) { return entry.first == name; });
  };
  if (const json::object* variables = ObjectAt(request_.options, "env")) {
    for (const auto& [name, value] : *variables) {
      if (of_recipe(name)) {
        // Told once: the first environment is only for asking the version.
        if (!invocation.argv.empty()) Warn("options.env." + std::string(name) + " is ignored: awf sets it");
      } else {
        environment.Set(name, OptionText(*variables, name));
      }
    }
  }
  for (const auto& [name, value] : invocation.set_env) environment.Set(name, value);
  for (const std::string& name : invocation.unset_env) environment.Unset(name);
  if (!folder_.empty()) environment.Set("TMPDIR", (folder_ / "tmp").string());
  return environment;
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
      for (const int fd : channel_->Fds()) fds.push_back({fd, POLLIN, 0});
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
  for (const channel::ServerEvent& event : channel_->Handle()) proxy_.Handle(event);
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

void Attempt::StopIfDue() {
  if (phase_ != Phase::kRunning) return;
  if (request_.cancelled.stop_requested()) {
    cancelled_ = true;
    stop_ = NewError("EXECUTION.RUN.CANCELLED", "the agent was stopped");
  } else if (Passed(request_.deadline)) {
    timed_out_ = true;
    stop_ = NewError("EXECUTION.AGENT.TIMEOUT",
                     "the agent ran into the timeout of its step after " +
                         Seconds(std::chrono::round<std::chrono::seconds>(SteadyClock::now() - begin_)),
                     "Raise timeout of the state.");
  } else if (stream_->stop_reason()) {
    stop_ = stream_->stop_reason();
  }
  if (stop_) Terminate();
}

void Attempt::Terminate() {
  keeper_->SignalGroup(cli_->job(), SIGTERM);
  signalled_ = SteadyClock::now();
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
