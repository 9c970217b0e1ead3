// RunExecutors: all that does the work of one run's steps: commands, agents, operations of plugins. The one place that
// wires them to each other.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "application/running/workflow_runner.h"
#include "cli/plugin_session.h"
#include "cli/run_agents.h"
#include "cli/run_plugins.h"
#include "infrastructure/process/command_executor.h"
#include "infrastructure/process/private_folder.h"

namespace awf::cli {

struct ExecutorNeeds {
  const std::filesystem::path& program;  // awf
  const process::PrivateFolder& private_folder;
  const RunRequest& request;                     // tracing and providers of the run
  std::string workflow;                          // its name
  std::vector<std::filesystem::path> own_files;  // what awf itself writes meanwhile
  PluginSession& plugins;
};

class RunExecutors {
 public:
  // `observer` hears what plugins log, and their starts and ends. It outlives this, as all of `needs` does.
  RunExecutors(const ExecutorNeeds& needs, RunObserver& observer);
  RunExecutors(const RunExecutors&) = delete;
  RunExecutors& operator=(const RunExecutors&) = delete;

  // For the runner, without journal, files and regexes.
  RunPorts Ports(RunObserver& observer);

  // Must see the run before all others, and after them.
  RunObserver& first() { return plugins_.observer(); }
  RunObserver& last() { return agents_->observer(); }

 private:
  RunPlugins plugins_;
  process::KeeperCommandExecutor commands_;
  std::optional<RunAgents> agents_;
};

}  // namespace awf::cli
