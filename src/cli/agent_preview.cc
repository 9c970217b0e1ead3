#include "cli/agent_preview.h"

#include <utility>

#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/environment.h"
#include "infrastructure/agents/step_tools.h"

namespace awf::cli {
namespace {

constexpr char kStepFolder[] = "<step folder>";
constexpr long long kTimeoutMs = 3'600'000;  // of the made-up endpoint; shows in client-side tool timeouts only

std::vector<std::string> ToolsOf(const AgentRequest& request) {
  if (!request.Intercepts()) return {};
  return {"Read", "Write", "Edit", "Bash", "Glob", "Grep"};
}

AgentPreview Common(const AgentRequest& request) {
  AgentPreview preview;
  preview.provider = request.provider;
  const json::value* model = request.options.if_contains("model");
  if (model != nullptr && model->is_string()) preview.model = model->get_string();
  preview.tools = ToolsOf(request);
  return preview;
}

std::expected<AgentPreview, Error> Cli(const agents::CliProvider& cli, const AgentRequest& request,
                                       const std::vector<std::string>& block, const std::filesystem::path& program) {
  agents::Environment environment(block);
  environment.UnsetPrefix("AWF_");
  const std::string version(cli.verified.back());
  const auto provider = cli.make({.environment = environment,
                                  .step_folder = kStepFolder,
                                  .conversation_folder = {},
                                  .version = version,
                                  .mitigate = request.Intercepts() && !cli.announces});
  AgentPreview preview = Common(request);
  const ProxyEndpoint endpoint{program, std::filesystem::path(kStepFolder) / "serve.json", kStepFolder, preview.tools,
                               kTimeoutMs};
  auto invocation = provider->Prepare(request, request.proxy ? &endpoint : nullptr);
  if (!invocation) return std::unexpected(invocation.error());
  preview.argv = std::move(invocation->argv);
  for (const auto& [name, value] : invocation->set_env) preview.set_env.push_back(name);
  if (const json::value* own = request.options.if_contains("env"); own != nullptr && own->is_object())
    for (const auto& [name, value] : own->get_object()) preview.set_env.emplace_back(name);
  preview.unset_env = std::move(invocation->unset_env);
  preview.files = std::move(invocation->files);
  preview.notes = std::move(invocation->warnings);
  if (!preview.tools.empty()) preview.isolation = cli.announces ? IsolationLevel::kProven : IsolationLevel::kFlags;
  preview.notes.push_back("shown for version " + version + "; the installed one was not asked");
  return preview;
}

}  // namespace

PreviewAgent AgentPreviewer(std::vector<std::string> environment, std::filesystem::path program) {
  return [environment = std::move(environment),
          program = std::move(program)](const AgentRequest& request) -> std::expected<AgentPreview, Error> {
    if (request.proxy) {
      if (auto enforced = agents::EnforcedSandbox(request.proxy->sandbox); !enforced)
        return std::unexpected(enforced.error());
    }
    if (const agents::CliProvider* cli = agents::FindCliProvider(request.provider))
      return Cli(*cli, request, environment, program);
    AgentPreview preview = Common(request);
    if (!preview.tools.empty()) preview.isolation = IsolationLevel::kProven;
    preview.notes.emplace_back("runs inside awf, no program is started");
    return preview;
  };
}

}  // namespace awf::cli
