// PluginHost: the plugins of one process of awf: each started once, at the same time as others, stopped together.
//
//   PluginHost host(options);
//   auto started = host.Start(launches, cancelled);   // one result per launch, in order
//   (*started[0])->Execute(call);
//   host.StopAll();                                    // under 4 s; done by the destructor, too
//
// Thread-safe. The thread that spawns lives as long as the host, as the death signal of the children is bound to it.
// Sets malloc to keep up to 16 MiB of freed memory. Makes this process a subreaper, so that what plugins leave behind
// is found; a keeper beside it finds that when this process is killed, so its program must know `keeper`
// (Keeper::Spawn). Providers may outlive the host: then they say that their plugin is not running.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/operation.h"
#include "domain/run_observer.h"
#include "domain/time.h"
#include "infrastructure/plugins/plugin_launch.h"
#include "infrastructure/plugins/plugin_transport.h"

namespace awf::plugins {

// A stage of the start that was reached, for `awf plugin check`.
struct StartStage {
  std::string_view name;  // checksum, spawn, handshake, tls, health, info, init, operations
  std::chrono::microseconds duration{0};
  std::string detail;  // for people: "P-256, TLS 1.3", "5 operations"
};

struct PluginHostOptions {
  std::vector<std::string> environment;  // NAME=value, awf's own
  std::filesystem::path private_folder;  // 0700, short: a folder for sockets is made in it
  // Thread-safe, called on threads of the host, must not throw; each may be empty. `logged` gets what a plugin logs or
  // prints, with `plugin` in its fields; `stopped` is told once per plugin that was started, when its process has
  // ended.
  std::function<void(LogLevel, std::string_view message, const json::object& fields)> logged;
  std::function<void(const PluginEnd&)> stopped;
  std::function<void(std::string_view plugin, const StartStage&)> stage;
  std::function<std::unique_ptr<PluginTransport>(const PluginEndpoint&)> connect;  // empty: ConnectGrpc
};

// A plugin whose operations are known.
struct StartedPlugin {
  std::shared_ptr<OperationProvider> provider;
  PluginStart start;
};

class PluginHost {
 public:
  explicit PluginHost(PluginHostOptions options);
  ~PluginHost();
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  // Errors: EXECUTION.PLUGIN.*, EXECUTION.RUN.CANCELLED. A launch whose name was started before gets what that came to,
  // but for a start that its caller broke off: that one is made anew. A plugin that failed to start has no process any
  // more.
  std::vector<std::expected<StartedPlugin, Error>> Start(std::span<const PluginLaunch> launches, Deadline deadline,
                                                         const std::stop_token& cancelled);

  // Stops all at the same time; later calls and starts fail.
  void StopAll();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace awf::plugins
