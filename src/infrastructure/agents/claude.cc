#include "infrastructure/agents/claude.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "domain/joined.h"
#include "domain/random_id.h"
#include "infrastructure/agents/agent_errors.h"
#include "infrastructure/agents/claude_messages.h"
#include "infrastructure/agents/isolation.h"
#include "infrastructure/agents/option_words.h"
#include "infrastructure/agents/project_memory.h"
#include "infrastructure/agents/prompt_text.h"
#include "infrastructure/agents/regular_file.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

// How the CLI answers --resume when it has no such session in its configuration folder, for this working directory.
constexpr std::string_view kUnknownSession = "No conversation found with session ID";
constexpr char kLoginHint[] = "Log in with claude itself, or set ANTHROPIC_API_KEY.";

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kRecipeEnvironment = {{
    {"ENABLE_TOOL_SEARCH", "false"},
    {"CLAUDE_CODE_DISABLE_ATTACHMENTS", "1"},
    {"DISABLE_AUTOUPDATER", "1"},
    {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
    {"CLAUDE_CODE_MAX_RETRIES", "3"},
}};

bool IsRecipeName(std::string_view name) {
  return name == "TMPDIR" || name.starts_with("AWF_") ||
         std::ranges::any_of(kRecipeEnvironment, [&](const auto& entry) { return entry.first == name; });
}

// A comma string or a list → names.
std::vector<std::string> ToolNames(const json::object& options, std::string_view key) {
  if (ArrayAt(options, key) != nullptr) return TextsAt(options, key);
  std::vector<std::string> names;
  std::istringstream text{std::string(TextAt(options, key))};
  for (std::string name; std::getline(text, name, ',');) {
    const std::size_t first = name.find_first_not_of(' ');
    if (first != std::string::npos) names.push_back(name.substr(first, name.find_last_not_of(' ') - first + 1));
  }
  return names;
}

TokenUsage UsageOf(const json::object& usage) {
  TokenUsage tokens;
  tokens.input = IntegerAt(usage, "input_tokens") + IntegerAt(usage, "cache_creation_input_tokens") +
                 IntegerAt(usage, "cache_read_input_tokens");
  tokens.output = IntegerAt(usage, "output_tokens");
  tokens.total = tokens.input + tokens.output;
  tokens.cached = IntegerAt(usage, "cache_read_input_tokens");
  return tokens;
}

// Empty when there is no home.
fs::path ConfigFolder(const Environment& environment) {
  if (const std::string folder = environment.Get("CLAUDE_CONFIG_DIR"); !folder.empty()) return folder;
  const std::string home = environment.Get("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".claude";
}

// Nothing when it cannot be read or is no JSON object.
std::optional<json::object> ReadSettings(const fs::path& path) {
  return ParseRepairedObject(ReadRegularFile(path).value_or(""));
}

std::string McpConfig(const ProxyEndpoint& proxy, const std::string& server) {
  const json::object entry{{"type", "stdio"},
                           {"command", proxy.program.string()},
                           {"args", json::array{"mcp-serve", "--config", proxy.config.string()}},
                           {"env", json::object()},
                           {"timeout", proxy.timeout_ms}};
  return json::serialize(json::object{{"mcpServers", json::object{{server, entry}}}});
}

}  // namespace

LoginState ClaudeLogin(const Environment& environment) {
  using Kind = LoginState::Kind;
  for (const char* name : {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}) {
    if (!environment.Get(name).empty()) return {Kind::kFound, std::string(name) + " is set"};
  }
  for (const char* name : {"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"}) {
    if (!environment.Get(name).empty())
      return {Kind::kUnknown, std::string(name) + " is set: the cloud's login counts"};
  }
  const fs::path folder = ConfigFolder(environment);
  std::error_code error;
  if (!folder.empty() && fs::exists(folder / ".credentials.json", error)) return {Kind::kFound, "logged in"};
  const auto settings = folder.empty() ? std::nullopt : ReadSettings(folder / "settings.json");
  if (settings && !TextAt(*settings, "apiKeyHelper").empty()) return {Kind::kFound, "apiKeyHelper is set"};
  return {Kind::kMissing, "run claude and log in, or set ANTHROPIC_API_KEY"};
}

ProbeTarget ClaudeProbe(const std::string& base_url, const fs::path& mark) {
  ProbeTarget target;
  target.format = model_server::WireFormat::kMessages;
  // A home of its own beside the workspace: the user's settings could name another model server. What is set to
  // nothing here would too.
  target.environment = {{"ANTHROPIC_BASE_URL", base_url},
                        {"ANTHROPIC_API_KEY", "no-key-is-needed"},
                        {"CLAUDE_CONFIG_DIR", (mark.parent_path().parent_path() / "claude").string()},
                        {"ANTHROPIC_AUTH_TOKEN", ""},
                        {"CLAUDE_CODE_OAUTH_TOKEN", ""},
                        {"CLAUDE_CODE_USE_BEDROCK", ""},
                        {"CLAUDE_CODE_USE_VERTEX", ""}};
  const std::string file = mark.string();
  target.native_calls = {{"Bash", {{"command", "touch '" + file + "'"}, {"description", "Make a file"}}, true},
                         {"Write", {{"file_path", file}, {"content", "x"}}, true}};
  return target;
}

std::string OfferedByClaude(std::string_view final_name) {
  return "mcp__" + std::string(kProxyName) + "__" + std::string(final_name);
}

ClaudeProvider::ClaudeProvider(ProviderSetup setup)
    : setup_(std::move(setup)), config_dir_(ConfigFolder(setup_.environment)), home_(setup_.environment.Get("HOME")) {}

std::string ClaudeProvider::ShownName(std::string_view final_name) const {
  return "mcp__" + setup_.server + "__" + std::string(final_name);
}

std::expected<Invocation, Error> ClaudeProvider::Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) {
  const json::object& options = request.options;
  const bool intercept = proxy != nullptr && request.Intercepts();
  Invocation invocation;
  auto& argv = invocation.argv;
  argv = {"claude", "-p", "--output-format", "stream-json", "--verbose"};
  if (proxy != nullptr) {
    for (const std::string& tool : proxy->tools) ours_.insert(ShownName(tool));
    invocation.files.push_back({"mcp.json", McpConfig(*proxy, setup_.server)});
    argv.insert(argv.end(), {"--mcp-config", (setup_.step_folder / "mcp.json").string()});
  }
  argv.emplace_back("--strict-mcp-config");
  if (intercept) argv.insert(argv.end(), {"--tools", ""});

  std::vector<std::string> allowed;
  if (proxy != nullptr) allowed.push_back("mcp__" + setup_.server);
  const std::vector<std::string> wanted = ToolNames(options, "allowed_tools");
  if (!intercept) {
    allowed.insert(allowed.end(), wanted.begin(), wanted.end());
  } else if (!wanted.empty()) {
    invocation.warnings.push_back(IgnoredWhileIntercepting("allowed_tools"));
  }
  if (!allowed.empty()) AddOptionWords(argv, "--allowedTools", Joined(allowed, ","));
  if (intercept) argv.insert(argv.end(), {"--permission-mode", "dontAsk", "--setting-sources", ""});
  argv.emplace_back("--disable-slash-commands");
  if (BoolAt(options, "dangerously_skip_permissions")) {
    if (intercept) {
      invocation.warnings.push_back(IgnoredWhileIntercepting("dangerously_skip_permissions"));
    } else {
      argv.emplace_back("--dangerously-skip-permissions");
    }
  }
  AddPrompt(request, intercept, invocation);
  if (intercept) AddUserSettings(invocation);
  for (const auto& [key, flag] : {std::pair{"model", "--model"},
                                  {"max_turns", "--max-turns"},
                                  {"max_budget_usd", "--max-budget-usd"},
                                  {"effort", "--effort"}}) {
    if (const std::string value = OptionText(options, key); !value.empty()) AddOptionWords(argv, flag, value);
  }
  if (request.continued) continued_ = request.continued->id;
  // A copy: another attempt, or a step beside this one, starts from what was there, not from what this one said.
  if (request.continued) argv.insert(argv.end(), {"--resume", request.continued->id, "--fork-session"});
  argv.insert(argv.end(), {"--session-id", NewUuid()});
  for (const std::string& argument : TextsAt(options, "extra_args")) argv.push_back(argument);
  for (const auto& [name, value] : kRecipeEnvironment) invocation.set_env.emplace_back(name, value);
  return invocation;
}

void ClaudeProvider::AddPrompt(const AgentRequest& request, bool intercept, Invocation& invocation) const {
  PromptParts parts{request.system_prompt, setup_.mitigate, {}, request.prompt};
  const std::string system = SystemBlock(request.system_prompt, setup_.mitigate);
  if (!system.empty() && VersionAtLeast(setup_.version, kVerifiedClaude[0])) {
    invocation.files.push_back({"system.md", system});
    invocation.argv.insert(invocation.argv.end(),
                           {"--append-system-prompt-file", (setup_.step_folder / "system.md").string()});
    parts.system = {};
    parts.mitigate = false;
  }
  ProjectMemory memory;
  if (intercept && request.proxy->project_memory) {
    memory = LoadClaudeMemory(config_dir_, home_, request.working_dir);
    for (std::string& warning : memory.warnings) invocation.warnings.push_back("project memory: " + warning);
    parts.memory = memory.text;
  }
  std::string text = PromptText(parts);
  // A text that begins with a slash would be taken for a command, and "succeed" without a model.
  if (text.starts_with('/')) text.insert(0, "\n");
  invocation.input = std::move(text);
}

// Without --setting-sources the CLI no longer sees how the user logs in; these three keys are handed over.
void ClaudeProvider::AddUserSettings(Invocation& invocation) const {
  const fs::path path = config_dir_ / "settings.json";
  std::error_code error;
  if (config_dir_.empty() || !fs::exists(path, error)) return;
  const auto settings = ReadSettings(path);
  if (!settings) {
    invocation.warnings.push_back(path.string() + " cannot be read as JSON; login settings in it are not used");
    return;
  }
  const json::object& all = *settings;
  json::object kept;
  for (const char* key : {"apiKeyHelper", "model"}) {
    if (const std::string_view value = TextAt(all, key); !value.empty()) kept[key] = value;
  }
  if (const json::object* variables = ObjectAt(all, "env")) {
    json::object environment;
    for (const auto& [name, value] : *variables) {
      // These win over the process environment, so they must not undo the recipe.
      if (!IsRecipeName(name)) environment[name] = value;
    }
    if (!environment.empty()) kept["env"] = std::move(environment);
  }
  if (kept.empty()) return;
  invocation.files.push_back({"settings.json", json::serialize(kept)});
  invocation.argv.insert(invocation.argv.end(), {"--settings", (setup_.step_folder / "settings.json").string()});
}

void ClaudeProvider::Read(std::string_view line, AgentEvents& events) {
  const auto event = ParseStreamLine(line);
  if (!event) return;
  const std::string_view type = TextAt(*event, "type");
  if (type == "system") ReadSystem(*event, events);
  if (type == "assistant") {
    TellMessage(*event, MessageRole::kAssistant, events);
    ReadAssistant(*event, events);
  }
  if (type == "user") {
    ReadUser(*event, events);
    TellMessage(*event, MessageRole::kUser, events);
  }
  if (type == "result") ReadResult(*event, events);
}

// A name of our server that does not exist is ours too: the call reaches us and is refused there.
bool ClaudeProvider::IsOurs(std::string_view name) const {
  return ours_.contains(name) || (!ours_.empty() && name.starts_with(ShownName("")));
}

void ClaudeProvider::TellMessage(const json::object& event, MessageRole role, AgentEvents& events) const {
  events.Message(ReadClaudeMessage(event, role, [this](std::string_view name) {
    return IsOurs(name) ? std::string(name.substr(ShownName("").size())) : std::string();
  }));
}

void ClaudeProvider::ReadSystem(const json::object& event, AgentEvents& events) {
  const std::string_view subtype = TextAt(event, "subtype");
  if (subtype == "init") {
    session_ = TextAt(event, "session_id");
    model_ = TextAt(event, "model");
    bool connected = false;
    if (const json::array* servers = ArrayAt(event, "mcp_servers")) {
      for (const json::value& server : *servers) {
        if (!server.is_object() || TextAt(server.get_object(), "name") != setup_.server) continue;
        connected = TextAt(server.get_object(), "status") == "connected";
      }
    }
    events.Session(session_);
    events.Announced(TextsAt(event, "tools"), connected, TextAt(event, "claude_code_version"));
  } else if (subtype == "permission_denied") {
    events.PermissionDenied(TextAt(event, "tool_name"));
  } else if (subtype == "api_retry") {
    const std::int64_t status = IntegerAt(event, "error_status");
    if (status == 401 || status == 403) {
      events.HopelessRetry(
          LoginError("claude", "the API refused the login (HTTP " + std::to_string(status) + ")", kLoginHint));
    }
  }
}

void ClaudeProvider::ReadAssistant(const json::object& event, AgentEvents& events) {
  const json::object* message = ObjectAt(event, "message");
  const json::array* content = message != nullptr ? ArrayAt(*message, "content") : nullptr;
  if (content == nullptr) return;
  // The CLI's own words about an error, not the model's.
  if (TextAt(*message, "model") == "<synthetic>") return;
  const json::value* parent = event.if_contains("parent_tool_use_id");
  const bool of_subagent = parent != nullptr && parent->is_string();
  for (const json::value& block : *content) {
    if (!block.is_object()) continue;
    const json::object& part = block.get_object();
    const std::string_view type = TextAt(part, "type");
    if (type == "text" && !of_subagent) {
      text_.Append(TextAt(part, "text"));
      text_.EndPiece();
      events.Text(TextAt(part, "text"));
    } else if (type == "tool_use") {
      const std::string_view name = TextAt(part, "name");
      text_.ToolUsed();
      events.ToolUse(TextAt(part, "id"), name, !IsOurs(name), type);
    }
  }
  // Each block of a message comes as an event of its own with the same usage: count a message once.
  if (const json::object* usage = ObjectAt(*message, "usage"); usage != nullptr && !result_) {
    usage_by_message_[std::string(TextAt(*message, "id"))] = UsageOf(*usage);
    usage_ = {};
    for (const auto& [id, tokens] : usage_by_message_) {
      usage_.input += tokens.input;
      usage_.output += tokens.output;
      usage_.total += tokens.total;
      usage_.cached += tokens.cached;
    }
    events.Tokens(usage_);
  }
}

void ClaudeProvider::ReadUser(const json::object& event, AgentEvents& events) const {
  const json::object* message = ObjectAt(event, "message");
  const json::array* content = message != nullptr ? ArrayAt(*message, "content") : nullptr;
  if (content == nullptr) return;
  for (const json::value& block : *content) {
    if (!block.is_object() || TextAt(block.get_object(), "type") != "tool_result") continue;
    const json::object& result = block.get_object();
    const bool is_error = BoolAt(result, "is_error");
    std::string_view text = TextAt(result, "content");
    for (const std::string_view wrapping : {"<tool_use_error>", "Error: "}) {
      if (text.starts_with(wrapping)) text.remove_prefix(wrapping.size());
    }
    events.ToolEnded(TextAt(result, "tool_use_id"), is_error, is_error && text.starts_with("No such tool available"));
  }
}

void ClaudeProvider::ReadResult(const json::object& event, AgentEvents& events) {
  Result result;
  const json::value* is_error = event.if_contains("is_error");
  result.is_error = is_error == nullptr || !is_error->is_bool() || is_error->get_bool();
  result.subtype = TextAt(event, "subtype");
  result.text = TextAt(event, "result");
  result.terminal_reason = TextAt(event, "terminal_reason");
  result.errors = TextsAt(event, "errors");
  result.turns = IntegerAt(event, "num_turns");
  result.api_status = IntegerAt(event, "api_error_status");
  if (const json::object* usage = ObjectAt(event, "usage")) {
    usage_ = UsageOf(*usage);
    usage_.cost_usd = NumberAt(event, "total_cost_usd");
    events.Tokens(usage_);
  }
  if (const std::string_view session = TextAt(event, "session_id"); !session.empty()) session_ = session;
  result_ = std::move(result);
  events.FinalEvent();
}

Verdict ClaudeProvider::Judge(const ProcessExit& exit) const {
  Verdict verdict;
  verdict.usage = usage_;
  verdict.session_id = session_;
  verdict.model = model_;
  if (result_) verdict.output = result_->text;
  if (verdict.output.empty()) verdict.output = text_.Output();
  if (!result_) {
    verdict.failure = ExplainExit(exit);
  } else if (result_->is_error || result_->turns == 0 || exit.exit_code != 0 || exit.signal != 0) {
    verdict.failure = ExplainResult(exit);
  }
  return verdict;
}

Error ClaudeProvider::ExplainExit(const ProcessExit& exit) const {
  const std::string last = LastLine(exit.error_output);
  if (const std::size_t at = last.find("unknown option '"); at != std::string::npos) {
    const std::size_t begin = at + 16;
    const std::string flag = last.substr(begin, last.find('\'', begin) - begin);
    return UnknownFlag("claude", setup_.version, flag, std::end(kVerifiedClaude)[-1]);
  }
  return NoFinalEvent("claude", exit);
}

Error ClaudeProvider::ExplainResult(const ProcessExit& exit) const {
  std::string text = result_->text.empty() ? Joined(result_->errors, "; ") : result_->text;
  if (result_->is_error) {
    if (text.starts_with(kUnknownSession)) return SessionLost("claude", continued_, {});
    if (result_->text.starts_with("Not logged in")) return LoginError("claude", text, kLoginHint);
    if (text.empty()) text = result_->subtype;
    return ModelError("claude", result_->api_status, text, kLoginHint);
  }
  if (result_->turns == 0) {
    text = "the prompt was taken for a command, no model ran: " + text;
  } else {
    text = "reported success, but ended with " + Ending(exit);
  }
  return ModelError("claude", 0, text, {});
}

}  // namespace awf::agents
