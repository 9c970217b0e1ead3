#include "application/running/run_context.h"

#include "application/language/duration.h"
#include "domain/timestamp.h"

namespace awf {

Scope ConstantScope(const RunPorts& ports, const RunRequest& request, const json::object& inputs) {
  Scope scope;
  scope.Set("inputs", inputs);
  scope.Set("awf", request.folders.Namespace(request.run_dir));
  scope.Set("context",
            {{"WorkingDir", request.working_dir.string()}, {"User", request.user}, {"Hostname", request.hostname}});
  scope.environment = ports.environment;
  scope.regexes = ports.regexes;
  scope.files = ports.files;
  scope.folder = request.working_dir.string();
  return scope;
}

std::filesystem::path FolderOf(const Workflow& workflow, const std::filesystem::path& working_dir) {
  return (working_dir / workflow.file).lexically_normal().parent_path();
}

Scope RunContext::ScopeAt(const Place& place, const std::string& state) const {
  Scope scope = memory.Values();
  const auto duration = std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - start);
  scope.Set("workflow", {{"ID", request.run_id},
                         {"Name", workflow.name},
                         {"Version", workflow.version},
                         {"CurrentState", state},
                         {"StartedAt", UtcMilliseconds(started)},
                         {"Duration", FormatDuration(duration)}});
  if (place.loop) scope.namespaces["loop"] = place.loop;
  return scope;
}

StepRenderer RunContext::Renderer(const Scope& scope) const {
  return {request, scope, FolderOf(workflow, request.working_dir)};
}

}  // namespace awf
