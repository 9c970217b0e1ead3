#include "cli/agent_preview.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "application/operations/tool_name.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/environment.h"
#include "infrastructure/agents/step_tools.h"

namespace awf::cli {
namespace {

constexpr char kStepFolder[] = "<step folder>";
constexpr long long kTimeoutMs = 3'600'000;  // of the made-up endpoint; shows in client-side tool timeouts only

// What keeps the operations of a plugin from being certain; empty: nothing does.
std::string Doubt(const std::string& plugin, OperationCatalogue* operations) {
  if (operations == nullptr) return "plugins are skipped";
  const auto known = operations->Find(plugin);
  if (!known) return known.error().code + ": " + known.error().message;
  return known->source == KnownOperations::Source::kUnknown ? known->why_unknown : std::string();
}

void AddPluginTools(const PluginToolsEntry& entry, OperationCatalogue* operations, AgentPreview& preview) {
  for (const ExposedOperation& operation : entry.expose) {
    const auto name = OperationToolName(entry.plugin, operation.name);
    preview.tools.push_back(name ? *name : entry.plugin + "_" + operation.name);
    if (!name) preview.notes.push_back(name.error());
  }
  if (std::string doubt = Doubt(entry.plugin, operations); !doubt.empty())
    preview.notes.push_back("the tools of plugin " + entry.plugin + " are not verified: " + doubt);
}

AgentPreview Common(const AgentRequest& request, OperationCatalogue* operations) {
  AgentPreview preview;
  preview.provider = request.provider;
  const json::value* model = request.options.if_contains("model");
  if (model != nullptr && model->is_string()) preview.model = model->get_string();
  if (request.Intercepts()) preview.tools = {"Read", "Write", "Edit", "Bash", "Glob", "Grep"};
  if (!request.proxy) return preview;
  for (const PluginToolsEntry& entry : request.proxy->plugin_tools) AddPluginTools(entry, operations, preview);
  return preview;
}

std::expected<AgentPreview, Error> Cli(const agents::CliProvider& cli, const AgentRequest& request,
                                       const std::vector<std::string>& block, const std::filesystem::path& program,
                                       AgentPreview preview) {
  agents::Environment environment(block);
  environment.UnsetPrefix("AWF_");
  const std::string version(cli.verified.back());
  const auto provider = cli.make({.environment = environment,
                                  .step_folder = kStepFolder,
                                  .conversation_folder = {},
                                  .version = version,
                                  .mitigate = request.Intercepts() && !cli.announces});
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
  std::ranges::move(invocation->warnings, std::back_inserter(preview.notes));
  if (request.Intercepts()) preview.isolation = cli.announces ? IsolationLevel::kProven : IsolationLevel::kFlags;
  preview.notes.push_back("shown for version " + version + "; the installed one was not asked");
  return preview;
}

}  // namespace

PreviewAgent AgentPreviewer(std::vector<std::string> environment, std::filesystem::path program,
                            OperationCatalogue* operations) {
  return [environment = std::move(environment), program = std::move(program),
          operations](const AgentRequest& request) -> std::expected<AgentPreview, Error> {
    if (request.proxy) {
      if (auto enforced = agents::EnforcedSandbox(request.proxy->sandbox); !enforced)
        return std::unexpected(enforced.error());
    }
    if (const agents::CliProvider* cli = agents::FindCliProvider(request.provider))
      return Cli(*cli, request, environment, program, Common(request, operations));
    AgentPreview preview = Common(request, operations);
    if (request.Intercepts()) preview.isolation = IsolationLevel::kProven;
    preview.notes.emplace_back("runs inside awf, no program is started");
    return preview;
  };
}

}  // namespace awf::cli
