// For tests: a plugin as a child process, and awf's own client on it.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/plugins/plugin_transport.h"
#include "plugin/v1/plugin.pb.h"

namespace awf::sdk {

// A hang ends a test after this; nothing is expected to take so long.
inline constexpr std::chrono::seconds kHang{30};

bool Eventually(const std::function<bool()>& condition);

// The demo plugin, and one of the examples.
std::string DemoPlugin();
std::string ExamplePlugin(const std::string& name);

using Environment = std::map<std::string, std::string>;

// Runs until it ends by itself or with this object. Both pipes are read all the time.
class PluginProcess {
 public:
  // With the cookie and a folder of its own for the socket; `environment` is added and may replace them. An empty value
  // takes a variable away.
  explicit PluginProcess(std::vector<std::string> argv, Environment environment = {});
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;
  ~PluginProcess();

  // The first line of stdout without its end; empty when the plugin ends before.
  std::string Handshake();
  std::string out() const;
  std::string err() const;
  pid_t pid() const { return pid_; }
  const TestFolder& sockets() const { return sockets_; }
  bool HasSocket() const { return !std::filesystem::is_empty(sockets_.path()); }
  // The wait status; nothing after kHang.
  std::optional<int> Wait();

 private:
  void Drain(int fd, std::string& into);

  TestFolder sockets_{"/tmp"};
  pid_t pid_ = -1;
  std::optional<int> status_;
  mutable std::mutex mutex_;
  std::string out_, err_;
  std::vector<std::jthread> readers_;
};

struct CallOptions {
  Deadline deadline{};  // none: kHang from now
  std::stop_token cancelled{};
  std::vector<std::pair<std::string, std::string>> metadata{};
};

// A plugin that was started with mutual TLS, and a connection to it.
class ConnectedPlugin {
 public:
  explicit ConnectedPlugin(std::vector<std::string> argv = {DemoPlugin()}, Environment environment = {});

  PluginProcess& process() { return *process_; }
  plugins::PluginTransport& transport() { return *transport_; }

  // `inputs` are JSON texts.
  plugins::UnaryReply Execute(const std::string& operation, const std::map<std::string, std::string>& inputs,
                              const CallOptions& options = {});
  // The same; a status other than OK is told in `error`.
  ::plugin::v1::ExecuteResponse Answer(const std::string& operation,
                                       const std::map<std::string, std::string>& inputs = {});
  plugins::UnaryReply Unary(std::string_view method, std::string_view message = {});
  plugins::RpcStatus Init(const std::map<std::string, std::string>& config);
  // Collects what the plugin prints to its stdout from now on.
  void OpenStdio();
  std::string printed() const;
  // GRPCController.Shutdown.
  void End() { Unary("/plugin.GRPCController/Shutdown"); }

 private:
  mutable std::mutex mutex_;
  std::string printed_;
  std::unique_ptr<PluginProcess> process_;
  std::unique_ptr<plugins::PluginTransport> transport_;  // goes first: its callbacks use the rest
};

// The endpoint that a handshake names, with an identity of ours.
plugins::PluginEndpoint EndpointOf(const std::string& handshake, const plugins::Identity& identity);

}  // namespace awf::sdk
