#include "cli/run_executors.h"

#include <utility>

#include "domain/trace_context.h"
#include "infrastructure/process/environment.h"

namespace awf::cli {
namespace {

std::vector<std::string> EnvironmentOf(const RunRequest& request) {
  std::vector<std::string> environment = process::CurrentEnvironment();
  // Where spans are made, the parent of what a child does is a span of ours; else it stays who it was.
  if (request.tracing.spans) process::RemoveVariables(environment, {kTraceParentVariable, kTraceStateVariable});
  return environment;
}

}  // namespace

RunExecutors::RunExecutors(const ExecutorNeeds& needs, RunObserver& observer)
    : plugins_(needs.plugins, EnvironmentOf(needs.request), needs.workflow, observer),
      commands_(EnvironmentOf(needs.request)) {
  agents::AgentHost host = MakeAgentHost(needs.program, needs.private_folder, EnvironmentOf(needs.request),
                                         needs.request.tracing, needs.request.providers);
  host.operations = &plugins_;
  agents_.emplace(host, commands_, needs.own_files);
}

RunPorts RunExecutors::Ports(RunObserver& observer) {
  RunPorts ports{agents_->commands(), agents_->executor(), observer};
  ports.operations = &plugins_;
  return ports;
}

}  // namespace awf::cli
