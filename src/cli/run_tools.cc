#include "cli/run_tools.h"

#include <memory>
#include <utility>

#include "infrastructure/agents/step_tools.h"
#include "infrastructure/builtins/builtin_tool_provider.h"
#include "infrastructure/regex/re2_regex.h"

namespace awf::cli {

agents::OpenAiCompatible::MakeTools StepToolMaker(const agents::AgentHost& host) {
  using Tools = std::vector<std::shared_ptr<ToolProvider>>;
  // Shared with every copy of the function; the tools of a step live shorter than the executor that holds one.
  auto compiler = std::make_shared<const Re2Compiler>();
  return [environment = host.environment, private_folder = host.private_folder.path(), compiler, tracing = host.tracing,
          operations = host.operations](const AgentRequest& request,
                                        RunObserver& observer) -> std::expected<Tools, Error> {
    if (!request.proxy) return Tools();
    const ToolSettings settings = agents::MakeToolSettings(request, environment, private_folder, tracing);
    auto tools = agents::StartPluginTools(request, settings, operations, observer);
    if (!tools || !request.proxy->intercept_builtins) return tools;
    builtins::CommandChildOptions options;
    options.restrict_programs = settings.sandbox.mode != SandboxMode::kOff;
    auto child = std::make_shared<builtins::CommandChild>(std::move(options));
    tools->insert(tools->begin(),
                  std::make_shared<builtins::BuiltinToolProvider>(settings, std::move(child), *compiler));
    return tools;
  };
}

}  // namespace awf::cli
