#include "infrastructure/agents/mistral_vibe.h"

#include <algorithm>
#include <sstream>
#include <system_error>

#include "infrastructure/agents/agent_errors.h"
#include "infrastructure/agents/mistral_vibe_export.h"
#include "infrastructure/agents/mistral_vibe_home.h"
#include "infrastructure/agents/mistral_vibe_variables.h"
#include "infrastructure/agents/option_words.h"
#include "infrastructure/agents/project_memory.h"
#include "infrastructure/agents/prompt_text.h"
#include "infrastructure/agents/session_place.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr char kExportFolder[] = "out";
constexpr std::size_t kLongestText = std::size_t{1} << 20;  // bytes; Vibe refuses more through stdin

// Functions of Vibe's own that reach nothing but the tools: a search among their names, the interpreter that calls
// them.
constexpr std::string_view kHarmless[] = {"search_tool_functions", "run_typescript", "self.sleep"};

// As Vibe makes identifiers of names.
std::string Identifier(std::string_view name) {
  std::string text(name);
  std::ranges::replace_if(
      text, [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9'); }, '_');
  return text;
}

std::vector<std::string> Words(const json::object& options, std::string_view key) {
  if (ArrayAt(options, key) != nullptr) return TextsAt(options, key);
  std::vector<std::string> words;
  std::istringstream text{std::string(TextAt(options, key))};
  for (std::string word; std::getline(text, word, ',');) {
    const std::size_t first = word.find_first_not_of(' ');
    if (first != std::string::npos) words.push_back(word.substr(first, word.find_last_not_of(' ') - first + 1));
  }
  return words;
}

bool WasDenied(std::string_view code) {
  return code == "tool_denied" || code == "approval_required" || code == "escalated_headless_denied";
}

std::string TextOf(const json::object& entry) {
  std::string text;
  const json::array* content = ArrayAt(entry, "content");
  if (content == nullptr) return text;
  for (const json::value& part : *content) {
    if (!part.is_object() || TextAt(part.get_object(), "type") != "text") continue;
    if (!text.empty()) text += "\n\n";
    text += TextAt(part.get_object(), "text");
  }
  return text;
}

}  // namespace

LoginState MistralVibeLogin(const Environment& environment) {
  using Kind = LoginState::Kind;
  if (!environment.Get("MISTRAL_API_KEY").empty()) return {Kind::kFound, "MISTRAL_API_KEY is set"};
  const fs::path home = VibeHome(environment);
  const auto values = DotEnvValues(SmallFile(home.empty() ? home : home / ".env"));
  const bool has_key = std::ranges::any_of(values, [](const auto& entry) { return entry.first == "MISTRAL_API_KEY"; });
  if (has_key) return {Kind::kFound, "MISTRAL_API_KEY is in " + (home / ".env").string()};
  std::error_code error;
  if (!home.empty() && fs::exists(home, error)) {
    return {Kind::kUnknown, "the system's keyring or another provider of " + home.string() + " may have a key"};
  }
  return {Kind::kMissing, "run vibe --setup, or set MISTRAL_API_KEY"};
}

ProbeTarget MistralVibeProbe(const std::string& base_url, const fs::path& mark) {
  ProbeTarget target;
  target.format = model_server::WireFormat::kChatCompletions;
  target.options = {{"model", "awf-probe"}};
  const json::object provider{
      {"name", "awf-probe"}, {"api_base", base_url + "/v1"}, {"api_key_env_var", "PROBE_KEY"}, {"backend", "generic"}};
  const json::object model{{"name", "awf-probe"}, {"provider", "awf-probe"}, {"alias", "awf-probe"}};
  target.environment = {{"VIBE_PROVIDERS", json::serialize(json::array{provider})},
                        {"VIBE_MODELS", json::serialize(json::array{model})},
                        {"PROBE_KEY", "no-key-is-needed"}};
  const std::string file = mark.string();
  const std::string call = json::serialize(json::object{{"path", file}, {"content", "x"}});
  target.native_calls = {
      {"write_file", {{"path", file}, {"content", "x"}}, true},
      {"bash", {{"command", "touch '" + file + "'"}}, true},
      {"run_typescript",
       {{"code", "async function main() { return await tools.file_system.write_file(" + call + "); }"}},
       true}};
  target.harmless = {"search_tool_functions", "run_typescript"};
  return target;
}

std::string OfferedByMistralVibe(std::string_view final_name) {
  return "mcp_" + Identifier(kProxyName) + "." + Identifier(final_name);
}

MistralVibeProvider::MistralVibeProvider(ProviderSetup setup)
    : setup_(std::move(setup)), home_(VibeHome(setup_.environment)) {}

std::string MistralVibeProvider::ShownName(std::string_view final_name) const {
  return "mcp_" + Identifier(setup_.server) + "." + Identifier(final_name);
}

std::string MistralVibeProvider::FinalName(std::string_view shown) const {
  const std::string prefix = ShownName("");
  return shown.starts_with(prefix) ? std::string(shown.substr(prefix.size())) : std::string();
}

std::expected<Invocation, Error> MistralVibeProvider::Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) {
  const json::object& options = request.options;
  intercept_ = proxy != nullptr && request.Intercepts();
  wanted_model_ = OptionText(options, "model");
  Invocation invocation;
  auto& argv = invocation.argv;
  argv = {"vibe", "-p", "--output", "streaming", "--output-dir", (setup_.step_folder / kExportFolder).string()};
  AddTools(request, proxy, invocation);
  for (const auto& [key, flag] :
       {std::pair{"max_turns", "--max-turns"}, {"max_price", "--max-price"}, {"max_tokens", "--max-tokens"}}) {
    if (const std::string value = OptionText(options, key); !value.empty()) AddOptionWords(argv, flag, value);
  }
  if (BoolAt(options, "trust")) {
    argv.emplace_back("--trust");
    if (intercept_) {
      invocation.warnings.emplace_back(
          "options.trust loads the workspace's hooks, tools and configuration, which act outside the proxy");
    }
  }
  if (request.continued) {
    // Intercepting steps have their sessions in the conversation's folder, others in Vibe's home.
    auto here = CheckSessionPlace("vibe", *request.continued, SessionPlace::kByInterception, intercept_);
    if (!here) return std::unexpected(here.error());
    continued_ = request.continued->id;
    argv.insert(argv.end(), {"--resume", continued_});
  }
  for (const std::string& argument : TextsAt(options, "extra_args")) argv.push_back(argument);

  if (proxy != nullptr) AddServer(*proxy, invocation);
  if (intercept_) {
    AddHome(invocation);
    // They are on offer, although every call of them is denied.
    invocation.isolation_doubt = "native tools: bash, edit, read_file, skill, write_file";
  }
  AddEnvironment(invocation);
  RemoveVariables(invocation);
  if (auto added = AddPrompt(request, invocation); !added) return std::unexpected(added.error());
  return invocation;
}

// Which tools there are, and who approves their calls.
void MistralVibeProvider::AddTools(const AgentRequest& request, const ProxyEndpoint* proxy,
                                   Invocation& invocation) const {
  const json::object& options = request.options;
  auto& argv = invocation.argv;
  const std::string ours = Identifier(setup_.server) + "_*";
  if (intercept_) {
    argv.insert(argv.end(), {"--enabled-tools", ours, "--agent", "auto-approve"});
    for (const char* key : {"agent_profile", "enabled_tools", "add_dirs", "dangerously_skip_permissions"}) {
      if (!options.contains(key)) continue;
      invocation.warnings.push_back(IgnoredWhileIntercepting(key));
    }
    return;
  }
  std::vector<std::string> wanted = Words(options, "enabled_tools");
  if (!wanted.empty() && proxy != nullptr) wanted.push_back(ours);
  for (const std::string& tool : wanted) AddOptionWords(argv, "--enabled-tools", tool);
  for (const std::string& folder : TextsAt(options, "add_dirs")) AddOptionWords(argv, "--add-dir", folder);
  if (const std::string profile = OptionText(options, "agent_profile"); !profile.empty()) {
    AddOptionWords(argv, "--agent", profile);
  }
  if (BoolAt(options, "dangerously_skip_permissions")) argv.emplace_back("--auto-approve");
}

void MistralVibeProvider::AddServer(const ProxyEndpoint& proxy, Invocation& invocation) const {
  const json::object server{{"name", setup_.server},
                            {"transport", "stdio"},
                            {"command", json::array{proxy.program.string()}},
                            {"args", json::array{"mcp-serve", "--config", proxy.config.string()}},
                            {"env", json::object()},
                            {"startup_timeout_sec", 30},
                            {"tool_timeout_sec", std::max(1LL, proxy.timeout_ms / 1000)},
                            {"sampling_enabled", false}};
  invocation.set_env.emplace_back("VIBE_MCP_SERVERS", json::serialize(json::array{server}));
  if (intercept_) return;
  // Without a human to ask, a profile that asks denies. Here, and only here, names are as they are.
  json::object permissions;
  for (const std::string& tool : proxy.tools) {
    permissions[setup_.server + "_" + tool] = json::object{{"permission", "always"}};
  }
  if (!permissions.empty()) invocation.set_env.emplace_back("VIBE_TOOLS", json::serialize(permissions));
}

// The step's folder as Vibe's home, with nothing in it but what a login and a model need.
void MistralVibeProvider::AddHome(Invocation& invocation) const {
  invocation.set_env.emplace_back("VIBE_HOME", setup_.step_folder.string());
  if (home_.empty()) return;
  for (auto& [name, value] : DotEnvValues(SmallFile(home_ / ".env"))) {
    if (IsVibeVariable(name) || !setup_.environment.Get(name).empty()) continue;
    invocation.set_env.emplace_back(name, std::move(value));
  }
  if (std::string settings = ModelSettings(SmallFile(home_ / "config.toml")); !settings.empty()) {
    invocation.files.push_back({"config.toml", std::move(settings)});
  }
  if (setup_.conversation_folder.empty()) return;
  const json::object sessions{{"enabled", true}, {"save_dir", (setup_.conversation_folder / "sessions").string()}};
  invocation.set_env.emplace_back("VIBE_SESSION_LOGGING", json::serialize(sessions));
}

void MistralVibeProvider::AddEnvironment(Invocation& invocation) const {
  auto& variables = invocation.set_env;
  if (!wanted_model_.empty()) variables.emplace_back("VIBE_ACTIVE_MODEL", wanted_model_);
  variables.emplace_back("VIBE_ENABLE_TELEMETRY", "false");
  variables.emplace_back("VIBE_ENABLE_UPDATE_CHECKS", "false");
  variables.emplace_back("VIBE_EXPERIMENTS", R"({"enable":false})");
  // Its own patience with a server that fails or refuses is five minutes.
  constexpr char kPatience[] = "VIBE_API_RETRY_MAX_ELAPSED_TIME";
  if (!HasVibeVariable(setup_.environment, kPatience)) variables.emplace_back(kPatience, "60");
  invocation.unset_env.emplace_back("VIBE_CWD");
  if (!intercept_) return;
  variables.emplace_back("VIBE_ENABLE_CONNECTORS", "false");
  variables.emplace_back("VIBE_ENABLE_SUBAGENTS", "false");
  variables.emplace_back("VIBE_ENABLE_BACKGROUND_PROCESSES", "false");
}

// Comes last: what is removed here must not be what the recipe sets.
void MistralVibeProvider::RemoveVariables(Invocation& invocation) const {
  std::vector<std::string> decided = invocation.unset_env;
  for (const auto& variable : invocation.set_env) decided.push_back(variable.first);
  for (std::string& name : UnwantedVibeVariables(setup_.environment, decided, intercept_)) {
    invocation.unset_env.push_back(std::move(name));
  }
}

std::expected<void, Error> MistralVibeProvider::AddPrompt(const AgentRequest& request, Invocation& invocation) const {
  std::string system = request.system_prompt;
  // Models look for tools by name in their list, where these are not.
  if (intercept_) {
    if (!system.empty()) system += "\n\n";
    system += "The MCP tools for files and commands are the functions of tools." + Identifier("mcp_" + setup_.server) +
              ", called through run_typescript; calls of the native ones are denied.";
  }
  PromptParts parts{system, setup_.mitigate, {}, request.prompt};
  ProjectMemory memory;
  if (intercept_ && request.proxy->project_memory) {
    MemoryFiles files;
    if (!home_.empty()) files.of_user.push_back(home_ / "AGENTS.md");
    // A trusted workspace's files are loaded by Vibe itself.
    if (!BoolAt(request.options, "trust")) files.in_folders = {"AGENTS.md"};
    memory = LoadMemory(files, request.working_dir);
    for (std::string& warning : memory.warnings) invocation.warnings.push_back("project memory: " + warning);
    parts.memory = memory.text;
  }
  invocation.input = PromptText(parts);
  if (intercept_ && invocation.input.size() <= kLongestText) {
    invocation.input = WithoutMentions(invocation.input, request.working_dir, setup_.environment.Get("HOME"));
  }
  return CheckPromptLength("vibe", invocation.input, {.bytes = kLongestText});
}

void MistralVibeProvider::Read(std::string_view line, AgentEvents& events) {
  const auto entry = ParseStreamLine(line);
  if (!entry) return;
  if (const std::string_view session = TextAt(*entry, "sessionId"); !session.empty() && session != session_) {
    session_ = session;
    events.Session(session_);
  }
  const json::object* outcome = ObjectAt(*entry, "outcome");
  if (outcome != nullptr && TextAt(*outcome, "type") == "discarded") return;
  const std::string_view type = TextAt(*entry, "type");
  if (type == "message" && TextAt(*entry, "role") == "assistant") ReadMessage(*entry, events);
  if (type == "effect") ReadEffect(*entry, events);
  if (type == "reasoning") {
    events.Message({MessageRole::kAssistant, {TextBlock("thinking", TextAt(*entry, "text"))}});
  }
}

void MistralVibeProvider::ReadMessage(const json::object& entry, AgentEvents& events) {
  const std::string text = TextOf(entry);
  if (text.empty()) return;
  text_.Append(text);
  text_.EndPiece();
  events.Message({MessageRole::kAssistant, {TextBlock("text", text)}});
  events.Text(text);
}

// A call with its result, told when it is over.
void MistralVibeProvider::ReadEffect(const json::object& entry, AgentEvents& events) {
  const json::object* detail = ObjectAt(entry, "detail");
  const json::object* state = ObjectAt(entry, "state");
  if (detail == nullptr || state == nullptr) return;
  text_.ToolUsed();
  // `toolName` of the shell and of files is the function's, but "skill" for skills; `title` names neither better.
  const std::string name(TextAt(*detail, "toolName"));
  if (std::ranges::find(kHarmless, name) != std::end(kHarmless)) return;
  const std::string id(TextAt(entry, "id"));
  const bool failed = TextAt(*state, "status") != "completed";
  const json::object* error = ObjectAt(*state, "error");
  const bool denied = error != nullptr && WasDenied(TextAt(*error, "code"));

  MessageBlock use = TextBlock("tool_use", {});
  if (const json::value* input = detail->if_contains("input")) use.text = json::serialize(*input);
  use.name = name;
  use.call_id = id;
  use.tool = FinalName(name);
  use.native = use.tool.empty();
  const bool native = use.native;
  events.Message({MessageRole::kAssistant, {use}});
  events.ToolUse(id, name, native, "effect");
  if (denied && !native) events.PermissionDenied(name);
  events.ToolEnded(id, failed, denied);
  MessageBlock result = TextBlock("tool_result", TextAt(*state, "outputText"));
  if (result.text.empty() && error != nullptr) result.text = TextAt(*error, "message");
  result.call_id = id;
  result.is_error = failed;
  events.Message({MessageRole::kUser, {result}});
}

Verdict MistralVibeProvider::Judge(const ProcessExit& exit) const {
  Verdict verdict;
  verdict.session_id = session_;
  verdict.output = text_.Output();
  const auto run = ReadVibeExport(setup_.step_folder / kExportFolder);
  if (!run) {
    verdict.failure = ExplainExit(exit);
    return verdict;
  }
  verdict.usage = run->usage;
  verdict.model = run->model;
  // It goes on with its default model.
  if (!wanted_model_.empty() && exit.error_output.contains("Model '" + wanted_model_ + "' is not available")) {
    verdict.failure = ModelError("vibe", 0, "it knows no model '" + wanted_model_ + "' and took another one", {});
  } else if (run->failure) {
    const bool is_lost = !continued_.empty() && run->text.starts_with("Session not found");
    verdict.failure = is_lost ? SessionLost("vibe", continued_, run->text) : run->failure;
  } else if (exit.exit_code != 0 || exit.signal != 0) {
    verdict.failure = ModelError("vibe", 0, "reported success, but ended with " + Ending(exit), {});
  }
  return verdict;
}

// Vibe ended before it could write what became of the run.
Error MistralVibeProvider::ExplainExit(const ProcessExit& exit) const {
  for (const std::string_view begin : {"unexpected argument '", "unrecognized arguments: "}) {
    const std::size_t at = exit.error_output.find(begin);
    if (at == std::string::npos) continue;
    const std::size_t from = at + begin.size();
    const std::string flag = exit.error_output.substr(from, exit.error_output.find_first_of("' \n", from) - from);
    return UnknownFlag("vibe", setup_.version, flag, kVerifiedVibe[std::size(kVerifiedVibe) - 1]);
  }
  return NoFinalEvent("vibe", exit);
}

}  // namespace awf::agents
