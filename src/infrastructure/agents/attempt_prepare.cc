// The first half of an attempt: everything up to the CLI's start.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "domain/random_id.h"
#include "domain/trace_context.h"
#include "infrastructure/agents/attempt.h"
#include "infrastructure/agents/cli_program.h"
#include "infrastructure/agents/step_isolation.h"
#include "infrastructure/agents/step_tools.h"
#include "infrastructure/agents/stream_json.h"
#include "infrastructure/mcp/serve_config.h"

namespace awf::agents {
namespace {

constexpr long long kLongestToolTimeoutMs = 24LL * 3600 * 1000;

// The names of the built-in tools, in the order of a client's list.
const std::vector<std::string>& BuiltinNames() {
  static const std::vector<std::string> names = {"Read", "Write", "Edit", "Bash", "Glob", "Grep"};
  return names;
}

}  // namespace

std::expected<void, Error> Attempt::Prepare() {
  entry_ = FindCliProvider(request_.provider);
  if (entry_ == nullptr) return Fail("USER.PROVIDER.UNKNOWN", "no agent CLI is known for " + request_.provider);
  if (auto over = WhyOver()) return std::unexpected(std::move(*over));
  if (request_.proxy) {
    auto sandbox = EnforcedSandbox(request_.proxy->sandbox, request_.step, observer_);
    if (!sandbox) return std::unexpected(sandbox.error());
    sandbox_ = *sandbox;
  }
  const Environment base = ChildEnvironment({});
  const auto program = Examine(base);
  if (auto over = WhyOver()) return std::unexpected(std::move(*over));
  if (!program) return std::unexpected(program.error());

  if (request_.proxy) {
    auto started = StartPlugins();
    if (auto over = WhyOver()) return std::unexpected(std::move(*over));
    if (!started) return started;
  }
  if (auto started = StartKeeper(); !started) return started;
  if (auto opened = OpenConversation(); !opened) return opened;
  std::optional<ProxyEndpoint> endpoint;
  if (request_.proxy) {
    auto opened = OpenProxy();
    if (!opened) return std::unexpected(opened.error());
    endpoint = std::move(*opened);
  }
  const bool verified = std::ranges::find(entry_->verified, version_) != entry_->verified.end();
  provider_ = entry_->make({.environment = base,
                            .step_folder = folder_,
                            .conversation_folder = conversation_folder_,
                            .version = version_,
                            .mitigate = request_.Intercepts() && !proven_ && !(entry_->announces && verified),
                            .fallback = fallback_,
                            .facts = &*facts_});
  auto invocation = provider_->Prepare(request_, endpoint ? &*endpoint : nullptr);
  if (auto over = WhyOver()) return std::unexpected(std::move(*over));  // perhaps in the middle of asking for facts
  if (!invocation) return std::unexpected(invocation.error());
  doubt_ = invocation->isolation_doubt;
  stream_.emplace(RulesFor(endpoint ? &*endpoint : nullptr), observer_, [this] {
    DrainChannel();
    return proxy_.Connected();
  });
  return Launch(*program, std::move(*invocation));
}

// The program of the CLI, its version, and whether it is proven.
std::expected<std::filesystem::path, Error> Attempt::Examine(const Environment& base) {
  auto program = CliProgram(host_, *entry_, base.Get("PATH"));
  if (!program) return program;
  const auto version = answers_.Version(*program, base.Block(), request_.cancelled, request_.deadline);
  if (auto over = WhyOver()) return std::unexpected(std::move(*over));
  if (!version) Warn(std::string(entry_->program) + " --version: " + version.error() + "; see awf doctor");
  version_ = version.value_or("");
  facts_.emplace(answers_, *program, base.Block(), request_.cancelled, request_.deadline);
  const auto proven = IsProven(host_, *entry_, *program, version_, request_, observer_);
  if (!proven) return std::unexpected(proven.error());
  proven_ = *proven;
  return program;
}

std::expected<void, Error> Attempt::Launch(const std::filesystem::path& program, Invocation invocation) {
  for (const std::string& warning : invocation.warnings) Warn(warning);
  for (const PrivateFile& file : invocation.files) {
    if (auto written = WriteFile(file.name, file.contents); !written) return written;
  }
  invocation.argv[0] = program.string();
  input_bytes_ = invocation.input.size();
  TellPrompts();
  auto cli = CliProcess::Start(
      *keeper_,
      {invocation.argv, ChildEnvironment(invocation).Block(), request_.working_dir, std::move(invocation.input)},
      [this](std::string_view line) { provider_->Read(line, *stream_); });
  if (!cli) return std::unexpected(cli.error());
  cli_ = std::move(*cli);
  return {};
}

std::expected<void, Error> Attempt::StartPlugins() {
  const ToolSettings settings =
      MakeToolSettings(request_, host_.environment, host_.private_folder.path(), host_.tracing);
  auto tools = StartPluginTools(request_, settings, host_.operations, observer_);
  if (!tools) return std::unexpected(tools.error());
  plugin_calls_ = std::make_unique<PluginCalls>(std::move(*tools), request_.deadline);
  return {};
}

std::expected<ProxyEndpoint, Error> Attempt::OpenProxy() {
  const long long left = RemainingMs(request_.deadline, static_cast<int>(kLongestToolTimeoutMs));
  ProxyEndpoint endpoint{
      host_.program, folder_ / "serve.json", folder_, {}, std::clamp(left, 1LL, kLongestToolTimeoutMs)};
  if (request_.Intercepts()) endpoint.tools = BuiltinNames();
  for (const ForwardedTool& tool : plugin_calls_->tools()) endpoint.tools.push_back(tool.definition.name);
  if (auto opened = OpenChannel(endpoint); !opened) return std::unexpected(opened.error());
  return endpoint;
}

StreamMonitor::Rules Attempt::RulesFor(const ProxyEndpoint* endpoint) const {
  StreamMonitor::Rules rules;
  rules.step = request_.step;
  rules.provider = request_.provider_as_written;
  rules.version = version_;
  rules.verified = entry_->verified.back();
  if (entry_->tools_by_model) rules.probe_model = OptionText(request_.options, "model");
  rules.proxy = endpoint != nullptr;
  rules.intercept = request_.Intercepts();
  rules.required = rules.intercept && request_.proxy->isolation_required;
  if (rules.intercept) rules.claim = ClaimOf(*entry_, version_, request_, doubt_, proven_);
  if (endpoint == nullptr) return rules;
  for (const std::string& tool : endpoint->tools) rules.ours.insert(provider_->ShownName(tool));
  return rules;
}

// As the workflow has them, not with what the recipe adds.
void Attempt::TellPrompts() const {
  for (const auto& [role, text] :
       {std::pair{MessageRole::kSystem, &request_.system_prompt}, std::pair{MessageRole::kUser, &request_.prompt}}) {
    if (text->empty()) continue;
    observer_.MessageSaid(request_.step, {role, {TextBlock("text", *text)}});
  }
}

std::expected<void, Error> Attempt::StartKeeper() {
  auto keeper = process::Keeper::Spawn(host_.program);
  if (!keeper) return std::unexpected(keeper.error());
  keeper_ = std::move(*keeper);
  folder_ = host_.private_folder.NewStepFolder();
  if (auto made = MakeKeptFolder(*keeper_, folder_); !made) return made;
  if (::mkdir((folder_ / "tmp").c_str(), 0700) == 0) return {};
  return Fail("SYSTEM.IO.WRITE_FAILED", "cannot make " + (folder_ / "tmp").string() + ": " + std::strerror(errno));
}

// The session to go on with must lie in the folder that the conversation has now.
std::expected<void, Error> Attempt::OpenConversation() {
  if (request_.conversation.empty()) return {};
  auto folder = conversations_.Folder(request_.conversation);
  if (!folder) return std::unexpected(folder.error());
  conversation_folder_ = std::move(*folder);
  if (!request_.continued || request_.continued->folder.empty()) return {};
  if (request_.continued->folder == ConversationFolders::MarkOf(conversation_folder_)) return {};
  return Fail("EXECUTION.AGENT.SESSION_LOST",
              request_.provider +
                  " keeps its sessions in a private folder, and that of this conversation was deleted "
                  "when the run was interrupted",
              "Begin the conversation anew: resume from the step that it begins with, '" + request_.conversation +
                  "', or from the loop or parallel state around it.");
}

std::expected<void, Error> Attempt::OpenChannel(const ProxyEndpoint& endpoint) {
  ServeConfig config;
  config.socket = folder_ / "channel";
  config.token = RandomHex(32);
  config.tools = MakeToolSettings(request_, host_.environment, host_.private_folder.path(), host_.tracing);
  config.intercept_builtins = request_.proxy->intercept_builtins;
  config.plugin_tools = plugin_calls_->tools();
  config.content = host_.tracing.content;
  if (host_.tracing.spans) config.step_span_id = request_.step.span_id;
  auto channel = channel::StepChannelServer::Listen(config.socket, config.token);
  if (!channel) return std::unexpected(channel.error());
  channel_ = std::move(*channel);
  return WriteFile(endpoint.config.filename(), EncodeServeConfig(config));
}

std::expected<void, Error> Attempt::WriteFile(const std::string& name, const std::string& contents) const {
  const std::filesystem::path path = folder_ / name;
  const auto failed = [&](int error) {
    return Fail("SYSTEM.IO.WRITE_FAILED", "cannot write " + path.string() + ": " + std::strerror(error));
  };
  // "home/.gemini/settings.json": with its folders.
  for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    if (::mkdir((folder_ / name.substr(0, slash)).c_str(), 0700) != 0 && errno != EEXIST) return failed(errno);
  }
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return failed(errno);
  if (const int error = WriteAll(fd.get(), contents)) return failed(error);
  return {};
}

// The user's variables without awf's own, the step's, the recipe's, TMPDIR.
Environment Attempt::ChildEnvironment(const Invocation& invocation) const {
  Environment environment(host_.environment);
  environment.UnsetPrefix("AWF_");
  for (const auto& [name, value] : TraceVariables(host_.tracing, request_.step.trace_id, request_.step.span_id)) {
    environment.Set(name, value);
  }
  const auto of_recipe = [&](std::string_view name) {
    return name == "TMPDIR" || std::ranges::find(invocation.unset_env, name) != invocation.unset_env.end() ||
           std::ranges::any_of(invocation.set_env, [&](const auto& entry) { return entry.first == name; });
  };
  if (const json::object* variables = ObjectAt(request_.options, "env")) {
    for (const auto& [name, value] : *variables) {
      if (of_recipe(name)) {
        // Told once: the first environment is only for asking the version.
        const bool merged = std::ranges::find(invocation.merged_env, name) != invocation.merged_env.end();
        if (!invocation.argv.empty() && !merged) Warn("options.env." + std::string(name) + " is ignored: awf sets it");
      } else {
        environment.Set(name, OptionText(*variables, name));
      }
    }
  }
  for (const auto& [name, value] : invocation.set_env) environment.Set(name, value);
  for (const std::string& name : invocation.unset_env) environment.Unset(name);
  if (!folder_.empty()) environment.Set("TMPDIR", (folder_ / "tmp").string());
  return environment;
}

}  // namespace awf::agents
