#include "infrastructure/agents/github_copilot.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "domain/random_id.h"
#include "infrastructure/agents/agent_errors.h"
#include "infrastructure/agents/github_copilot_home.h"
#include "infrastructure/agents/option_words.h"
#include "infrastructure/agents/project_memory.h"
#include "infrastructure/agents/prompt_text.h"
#include "infrastructure/agents/session_place.h"
#include "infrastructure/agents/stream_json.h"
#include "infrastructure/process/fd.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

// Each of these lets the workspace's servers, hooks or extensions run.
constexpr const char* kTrustingVariables[] = {
    "COPILOT_ALLOW_ALL",
    "GITHUB_COPILOT_PROMPT_MODE_EXTENSIONS",
    "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS",
    "GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP",
};

// Options that grant what the recipe takes away.
constexpr const char* kAdditiveOptions[] = {"allowed_tools", "denied_tools", "allow_all",
                                            "dangerously_skip_permissions", "mode"};

std::string McpConfig(const ProxyEndpoint& proxy, const std::string& server) {
  const json::object entry{{"type", "local"},
                           {"command", proxy.program.string()},
                           {"args", json::array{"mcp-serve", "--config", proxy.config.string()}},
                           {"env", json::object()},
                           {"tools", json::array{"*"}},
                           {"timeout", proxy.timeout_ms}};
  return json::serialize(json::object{{"mcpServers", json::object{{server, entry}}}});
}

// A file that is there already belongs to an earlier step of the conversation, and the CLI may have renewed it.
std::expected<void, Error> WriteOnce(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path, ignored))) return {};
  // It gets its name when it is whole, as later steps take what is there for done.
  const fs::path unfinished = path.string() + "." + RandomHex(8);
  int error = 0;
  {
    const Fd fd(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    error = fd ? WriteAll(fd.get(), text) : errno;
  }
  if (error == 0 && ::rename(unfinished.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(unfinished.c_str());
  return Fail("SYSTEM.IO.WRITE_FAILED", "cannot write " + path.string() + ": " + std::strerror(error));
}

}  // namespace

LoginState CopilotLogin(const Environment& environment) {
  using Kind = LoginState::Kind;
  if (!environment.Get("COPILOT_PROVIDER_BASE_URL").empty()) return {Kind::kFound, "COPILOT_PROVIDER_BASE_URL is set"};
  for (const char* name : {"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"}) {
    const std::string token = environment.Get(name);
    if (token.empty()) continue;
    // Refused by the CLI, whatever else it could log in with.
    if (token.starts_with("ghp_")) {
      return {Kind::kMissing, std::string(name) + " holds a classic token (ghp_), which copilot refuses"};
    }
    return {Kind::kFound, std::string(name) + " is set"};
  }
  const CopilotHome home = ReadCopilotHome(CopilotFolder(environment));
  if (home.login_stored) return {Kind::kFound, "logged in"};
  if (!home.providers.empty()) return {Kind::kFound, home.providers.string() + " names a model provider"};
  return {Kind::kUnknown, "a login of gh would serve; else run copilot and log in with /login"};
}

ProbeTarget CopilotProbe(const std::string& base_url, const fs::path& mark) {
  ProbeTarget target;
  target.format = model_server::WireFormat::kChatCompletions;
  target.options = {{"model", "probe-model"}};
  // Also what a user may have set to reach a provider of their own in another way.
  target.environment = {{"COPILOT_PROVIDER_BASE_URL", base_url + "/v1"},
                        {"COPILOT_PROVIDER_API_KEY", "no-key-is-needed"},
                        {"COPILOT_PROVIDER_TYPE", "openai"},
                        {"COPILOT_PROVIDER_WIRE_API", "completions"},
                        {"COPILOT_PROVIDER_TRANSPORT", "http"},
                        {"COPILOT_PROVIDER_API_KEY_COMMAND", ""},
                        {"COPILOT_PROVIDER_BEARER_TOKEN", ""},
                        {"COPILOT_PROVIDER_HEADERS", ""},
                        {"COPILOT_PROVIDER_MODEL_ID", ""},
                        {"COPILOT_PROVIDER_WIRE_MODEL", ""},
                        {"COPILOT_PROVIDERS_CONFIG", "/dev/null"},
                        {"COPILOT_OFFLINE", "true"}};
  const std::string file = mark.string();
  const std::string patch = "*** Begin Patch\n*** Add File: " + file + "\n+x\n*** End Patch\n";
  target.native_calls = {
      {"bash", {{"command", "touch '" + file + "'"}, {"description", "Make a file"}, {"mode", "sync"}}, true},
      {"create", {{"path", file}, {"file_text", "x"}}, true},
      {"str_replace_editor", {{"command", "create"}, {"path", file}, {"file_text", "x"}}, true},
      {"apply_patch", {{"input", patch}}, true}};
  return target;
}

std::string OfferedByCopilot(std::string_view final_name) {
  return std::string(kProxyName) + "-" + std::string(final_name);
}

GitHubCopilotProvider::GitHubCopilotProvider(ProviderSetup setup) : setup_(std::move(setup)) {}

std::string GitHubCopilotProvider::ShownName(std::string_view final_name) const {
  return setup_.server + "-" + std::string(final_name);
}

std::expected<Invocation, Error> GitHubCopilotProvider::Prepare(const AgentRequest& request,
                                                                const ProxyEndpoint* proxy) {
  const json::object& options = request.options;
  intercept_ = proxy != nullptr && request.Intercepts();
  Invocation invocation;
  auto& argv = invocation.argv;
  argv = {"copilot", "--output-format=json"};
  if (proxy != nullptr) {
    our_tools_ = proxy->tools.size();
    invocation.files.push_back({"mcp.json", McpConfig(*proxy, setup_.server)});
    argv.push_back("--additional-mcp-config=@" + (setup_.step_folder / "mcp.json").string());
    // Else each step leaves a file with our tools in the user's cache.
    invocation.set_env.emplace_back("COPILOT_MCP_TOOL_CACHE", "false");
  }
  if (intercept_) argv.push_back("--available-tools=" + setup_.server);
  AddPermissions(options, proxy, invocation);
  argv.emplace_back("--no-ask-user");
  if (intercept_) argv.insert(argv.end(), {"--disable-builtin-mcps", "--no-custom-instructions"});
  argv.insert(argv.end(), {"--no-auto-update", "--disable-client-telemetry", "--no-remote", "--no-remote-export"});
  argv.push_back("--usage-output-file=" + (setup_.step_folder / kCopilotUsageFile).string());
  for (const auto& [key, flag] : {std::pair{"model", "--model="}, {"effort", "--reasoning-effort="}}) {
    if (const std::string value = OptionText(options, key); !value.empty()) argv.push_back(flag + value);
  }
  if (request.continued) {
    // Intercepting steps have their sessions in the conversation's private home, others in the user's.
    auto here = CheckSessionPlace("copilot", *request.continued, SessionPlace::kByInterception, intercept_);
    if (!here) return std::unexpected(here.error());
    continued_ = request.continued->id;
    before_ = request.continued->usage;
    argv.push_back("--resume=" + continued_);
  } else {
    argv.push_back("--session-id=" + NewUuid());
  }
  for (const std::string& argument : TextsAt(options, "extra_args")) argv.push_back(argument);
  for (const char* name : kTrustingVariables) invocation.unset_env.emplace_back(name);
  if (intercept_) {
    if (auto added = AddPrivateHome(invocation); !added) return std::unexpected(added.error());
  }
  AddPrompt(request, invocation);
  return invocation;
}

void GitHubCopilotProvider::AddPermissions(const json::object& options, const ProxyEndpoint* proxy,
                                           Invocation& invocation) const {
  auto& argv = invocation.argv;
  if (proxy != nullptr) argv.push_back("--allow-tool=" + setup_.server);
  if (intercept_) {
    for (const char* key : kAdditiveOptions) {
      const json::value* value = options.if_contains(key);
      if (value == nullptr || *value == json::value(false)) continue;
      invocation.warnings.push_back(IgnoredWhileIntercepting(key));
    }
    return;
  }
  for (const auto& [key, flag] : {std::pair{"allowed_tools", "--allow-tool="}, {"denied_tools", "--deny-tool="}}) {
    for (const std::string& tool : TextsAt(options, key)) argv.push_back(flag + tool);
  }
  if (BoolAt(options, "allow_all") || BoolAt(options, "dangerously_skip_permissions")) {
    argv.emplace_back("--allow-all-tools");
  }
  if (const std::string mode = OptionText(options, "mode"); !mode.empty()) argv.push_back("--mode=" + mode);
}

std::expected<void, Error> GitHubCopilotProvider::AddPrivateHome(Invocation& invocation) const {
  CopilotHome home = ReadCopilotHome(CopilotFolder(setup_.environment));
  for (std::string& warning : home.warnings) invocation.warnings.push_back(std::move(warning));
  // Sessions lie in the home: those of a conversation must outlive the step.
  const bool kept = !setup_.conversation_folder.empty();
  invocation.set_env.emplace_back("COPILOT_HOME", (kept ? setup_.conversation_folder : setup_.step_folder).string());
  if (!home.providers.empty() && setup_.environment.Get("COPILOT_PROVIDERS_CONFIG").empty()) {
    invocation.set_env.emplace_back("COPILOT_PROVIDERS_CONFIG", home.providers.string());
  }
  for (PrivateFile& file : home.files) {
    if (!kept) {
      invocation.files.push_back(std::move(file));
    } else if (auto written = WriteOnce(setup_.conversation_folder / file.name, file.contents); !written) {
      return written;
    }
  }
  return {};
}

void GitHubCopilotProvider::AddPrompt(const AgentRequest& request, Invocation& invocation) const {
  ProjectMemory memory;
  if (intercept_ && request.proxy->project_memory) {
    const fs::path folder = CopilotFolder(setup_.environment);
    memory = LoadMemory({.of_user = {folder.empty() ? fs::path() : folder / "copilot-instructions.md"},
                         .in_folders = {".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"}},
                        request.working_dir);
    for (std::string& warning : memory.warnings) invocation.warnings.push_back("project memory: " + warning);
  }
  invocation.input = PromptText({request.system_prompt, setup_.mitigate, memory.text, request.prompt});
}

}  // namespace awf::agents
