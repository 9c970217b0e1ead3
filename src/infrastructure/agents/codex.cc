#include "infrastructure/agents/codex.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "infrastructure/agents/agent_errors.h"
#include "infrastructure/agents/codex_catalog.h"
#include "infrastructure/agents/codex_recipe.h"
#include "infrastructure/agents/option_words.h"
#include "infrastructure/agents/prompt_text.h"
#include "infrastructure/agents/regular_file.h"
#include "infrastructure/agents/stream_json.h"
#include "infrastructure/agents/toml_text.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLoginHint = "Run codex login, or set CODEX_API_KEY.";
constexpr std::string_view kCatalog = "catalog.json";
constexpr std::size_t kLongestText = std::size_t{1} << 20;  // characters; Codex refuses more

fs::path CodexHome(const Environment& environment) {
  if (const std::string home = environment.Get("CODEX_HOME"); !home.empty()) return home;
  const std::string home = environment.Get("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".codex";
}

// What stands between `begin` and `end`; empty when either is not there.
std::string_view Between(std::string_view text, std::string_view begin, char end) {
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  const std::size_t length = text.find(end);
  return length == std::string_view::npos ? std::string_view() : text.substr(0, length);
}

// "unexpected status 401 Unauthorized: …", "exceeded retry limit, last status: 429 …"; 0 when there is none.
std::int64_t StatusIn(std::string_view text) {
  for (const std::string_view before : {"unexpected status ", "last status: "}) {
    const std::string_view number = Between(text, before, ' ');
    int status = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), status).ec == std::errc()) return status;
  }
  return 0;
}

// The cause that Codex names; a backtrace may follow it.
std::string ErrorLine(std::string_view stderr_text) {
  std::istringstream lines{std::string(stderr_text)};
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Error") || line.starts_with("error:")) found = line;
  }
  return found.empty() ? std::string(stderr_text) : found;
}

TokenUsage UsageOf(const json::object& usage) {
  TokenUsage tokens;
  tokens.input = IntegerAt(usage, "input_tokens");
  tokens.output = IntegerAt(usage, "output_tokens");
  tokens.total = tokens.input + tokens.output;
  tokens.cached = IntegerAt(usage, "cached_input_tokens");
  tokens.reasoning = IntegerAt(usage, "reasoning_output_tokens");
  return tokens;
}

// Of a thread that has begun anew, what is known of the old one says nothing.
TokenUsage Since(const TokenUsage& thread, const TokenUsage& known) {
  if (thread.input < known.input || thread.output < known.output) return thread;
  TokenUsage step;
  step.input = thread.input - known.input;
  step.output = thread.output - known.output;
  step.total = step.input + step.output;
  step.cached = std::max<std::int64_t>(0, thread.cached - known.cached);
  step.reasoning = std::max<std::int64_t>(0, thread.reasoning - known.reasoning);
  return step;
}

AgentMessage TextMessage(const CodexItem& item, std::string type) {
  MessageBlock block;
  block.type = std::move(type);
  block.text = item.text;
  return {MessageRole::kAssistant, {std::move(block)}};
}

}  // namespace

LoginState CodexLogin(const Environment& environment) {
  using Kind = LoginState::Kind;
  // OPENAI_API_KEY is of no use to Codex itself.
  if (!environment.Get("CODEX_API_KEY").empty()) return {Kind::kFound, "CODEX_API_KEY is set"};
  const fs::path home = CodexHome(environment);
  const auto login =
      home.empty() ? std::nullopt : ParseRepairedObject(ReadRegularFile(home / "auth.json").value_or(""));
  if (login) {
    if (!TextAt(*login, "OPENAI_API_KEY").empty()) return {Kind::kFound, "logged in with a key"};
    if (ObjectAt(*login, "tokens") != nullptr) return {Kind::kFound, "logged in with ChatGPT"};
  }
  if (!environment.Get("CODEX_ACCESS_TOKEN").empty()) return {Kind::kUnknown, "CODEX_ACCESS_TOKEN is set"};
  if (!home.empty() && ReadRegularFile(home / "config.toml").value_or("").contains("cli_auth_credentials_store")) {
    return {Kind::kUnknown, "the login is in the system's keyring"};
  }
  return {Kind::kMissing, "run codex login, or set CODEX_API_KEY"};
}

ProbeTarget CodexProbe(const std::string& base_url, const fs::path& mark) {
  ProbeTarget target;
  target.format = model_server::WireFormat::kResponses;
  const json::object provider{{"name", "awf probe"},
                              {"base_url", base_url + "/v1"},
                              {"wire_api", "responses"},
                              {"request_max_retries", 0},
                              {"stream_max_retries", 0}};
  // Without a model: Codex takes the first of its catalog, which has the most tools.
  target.options["config"] = json::object{{"model_provider", "awf-probe"}, {"model_providers.awf-probe", provider}};
  const std::string file = mark.string();
  const std::string command = "touch '" + file + "'";
  const std::string script = "await tools.exec_command({cmd:" + json::serialize(json::string(command)) + "})";
  target.native_calls = {
      {"exec_command", {{"cmd", command}}, true},
      {"shell_command", {{"command", command}}, true},
      {"shell", {{"command", json::array{"touch", file}}}, true},
      {"apply_patch", {{"input", "*** Begin Patch\n*** Add File: " + file + "\n+x\n*** End Patch\n"}}, true},
      {"exec", {{"input", script}}, true}};
  for (const char* name : {"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"}) {
    target.harmless.emplace_back(name);
    // As models see them whose tools are all in namespaces.
    target.harmless.push_back(std::string("functions.") + name);
  }
  return target;
}

// Codex turns what is no letter, digit or '_' into '_'.
std::string OfferedByCodex(std::string_view final_name) {
  std::string name = "mcp__awf_proxy." + std::string(final_name);
  std::replace_if(
      name.begin() + static_cast<std::ptrdiff_t>(name.find('.')) + 1, name.end(),
      [](char c) { return !IsBareTomlKey({&c, 1}) || c == '-'; }, '_');
  return name;
}

std::string CodexProvider::ShownName(std::string_view final_name) const {
  return setup_.server + "/" + std::string(final_name);
}

std::expected<Invocation, Error> CodexProvider::Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) {
  const bool intercept = proxy != nullptr && request.Intercepts();
  model_ = OptionText(request.options, "model");
  Invocation invocation;
  auto& argv = invocation.argv;
  argv = {"codex", "exec"};
  if (request.continued) {
    wanted_thread_ = request.continued->id;
    known_usage_ = request.continued->usage;
    // Codex takes anything but a UUID for the name of a thread, and begins a new one when there is none.
    if (!IsBareTomlKey(wanted_thread_) || wanted_thread_.starts_with('-')) {
      return std::unexpected(SessionLost("codex", wanted_thread_, "this is no id of a thread"));
    }
    argv.emplace_back("resume");
  }
  argv.insert(argv.end(), {"--json", "--skip-git-repo-check"});
  if (intercept) argv.emplace_back("--ignore-user-config");
  strict_ = intercept && !setup_.fallback;
  if (strict_) argv.emplace_back("--strict-config");
  if (!model_.empty()) AddOptionWords(argv, "-m", model_, "--model");
  if (proxy != nullptr) AddSetting(argv, "mcp_servers." + setup_.server, CodexServer(*proxy, intercept));
  const CodexFeatures features = ChooseCodexFeatures(setup_.facts, intercept);
  for (const std::string& feature : features.off) AddSetting(argv, "features." + feature, "false");
  if (intercept) {
    invocation.isolation_doubt = features.doubt.empty() ? SystemDoubt() : features.doubt;
    AddRecipe(request, invocation);
  }
  if (proxy != nullptr) AddSetting(argv, "tool_output_token_limit", "60000");
  AddSetting(argv, "analytics.enabled", "false");
  AddSetting(argv, "check_for_update_on_startup", "false");
  AddOptions(request, intercept, invocation);
  if (auto added = AddCodexConfig(request.options, argv); !added) return std::unexpected(added.error());
  for (const std::string& argument : TextsAt(request.options, "extra_args")) argv.push_back(argument);
  if (request.continued) argv.push_back(wanted_thread_);
  argv.emplace_back("-");
  invocation.input = PromptText({request.system_prompt, setup_.mitigate, {}, request.prompt});
  if (auto fits = CheckPromptLength("codex", invocation.input, {.characters = kLongestText}); !fits) {
    return std::unexpected(fits.error());
  }
  return invocation;
}

void CodexProvider::AddRecipe(const AgentRequest& request, Invocation& invocation) const {
  auto& argv = invocation.argv;
  AddSetting(argv, "web_search", "\"disabled\"");
  AddSetting(argv, "tools.experimental_request_user_input.enabled", "false");
  AddSetting(argv, "tools.update_plan.enabled", "false");
  // The second lock, should a native tool be left over.
  AddSetting(argv, "sandbox_mode", "\"read-only\"");
  if (setup_.fallback) {
    invocation.isolation_doubt = "codex " + setup_.version + " does not know every setting of the recipe";
  }
  AddCatalog(invocation);
  if (request.proxy->project_memory) return;
  AddSetting(argv, "project_doc_max_bytes", "0");
  const fs::path home = CodexHome(setup_.environment);
  std::error_code error;
  for (const char* name : {"AGENTS.md", "AGENTS.override.md"}) {
    if (home.empty() || !fs::exists(home / name, error)) continue;
    invocation.warnings.push_back(
        "project_memory: false leaves out the workspace's AGENTS.md only: codex still loads " + (home / name).string());
  }
}

// It is read in spite of --ignore-user-config: servers of its own would be offered, and what is managed outranks "-c".
std::string CodexProvider::SystemDoubt() const {
  for (const char* name : {"managed_config.toml", "requirements.toml", "config.toml"}) {
    std::error_code error;
    if (fs::exists(system_folder_ / name, error)) return (system_folder_ / name).string() + " may undo the recipe";
  }
  return {};
}

void CodexProvider::AddCatalog(Invocation& invocation) const {
  if (setup_.facts != nullptr) {
    const auto bundled = setup_.facts->Ask({"debug", "models", "--bundled"});
    auto catalog = bundled ? PatchedCodexCatalog(*bundled, model_) : std::nullopt;
    if (!catalog) {
      if (invocation.isolation_doubt.empty()) {
        invocation.isolation_doubt = "codex debug models --bundled told no models";
      }
      return;
    }
    invocation.files.push_back({std::string(kCatalog), std::move(*catalog)});
  }
  AddSetting(invocation.argv, "model_catalog_json", TomlString((setup_.step_folder / kCatalog).string()));
}

void CodexProvider::AddOptions(const AgentRequest& request, bool intercept, Invocation& invocation) const {
  if (const std::string effort = OptionText(request.options, "reasoning_effort"); !effort.empty()) {
    AddSetting(invocation.argv, "model_reasoning_effort", TomlString(effort));
  }
  if (!BoolAt(request.options, "dangerously_skip_permissions")) return;
  if (intercept) {
    invocation.warnings.push_back(IgnoredWhileIntercepting("dangerously_skip_permissions"));
  } else {
    invocation.argv.emplace_back("--dangerously-bypass-approvals-and-sandbox");
  }
}

void CodexProvider::Read(std::string_view line, AgentEvents& events) {
  const auto event = ParseStreamLine(line);
  if (!event) return;
  const std::string_view type = TextAt(*event, "type");
  if (type == "thread.started") ReadThread(*event, events);
  if (type == "item.started" || type == "item.updated") ReadItem(*event, false, events);
  if (type == "item.completed") ReadItem(*event, true, events);
  if (type == "turn.completed") ReadUsage(*event, events);
  if (type == "error") ReadError(TextAt(*event, "message"), events);
  if (type == "turn.failed") {
    const json::object* error = ObjectAt(*event, "error");
    failed_ = error != nullptr ? TextAt(*error, "message") : std::string_view();
    if (failed_->empty()) failed_ = last_error_;
    events.FinalEvent();
  }
}

void CodexProvider::ReadThread(const json::object& event, AgentEvents& events) {
  thread_ = TextAt(event, "thread_id");
  events.Session(thread_);
  if (!wanted_thread_.empty() && thread_ != wanted_thread_) {
    events.HopelessRetry(SessionLost("codex", wanted_thread_, "it began a new one"));
  }
}

void CodexProvider::ReadItem(const json::object& event, bool completed, AgentEvents& events) {
  const json::object* object = ObjectAt(event, "item");
  if (object == nullptr) return;
  const CodexItem item = ReadCodexItem(*object, setup_.server);
  if (item.kind == CodexItem::Kind::kTool) {
    if (open_.insert(item.id).second) {
      text_.ToolUsed();
      events.ToolUse(item.id, item.name, item.native, item.type);
      events.Message(UseMessage(item));
    }
    if (!completed) return;
    open_.erase(item.id);
    if (item.denied) events.PermissionDenied(item.name);
    events.ToolEnded(item.id, item.is_error, item.refused);
    events.Message(ResultMessage(item));
  } else if (completed && item.kind == CodexItem::Kind::kText) {
    text_.Append(item.text);
    text_.EndPiece();
    events.Text(item.text);
    events.Message(TextMessage(item, "text"));
  } else if (completed && item.kind == CodexItem::Kind::kReasoning) {
    events.Message(TextMessage(item, "thinking"));
  }
}

void CodexProvider::ReadUsage(const json::object& event, AgentEvents& events) {
  completed_ = true;
  if (const json::object* usage = ObjectAt(event, "usage")) {
    thread_usage_ = UsageOf(*usage);
    usage_ = Since(thread_usage_, known_usage_);
    events.Tokens(usage_);
  }
  events.FinalEvent();
}

void CodexProvider::ReadError(std::string_view message, AgentEvents& events) {
  last_error_ = message;
  // Also told while Codex tries again, which cannot help.
  const std::int64_t status = StatusIn(message);
  if (status == 401 || status == 403) events.HopelessRetry(ExplainFailure(message));
}

Verdict CodexProvider::Judge(const ProcessExit& exit) const {
  Verdict verdict;
  verdict.output = text_.Output();
  verdict.usage = usage_;
  verdict.thread_usage = thread_usage_;
  verdict.session_id = thread_;
  verdict.model = model_;
  if (failed_) {
    verdict.failure = ExplainFailure(*failed_);
  } else if (completed_ && (exit.exit_code != 0 || exit.signal != 0)) {
    verdict.failure = ModelError("codex", 0, "completed its turn, but ended with " + Ending(exit), kLoginHint);
  } else if (!completed_) {
    verdict.failure = ExplainExit(exit);
    // Before any network: no model was asked.
    verdict.try_fallback = strict_ && thread_.empty() && exit.error_output.contains("unknown configuration field");
  }
  return verdict;
}

Error CodexProvider::ExplainExit(const ProcessExit& exit) const {
  const std::string_view errors = exit.error_output;
  const std::string_view verified = kVerifiedCodex[0];
  for (const auto& [begin, end] : {std::pair{"unexpected argument '", '\''}, {"unknown configuration field `", '`'}}) {
    const std::string_view flag = Between(errors, begin, end);
    if (!flag.empty() && thread_.empty()) return UnknownFlag("codex", setup_.version, flag, verified);
  }
  const std::string line = ErrorLine(errors);
  if (!wanted_thread_.empty() && line.contains("no rollout found")) return SessionLost("codex", wanted_thread_, {});
  if (thread_.empty() && line.contains("required MCP servers failed to initialize")) {
    return {"EXECUTION.MCP_PROXY.NOT_CONNECTED", "codex: " + line, {}, {}, {}, {}};
  }
  if (!last_error_.empty() && exit.signal == 0) return ExplainFailure(last_error_);
  return NoFinalEvent("codex", {exit.exit_code, exit.signal, line});
}

Error CodexProvider::ExplainFailure(std::string_view text) const {
  std::int64_t status = StatusIn(text);
  if (status == 0 && (text.contains("sign in again") || text.contains("codex login"))) status = 401;
  if (status == 0 && (text.contains("hit your usage limit") || text.contains("uota exceeded"))) status = 429;
  return ModelError("codex", status, text.empty() ? "the turn failed" : text, kLoginHint);
}

}  // namespace awf::agents
