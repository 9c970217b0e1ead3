// RunningPlugin: one plugin whose operations are known: its calls, its end and how it is stopped.
//
// Thread-safe. Calls run at the same time, also while it is stopped: then they end. A plugin that ended stays ended.
// Stopped by the destructor at the latest.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "domain/operation.h"
#include "domain/run_observer.h"
#include "infrastructure/plugins/plugin_log.h"
#include "infrastructure/plugins/plugin_process.h"
#include "infrastructure/plugins/plugin_transport.h"
#include "infrastructure/plugins/socket_folder.h"

namespace awf::plugins {

// What the start of a plugin has made.
struct PluginParts {
  PluginStart start;
  std::vector<Operation> operations;
  std::shared_ptr<PluginLog> log;
  std::shared_ptr<PluginProcess> process;
  std::unique_ptr<PluginTransport> transport;
  SocketFolder folder;
};

class RunningPlugin final : public OperationProvider {
 public:
  // `stopped` is called once, when the process has ended, on whatever thread sees that. May be empty.
  RunningPlugin(PluginParts parts, std::function<void(const PluginEnd&)> stopped);
  RunningPlugin(const RunningPlugin&) = delete;
  RunningPlugin& operator=(const RunningPlugin&) = delete;
  ~RunningPlugin() override { Stop(); }

  std::string_view Name() const override { return parts_.start.plugin; }
  const std::vector<Operation>& Operations() const override { return parts_.operations; }
  OperationResult Execute(const OperationCall& call) override;

  const PluginStart& start() const { return parts_.start; }

  // Asks it to end (Shutdown of plugin and controller), then waits, then SIGTERM, then SIGKILL, which its group gets in
  // every case: under 4 s. A second call waits for the first.
  void Stop();

 private:
  struct Ending;

  OperationResult NotRunning() const;
  OperationResult Failed(const OperationCall& call, const UnaryReply& reply, std::size_t request_bytes,
                         SteadyClock::time_point begin) const;
  void Ask(std::string_view method, std::chrono::milliseconds patience);

  PluginParts parts_;
  std::shared_ptr<Ending> ending_;  // shared with the process, which may outlive this
  std::once_flag stopped_;
};

}  // namespace awf::plugins
