#include "cli/run_loading.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "application/validation/findings.h"
#include "cli/masking.h"
#include "cli/plugin_catalogue.h"
#include "cli/prompt_inputs.h"
#include "cli/run_mocks.h"
#include "cli/run_setup.h"
#include "infrastructure/regex/re2_regex.h"
#include "infrastructure/telemetry/sha256.h"
#include "infrastructure/yaml/input_file.h"
#include "infrastructure/yaml/workflow_loader.h"
#include "infrastructure/yaml/yaml_file.h"

namespace awf::cli {
namespace {

// The plugins that steps name, each once.
std::set<std::string> PluginsOf(const Workflow& workflow) {
  std::set<std::string> plugins;
  for (const State& state : workflow.states) {
    if (const auto* step = std::get_if<OperationState>(&state.body)) plugins.insert(step->plugin);
    const auto* agent = std::get_if<AgentState>(&state.body);
    if (agent == nullptr || !agent->mcp_proxy) continue;
    for (const PluginToolsEntry& entry : agent->mcp_proxy->plugin_tools) plugins.insert(entry.plugin);
  }
  return plugins;
}

void Append(GivenInputs& inputs, GivenInputs more) {
  for (GivenInput& input : more) inputs.push_back(std::move(input));
}

}  // namespace

std::expected<LoadedRun, LoadFailure> RunLoader::Load() const {
  auto working_dir = WorkingDirectory();
  if (!working_dir) return std::unexpected(working_dir.error());
  LoadedRun run = Surroundings(std::move(*working_dir));
  const auto path = FindWorkflow(options_.workflow, run.folders);
  if (!path) return std::unexpected(path.error());
  if (auto read = Read(run, *path, nullptr); !read) return std::unexpected(read.error());

  GivenInputs given;
  for (const auto& [name, text] : options_.config.inputs) given.push_back({name, text, InputSource::kConfig});
  if (auto resolved = Resolve(run, std::move(given)); !resolved) return std::unexpected(resolved.error());
  return run;
}

std::expected<LoadedRun, LoadFailure> RunLoader::Load(const ResumedRun& resumed, bool reload) const {
  LoadedRun run = Surroundings(resumed.WorkingDir());
  std::error_code cause;
  const bool same_place = std::filesystem::current_path(cause) == resumed.WorkingDir();
  // As the user wrote it, where that still leads there.
  const std::string file = same_place ? resumed.manifest().file : resumed.WorkflowFile().string();
  std::string stored;
  if (!reload) {
    auto text = ReadYamlFile(resumed.StoredWorkflow().string());
    if (!text) {
      return Fail("SYSTEM.IO.READ_FAILED", resumed.StoredWorkflow().string() + " " + text.error().message(),
                  "Use --reload to go on with the present file.");
    }
    stored = std::move(*text);
  }
  if (auto read = Read(run, file, reload ? nullptr : &stored); !read) return std::unexpected(read.error());
  if (auto resolved = Resolve(run, resumed.Inputs()); !resolved) return std::unexpected(resolved.error());
  return run;
}

LoadedRun RunLoader::Surroundings(std::filesystem::path working_dir) const {
  LoadedRun run;
  run.folders = Folders::From(ProcessEnvironment, working_dir);
  run.working_dir = std::move(working_dir);
  run.regexes = std::make_shared<const Re2Compiler>();
  run.plugins =
      std::make_shared<PluginSession>(PluginPlaces(run.folders, run.working_dir, options_.global), options_.config);
  return run;
}

std::expected<void, LoadFailure> RunLoader::Read(LoadedRun& run, const std::string& path,
                                                 const std::string* text) const {
  PluginCatalogue catalogue(*run.plugins, MayStart::kNone);
  const ValidationContext context{
      ProcessEnvironment, run.regexes.get(),          &files_,
      run.folders,        &options_.config.providers, options_.skip_plugins ? nullptr : &catalogue};
  LoadedWorkflow loaded = text != nullptr ? LoadWorkflowText(*text, path, context) : LoadWorkflow(path, context);
  std::ranges::move(run.plugins->Warnings(), std::back_inserter(loaded.findings));
  if (!loaded.Runnable()) return std::unexpected(LoadFailure(ErrorsOf(loaded.findings)));
  if (options_.strict) {
    std::vector<Error> warnings;
    for (const Finding& finding : loaded.findings)
      if (finding.severity == Severity::kWarning) warnings.push_back(finding.error);
    if (!warnings.empty()) return std::unexpected(LoadFailure(std::move(warnings), kStrictExit));
  }
  run.workflow = std::move(*loaded.workflow);
  const SecretNames names = ConfiguredNames(options_.config);
  // Of the built-in names each user of inputs knows by himself.
  for (WorkflowInput& input : run.workflow.inputs)
    input.secret = input.secret || (names.Covers(input.name) && !IsSecretName(input.name));
  run.workflow.sha256 = telemetry::Sha256Hex(loaded.source);
  run.source = std::move(loaded.source);
  run.findings = std::move(loaded.findings);
  return {};
}

std::expected<void, LoadFailure> RunLoader::Resolve(LoadedRun& run, GivenInputs given) const {
  if (!options_.input_file.empty()) {
    auto more = ReadInputFile(options_.input_file);
    if (!more) return std::unexpected(more.error());
    Append(given, std::move(*more));
  }
  for (const auto& [name, text] : options_.inputs) given.push_back({name, text, InputSource::kFlag});
  const InputContext context{run.regexes.get(), run.folders.prompts, run.working_dir};
  const InputPrompt prompt(STDIN_FILENO, STDERR_FILENO);
  if (!options_.no_input && options_.global.format != OutputFormat::kJson && prompt.CanAsk()) {
    auto asked = prompt.AskMissing(run.workflow, std::move(given), context);
    if (!asked) return std::unexpected(asked.error());
    given = std::move(*asked);
  }
  auto resolved = ResolveInputs(run.workflow, given, context);
  if (!resolved) return std::unexpected(resolved.error());
  run.inputs = std::move(resolved->values);
  return {};
}

std::expected<void, Error> FillRequest(const RunOptions& options, const LoadedRun& run, RunRequest& request) {
  request.working_dir = run.working_dir;
  request.folders = run.folders;
  request.user = UserName();
  request.hostname = HostName();
  request.inputs = run.inputs;
  request.step_timeout = options.config.step_timeout.value_or(request.step_timeout);
  request.agent_timeout = options.config.agent_timeout.value_or(request.agent_timeout);
  request.providers = options.config.providers;
  if (options.only_state.empty()) return {};
  const auto state = StateNamed(run.workflow, options.only_state, "--step");
  if (!state) return std::unexpected(state.error());
  auto mocks = ParseMocks(run.workflow, options.mocks);
  if (!mocks) return std::unexpected(mocks.error());
  request.only_state = options.only_state;
  request.mocks = std::move(*mocks);
  return {};
}

void LearnSecrets(const RunOptions& options, const LoadedRun& run, Masker& masker) {
  LearnSecrets(run.workflow, run.inputs, environ, masker);
  for (const auto& [name, provider] : options.config.providers)
    LearnOptionSecrets(provider.options, masker, run.inputs);
  LearnNotifyUrls(options.config, masker);
  for (const std::string& plugin : PluginsOf(run.workflow)) {
    const auto launch = run.plugins->IsBuiltin(plugin) ? plugins::PluginLaunch() : run.plugins->Launch(plugin);
    if (launch) LearnPluginSecrets(*launch, masker);
  }
}

}  // namespace awf::cli
