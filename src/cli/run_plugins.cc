#include "cli/run_plugins.h"

#include <optional>
#include <utility>

namespace awf::cli {

RunPlugins::RunPlugins(PluginSession& session, std::vector<std::string> environment, std::string workflow,
                       RunObserver& observer)
    : session_(session), observer_(observer), ender_(session) {
  PluginRuntime runtime;
  runtime.environment = std::move(environment);
  runtime.workflow = std::move(workflow);
  runtime.logged = [&observer](LogLevel level, const json::object& fields) {
    observer.Logged(nullptr, level, "plugin log", fields);
  };
  runtime.stopped = [&observer](const PluginEnd& end) { observer.PluginStopped(end); };
  session_.Prepare(std::move(runtime));
}

RunPlugins::~RunPlugins() { session_.Stop(); }

std::expected<std::vector<std::shared_ptr<OperationProvider>>, Error> RunPlugins::Start(
    std::span<const std::string> plugins, const StepContext& step, Deadline deadline,
    const std::stop_token& cancelled) {
  std::vector<std::shared_ptr<OperationProvider>> providers;
  std::optional<Error> failure;
  auto results = session_.Start(plugins, deadline, cancelled);
  const std::lock_guard lock(telling_);
  for (auto& result : results) {
    if (result) {
      Tell(step, *result);
      providers.push_back(std::move(result->provider));
    } else if (!failure) {
      failure = std::move(result.error());
    }
  }
  if (failure) return std::unexpected(std::move(*failure));
  return providers;
}

void RunPlugins::Tell(const StepContext& step, const RunningPlugin& plugin) {
  if (plugin.start.path.empty() || !told_.insert(plugin.start.plugin).second) return;
  if (session_.ReplacesBuiltin(plugin.start.plugin)) {
    observer_.Logged(&step, LogLevel::kWarn, "plugin in place of a built-in one",
                     {{"plugin", plugin.start.plugin}, {"path", plugin.start.path}});
  }
  observer_.PluginStarted(step, plugin.start);
}

}  // namespace awf::cli
