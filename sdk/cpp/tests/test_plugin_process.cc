#include "test_plugin_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "goplugin/go_plugin.pb.h"
#include "infrastructure/plugins/handshake.h"
#include "infrastructure/plugins/plugin_certificate.h"

namespace awf::sdk {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

std::vector<std::string> Merged(const Environment& added) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t sign = text.find('=');
    if (sign != std::string_view::npos) variables[std::string{text.substr(0, sign)}] = text.substr(sign + 1);
  }
  for (const auto& [name, value] : added) variables[name] = value;
  std::vector<std::string> merged;
  for (const auto& [name, value] : variables) {
    if (!value.empty()) merged.push_back(name + "=" + value);
  }
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kHang;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

std::string DemoPlugin() { return Variable("AWF_DEMO_PLUGIN"); }

std::string ExamplePlugin(const std::string& name) {
  const std::string program = "awf-plugin-" + name;
  return Variable("AWF_EXAMPLE_PLUGINS") + "/" + program + "/" + program;
}

PluginProcess::PluginProcess(std::vector<std::string> argv, Environment environment) {
  environment.try_emplace("AWF_PLUGIN", "awf-plugin-v1");
  environment.try_emplace("PLUGIN_UNIX_SOCKET_DIR", sockets_.string());
  environment.try_emplace("PLUGIN_CLIENT_CERT", "");
  environment.try_emplace("PLUGIN_MULTIPLEX_GRPC", "");
  std::vector<std::string> variables = Merged(environment);
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  if (::posix_spawn(&pid_, argv[0].c_str(), &actions, nullptr, Pointers(argv).data(), Pointers(variables).data()) !=
      0) {
    std::abort();
  }
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  ::close(err[1]);
  readers_.emplace_back([this, fd = out[0]] { Drain(fd, out_); });
  readers_.emplace_back([this, fd = err[0]] { Drain(fd, err_); });
}

PluginProcess::~PluginProcess() {
  if (!status_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void PluginProcess::Drain(int fd, std::string& into) {
  char buffer[64 * 1024];
  ssize_t size = 0;
  while ((size = ::read(fd, buffer, sizeof buffer)) > 0 || (size < 0 && errno == EINTR)) {
    const std::lock_guard lock{mutex_};
    if (size > 0) into.append(buffer, static_cast<std::size_t>(size));
  }
  ::close(fd);
}

std::string PluginProcess::Handshake() {
  Eventually([this] { return out().find('\n') != std::string::npos || ::kill(pid_, 0) != 0; });
  const std::string text = out();
  return text.substr(0, text.find('\n'));
}

std::string PluginProcess::out() const {
  const std::lock_guard lock{mutex_};
  return out_;
}

std::string PluginProcess::err() const {
  const std::lock_guard lock{mutex_};
  return err_;
}

std::optional<int> PluginProcess::Wait() {
  Eventually([this] {
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return status_.has_value();
  });
  if (status_) readers_.clear();  // all that it wrote is there
  return status_;
}

plugins::PluginEndpoint EndpointOf(const std::string& handshake, const plugins::Identity& identity) {
  const auto parsed = plugins::ParseHandshake(handshake, "demo");
  if (!parsed) std::abort();
  if (parsed->certificate.empty()) return {.target = parsed->target, .tls = false};
  return {.target = parsed->target,
          .tls = true,
          .identity = identity,
          .peer_certificate = plugins::PemOfHandshake(parsed->certificate).value()};
}

ConnectedPlugin::ConnectedPlugin(std::vector<std::string> argv, Environment environment) {
  const plugins::Identity identity = plugins::MakeIdentity().value();
  environment.try_emplace("PLUGIN_CLIENT_CERT", identity.certificate);
  process_ = std::make_unique<PluginProcess>(std::move(argv), std::move(environment));
  transport_ = plugins::ConnectGrpc(EndpointOf(process_->Handshake(), identity));
}

plugins::UnaryReply ConnectedPlugin::Execute(const std::string& operation,
                                             const std::map<std::string, std::string>& inputs,
                                             const CallOptions& options) {
  ::plugin::v1::ExecuteRequest message;
  message.set_operation(operation);
  message.mutable_inputs()->insert(inputs.begin(), inputs.end());
  const std::string bytes = message.SerializeAsString();
  return transport_->Unary({.method = "/plugin.v1.OperationService/Execute",
                            .message = bytes,
                            .deadline = options.deadline ? options.deadline : SteadyClock::now() + kHang,
                            .cancelled = options.cancelled,
                            .metadata = options.metadata});
}

::plugin::v1::ExecuteResponse ConnectedPlugin::Answer(const std::string& operation,
                                                      const std::map<std::string, std::string>& inputs) {
  const plugins::UnaryReply reply = Execute(operation, inputs);
  ::plugin::v1::ExecuteResponse response;
  if (!reply.status.ok() || !response.ParseFromString(reply.message)) {
    response.set_error("status " + std::to_string(reply.status.code) + ": " + reply.status.message);
  }
  return response;
}

plugins::UnaryReply ConnectedPlugin::Unary(std::string_view method, std::string_view message) {
  return transport_->Unary({.method = method, .message = message, .deadline = SteadyClock::now() + kHang});
}

plugins::RpcStatus ConnectedPlugin::Init(const std::map<std::string, std::string>& config) {
  ::plugin::v1::InitRequest message;
  message.mutable_config()->insert(config.begin(), config.end());
  return Unary("/plugin.v1.PluginService/Init", message.SerializeAsString()).status;
}

void ConnectedPlugin::OpenStdio() {
  const auto received = [this](std::string_view bytes) {
    ::plugin::StdioData data;
    if (!data.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
    const std::lock_guard lock{mutex_};
    if (data.channel() == ::plugin::StdioData::STDOUT) printed_ += data.data();
  };
  transport_->ServerStream("/plugin.GRPCStdio/StreamStdio", {}, received, [](const plugins::RpcStatus&) {});
}

std::string ConnectedPlugin::printed() const {
  const std::lock_guard lock{mutex_};
  return printed_;
}

}  // namespace awf::sdk
