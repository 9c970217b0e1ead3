// ProcessLoop: the one thread of a host that starts the processes of plugins, drains their pipes and sees their ends.
//
// The death signal of a child is bound to the thread that forked it, so this thread lives as long as the host. Start is
// thread-safe. Destroying the loop kills what still runs.
#pragma once

#include <condition_variable>
#include <expected>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "infrastructure/plugins/plugin_process.h"
#include "infrastructure/process/wake_event.h"

namespace awf::plugins {

class ProcessLoop {
 public:
  ProcessLoop();
  ~ProcessLoop();
  ProcessLoop(const ProcessLoop&) = delete;
  ProcessLoop& operator=(const ProcessLoop&) = delete;

  // Returns once the program runs. The error is an errno.
  std::expected<std::shared_ptr<PluginProcess>, int> Start(const ProgramStart& start,
                                                           PluginProcess::OnOutput on_output);

 private:
  struct Order;

  void Run();
  void Serve(Order& order);
  void Poll(bool stopping);

  process::WakeEvent wake_;
  std::mutex mutex_;
  std::condition_variable served_;
  std::vector<Order*> orders_;
  bool stopping_ = false;
  std::vector<std::shared_ptr<PluginProcess>> processes_;  // of the thread
  std::thread thread_;
};

}  // namespace awf::plugins
