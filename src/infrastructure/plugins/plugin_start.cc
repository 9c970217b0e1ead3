#include "infrastructure/plugins/plugin_start.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "infrastructure/plugins/call_failure.h"
#include "infrastructure/plugins/handshake.h"
#include "infrastructure/plugins/plugin_certificate.h"
#include "infrastructure/plugins/plugin_environment.h"
#include "infrastructure/plugins/plugin_executable.h"
#include "infrastructure/plugins/plugin_messages.h"
#include "infrastructure/plugins/shown_text.h"

namespace awf::plugins {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kHealthPatience{5000};
constexpr milliseconds kHealthPause{20};
constexpr milliseconds kClosedPatience{500};  // from the end of stdout to that of the process
constexpr milliseconds kEndPatience{300};     // until the kernel tells of an end that the connection has shown
constexpr milliseconds kKillPatience{3000};

using Stage = std::expected<void, Error>;

class Starting {
 public:
  Starting(const PluginLaunch& launch, const PluginHostOptions& options, const std::filesystem::path& sockets,
           ProcessLoop& loop, const Deadline& deadline, const std::stop_token& cancelled)
      : launch_(launch),
        options_(options),
        sockets_(sockets),
        loop_(loop),
        cancelled_(cancelled),
        begin_(SteadyClock::now()) {
    until_ = begin_ + launch.start_timeout;
    deadline_comes_first_ = deadline && *deadline < until_;
    if (deadline_comes_first_) until_ = *deadline;
    log_ = std::make_shared<PluginLog>(launch.name, options.logged);
  }
  Starting(const Starting&) = delete;
  Starting& operator=(const Starting&) = delete;
  ~Starting() { GiveUp(); }

  std::expected<PluginParts, Error> Run() {
    Stage stage = CheckExecutable();
    for (const auto next : {&Starting::Spawn, &Starting::ReadHandshake, &Starting::Secure, &Starting::AwaitHealth,
                            &Starting::AskInfo, &Starting::Init, &Starting::ListOperations}) {
      if (!stage) return std::unexpected(std::move(stage.error()));
      stage = (this->*next)();
    }
    if (!stage) return std::unexpected(std::move(stage.error()));
    using std::chrono::round;
    PluginStart start{launch_.name,          version_,      launch_.executable.string(),
                      executable_->sha256(), endpoint_.tls, round<milliseconds>(SteadyClock::now() - spawned_)};
    started_ = true;
    return PluginParts{std::move(start),    std::move(operations_), log_,
                       std::move(process_), std::move(transport_),  std::move(*folder_)};
  }

 private:
  Stage CheckExecutable();
  Stage Spawn();
  Stage ReadHandshake();
  Stage Secure();
  Stage AwaitHealth();
  Stage AskInfo();
  Stage Init();
  Stage ListOperations();

  void OpenStreams();
  std::optional<std::string> HealthFault(const UnaryReply& reply, bool& final) const;
  std::expected<std::string, Error> Ask(std::string_view method, std::string_view message, std::string_view refusal);

  std::unexpected<Error> Refuse(std::string_view code, std::string_view text, std::string hint = {}) const;
  std::unexpected<Error> Cancelled() const;
  std::unexpected<Error> TimedOut(const std::string& what);
  std::string StandardErrors() const { return ErrorsClause(log_->ErrorTail()); }
  void Reached(std::string_view name, std::string detail);
  void GiveUp();

  const PluginLaunch& launch_;
  const PluginHostOptions& options_;
  const std::filesystem::path& sockets_;
  ProcessLoop& loop_;
  const std::stop_token& cancelled_;
  SteadyClock::time_point begin_, until_, spawned_, stage_begin_ = SteadyClock::now();
  std::optional<PluginExecutable> executable_;
  std::optional<SocketFolder> folder_;
  std::shared_ptr<PluginLog> log_;
  std::shared_ptr<PluginProcess> process_;
  PluginEndpoint endpoint_;
  std::string peer_certificate_;  // of the handshake
  std::unique_ptr<PluginTransport> transport_;
  std::string version_;
  std::vector<Operation> operations_;
  bool deadline_comes_first_ = false;  // until_ is that of the caller
  bool started_ = false;
};

std::unexpected<Error> Starting::Refuse(std::string_view code, std::string_view text, std::string hint) const {
  if (hint.empty()) hint = "awf plugin check " + launch_.name + " shows how far it gets.";
  return Fail(std::string(code), WithName(launch_.name, text), std::move(hint));
}

std::unexpected<Error> Starting::Cancelled() const {
  return Fail("EXECUTION.RUN.CANCELLED", "the start of plugin " + launch_.name + " was cancelled");
}

// Of what stderr says the end counts, so the plugin is ended first.
std::unexpected<Error> Starting::TimedOut(const std::string& what) {
  GiveUp();
  const std::string text = NotWithin(what, std::chrono::round<milliseconds>(until_ - begin_)) + StandardErrors();
  if (deadline_comes_first_) return Refuse("EXECUTION.PLUGIN.START_TIMEOUT", text, "Raise the timeout of the step.");
  return Refuse("EXECUTION.PLUGIN.START_TIMEOUT", text,
                "Raise start_timeout of " + launch_.name + " in .awf/plugins.yaml.");
}

void Starting::Reached(std::string_view name, std::string detail) {
  const SteadyClock::time_point now = SteadyClock::now();
  const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(now - stage_begin_);
  stage_begin_ = now;
  if (options_.stage) options_.stage(launch_.name, StartStage{name, duration, std::move(detail)});
}

void Starting::GiveUp() {
  if (started_) return;
  if (process_) {
    process_->SignalGroup(SIGKILL);
    process_->AwaitEnd(SteadyClock::now() + kKillPatience);
  }
  if (transport_) transport_->Close();
  log_->Finish();
  if (folder_) folder_->Remove();
}

Stage Starting::CheckExecutable() {
  auto opened = PluginExecutable::Open(launch_.executable);
  if (!opened) return Refuse("EXECUTION.PLUGIN.START", opened.error());
  executable_ = std::move(*opened);
  if (const auto checked = CheckChecksums(launch_, executable_->sha256()); !checked) {
    return Refuse("EXECUTION.PLUGIN.CHECKSUM_MISMATCH", checked.error().text, checked.error().hint);
  }
  Reached("checksum", executable_->sha256());
  return {};
}

Stage Starting::Spawn() {
  if (cancelled_.stop_requested()) return Cancelled();
  if (Passed(until_)) return TimedOut("no start");
  auto folder = SocketFolder::Make(sockets_);
  if (!folder) return Refuse("EXECUTION.PLUGIN.START", folder.error());
  folder_ = std::move(*folder);
  if (launch_.tls_required) {
    auto identity = MakeIdentity();
    if (!identity) return Refuse("EXECUTION.PLUGIN.START", "cannot make a certificate: " + identity.error());
    endpoint_.identity = std::move(*identity);
  }
  ProgramStart start{executable_->fd(), launch_.executable.string(), {}};
  start.environment = PluginEnvironment(options_.environment, launch_, folder_->path(), endpoint_.identity.certificate);
  spawned_ = SteadyClock::now();
  auto process = loop_.Start(start, [log = log_](bool is_stderr, std::string_view bytes) {
    log->Take(is_stderr ? PluginLog::kRawErrors : PluginLog::kRawOutput, bytes);
  });
  if (!process) return Refuse("EXECUTION.PLUGIN.START", executable_->CannotExecute(process.error()));
  process_ = std::move(*process);
  Reached("spawn", "process " + std::to_string(process_->pid()));
  return {};
}

Stage Starting::ReadHandshake() {
  const FirstLine line = process_->AwaitFirstLine(until_, cancelled_);
  switch (line.kind) {
    case FirstLine::Kind::kComplete:
      break;
    case FirstLine::Kind::kTooLong:
      return Refuse("EXECUTION.PLUGIN.HANDSHAKE", "more than " + std::to_string(kLongestHandshake) +
                                                      " bytes on stdout without a line end; starts with " +
                                                      Quoted(line.text));
    case FirstLine::Kind::kClosed:
    case FirstLine::Kind::kExited:
      if (const auto end = process_->AwaitEnd(SteadyClock::now() + kClosedPatience)) {
        return Refuse("EXECUTION.PLUGIN.START",
                      launch_.name + " ended before the handshake: " + ExitText(*end) + StandardErrors());
      }
      return Refuse("EXECUTION.PLUGIN.START", launch_.name + " closed stdout without a handshake");
    case FirstLine::Kind::kTimeout:
      return TimedOut("no handshake");
    case FirstLine::Kind::kCancelled:
      return Cancelled();
  }
  auto handshake = ParseHandshake(line.text, launch_.name);
  if (!handshake) return Refuse("EXECUTION.PLUGIN.HANDSHAKE", handshake.error());
  endpoint_.target = std::move(handshake->target);
  if (!handshake->socket.empty()) {
    process_->WhenEnded([path = std::move(handshake->socket)](const process::ExitStatus&) { RemoveStaleSocket(path); });
  }
  peer_certificate_ = std::move(handshake->certificate);
  Reached("handshake", endpoint_.target);
  return {};
}

Stage Starting::Secure() {
  endpoint_.tls = !peer_certificate_.empty();
  if (!endpoint_.tls) {
    if (launch_.tls_required) {
      return Refuse("EXECUTION.PLUGIN.HANDSHAKE",
                    launch_.name + " offers no encryption; set `tls: off` for it in .awf/plugins.yaml to allow this");
    }
    Reached("tls", "off");
    return {};
  }
  auto certificate = PemOfHandshake(peer_certificate_);
  if (!certificate) return Refuse("EXECUTION.PLUGIN.HANDSHAKE", "certificate cannot be read");
  endpoint_.peer_certificate = std::move(*certificate);
  // One that was not asked for encryption and does it nevertheless will not ask for our certificate either.
  if (endpoint_.identity.certificate.empty()) {
    auto identity = MakeIdentity();
    if (!identity) return Refuse("EXECUTION.PLUGIN.START", "cannot make a certificate: " + identity.error());
    endpoint_.identity = std::move(*identity);
  }
  Reached("tls", "mutual, P-256");
  return {};
}

// What is wrong with the answer to a health check; `final` when asking again is of no use.
std::optional<std::string> Starting::HealthFault(const UnaryReply& reply, bool& final) const {
  final = false;
  if (reply.status.ok()) {
    const auto health = ReadHealthReply(reply.message);
    if (health && *health == kServing) return std::nullopt;
    return health ? "the plugin is " + *health : health.error();
  }
  std::string cause = transport_->LastConnectError();
  // A certificate stays the one it is.
  final = cause.find("certificate") != std::string::npos ||
          (reply.status.code != kRpcUnavailable && reply.status.code != kRpcDeadlineExceeded);
  if (!cause.empty()) return cause;
  // gRPC's own text says no more than that.
  if (reply.status.code == kRpcDeadlineExceeded) return std::string();
  return StatusText(reply.status);
}

Stage Starting::AwaitHealth() {
  transport_ = options_.connect ? options_.connect(endpoint_) : ConnectGrpc(endpoint_);
  const SteadyClock::time_point begin = SteadyClock::now();
  const SteadyClock::time_point until = std::min(until_, begin + kHealthPatience);
  const std::string message = HealthRequestOf("plugin");
  std::string cause;
  for (bool final = false;;) {
    const UnaryReply reply = transport_->Unary({"/grpc.health.v1.Health/Check", message, until, cancelled_});
    const auto fault = HealthFault(reply, final);
    if (!fault) break;
    if (cancelled_.stop_requested()) return Cancelled();
    if (!fault->empty()) cause = *fault;
    const auto pause = final ? SteadyClock::now() : SteadyClock::now() + kHealthPause;
    if (const auto end = process_->AwaitEnd(std::min(until, pause))) {
      return Refuse("EXECUTION.PLUGIN.CONNECT",
                    "health check: plugin process ended (" + ExitText(*end) + ")" + StandardErrors());
    }
    if (!final && !Passed(until)) continue;
    if (cause.empty()) cause = NotWithin("no answer", std::chrono::round<milliseconds>(until - begin));
    return Refuse("EXECUTION.PLUGIN.CONNECT", "health check: " + cause);
  }
  OpenStreams();
  Reached("health", "serving");
  return {};
}

// For the whole life of the plugin: a plugin may block on its own prints otherwise. Either may be missing.
void Starting::OpenStreams() {
  const auto ended = [](const RpcStatus&) {};
  transport_->ServerStream(
      "/plugin.GRPCStdio/StreamStdio", {},
      [log = log_](std::string_view message) {
        const auto printed = ReadStdioMessage(message);
        if (!printed) return;
        log->Take(printed->is_stderr ? PluginLog::kStreamedErrors : PluginLog::kStreamedOutput, printed->bytes);
      },
      ended);
  transport_->BidiStream("/plugin.GRPCBroker/StartStream", [](std::string_view) {}, ended);
}

// One of the calls that make up the start. `refusal` is what a plugin that says no has done.
std::expected<std::string, Error> Starting::Ask(std::string_view method, std::string_view message,
                                                std::string_view refusal) {
  const std::string name(method.substr(method.rfind('/') + 1));
  UnaryReply reply = transport_->Unary({method, message, until_, cancelled_});
  if (reply.status.ok()) return std::move(reply.message);
  if (cancelled_.stop_requested()) return Cancelled();
  const bool maybe_ended = MayBeTheEnd(reply.status);
  const auto end = maybe_ended ? process_->AwaitEnd(SteadyClock::now() + kEndPatience) : process_->end();
  if (end) return Refuse("EXECUTION.PLUGIN.INIT", EndedDuring(name, *end, log_->ErrorTail(), log_->OutputTail()));
  if (Passed(until_)) return TimedOut("no answer to " + name);
  const std::string text = StatusText(reply.status);
  if (maybe_ended) return Refuse("EXECUTION.PLUGIN.CONNECT", name + ": connection to the plugin broke: " + text);
  return Refuse("EXECUTION.PLUGIN.INIT", std::string(refusal) + ": " + text);
}

Stage Starting::AskInfo() {
  auto reply = Ask("/plugin.v1.PluginService/GetInfo", {}, "GetInfo failed");
  if (!reply) return std::unexpected(std::move(reply.error()));
  auto info = ReadInfoReply(*reply);
  if (!info) return Refuse("EXECUTION.PLUGIN.INIT", "GetInfo: " + info.error());
  version_ = launch_.version.empty() ? info->version : launch_.version;
  Reached("info", info->name + " " + info->version);
  return {};
}

Stage Starting::Init() {
  auto reply =
      Ask("/plugin.v1.PluginService/Init", InitRequestOf(launch_.config), launch_.name + " refused its configuration");
  if (!reply) return std::unexpected(std::move(reply.error()));
  Reached("init", {});
  return {};
}

Stage Starting::ListOperations() {
  auto reply = Ask("/plugin.v1.OperationService/ListOperations", {}, "ListOperations failed");
  if (!reply) return std::unexpected(std::move(reply.error()));
  auto operations = ReadOperationsReply(*reply);
  if (!operations) return Refuse("EXECUTION.PLUGIN.INIT", "ListOperations: " + operations.error());
  operations_ = std::move(*operations);
  const std::string count = std::to_string(operations_.size());
  Reached("operations", count + (operations_.size() == 1 ? " operation" : " operations"));
  return {};
}

}  // namespace

std::expected<PluginParts, Error> StartPlugin(const PluginLaunch& launch, const PluginHostOptions& options,
                                              const std::filesystem::path& sockets, ProcessLoop& loop,
                                              const Deadline& deadline, const std::stop_token& cancelled) {
  return Starting(launch, options, sockets, loop, deadline, cancelled).Run();
}

}  // namespace awf::plugins
