#include "cli/run_tools.h"

#include <memory>
#include <utility>

#include "infrastructure/agents/step_tools.h"
#include "infrastructure/builtins/builtin_tool_provider.h"
#include "infrastructure/regex/re2_regex.h"

namespace awf::cli {

agents::OpenAiCompatible::MakeTools StepToolMaker(std::vector<std::string> environment,
                                                  std::filesystem::path private_folder, const Tracing& tracing) {
  using Tools = std::vector<std::shared_ptr<ToolProvider>>;
  // Shared with every copy of the function; the tools of a step live shorter than the executor that holds one.
  auto compiler = std::make_shared<const Re2Compiler>();
  return [environment = std::move(environment), private_folder = std::move(private_folder), compiler,
          tracing](const AgentRequest& request) -> std::expected<Tools, Error> {
    if (!request.proxy || !request.proxy->intercept_builtins) return Tools();
    const ToolSettings settings = agents::MakeToolSettings(request, environment, private_folder, tracing);
    builtins::CommandChildOptions options;
    options.restrict_programs = settings.sandbox.mode != SandboxMode::kOff;
    auto child = std::make_shared<builtins::CommandChild>(std::move(options));
    return Tools{std::make_shared<builtins::BuiltinToolProvider>(settings, std::move(child), *compiler)};
  };
}

}  // namespace awf::cli
