#include "infrastructure/agents/opencode.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "domain/joined.h"
#include "domain/random_id.h"
#include "infrastructure/agents/agent_errors.h"
#include "infrastructure/agents/opencode_config.h"
#include "infrastructure/agents/option_words.h"
#include "infrastructure/agents/project_memory.h"
#include "infrastructure/agents/prompt_text.h"
#include "infrastructure/agents/regular_file.h"
#include "infrastructure/agents/session_place.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr char kLoginHint[] = "Log in with opencode auth login, or set the key of the model's provider.";
constexpr char kModelHint[] =
    "opencode models lists what there is; a provider without a login has no models. Log in with opencode auth login.";

constexpr std::pair<const char*, const char*> kAlways[] = {
    {"OPENCODE_DISABLE_AUTOUPDATE", "1"},
    {"OPENCODE_DISABLE_MODELS_FETCH", "1"},
    {"OPENCODE_DISABLE_LSP_DOWNLOAD", "1"},
};

// Hide our tools behind one of the CLI's own.
constexpr const char* kHidingVariables[] = {"OPENCODE_EXPERIMENTAL", "OPENCODE_EXPERIMENTAL_CODE_MODE"};
// Bring in configuration, rules or another party.
constexpr const char* kOpeningVariables[] = {"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_PERMISSION",
                                             "OPENCODE_AUTO_SHARE"};

constexpr const char* kKeyVariables[] = {"ANTHROPIC_API_KEY", "OPENAI_API_KEY",     "GEMINI_API_KEY",
                                         "OPENCODE_API_KEY",  "OPENROUTER_API_KEY", "MISTRAL_API_KEY",
                                         "GROQ_API_KEY",      "DEEPSEEK_API_KEY",   "XAI_API_KEY"};

// How the CLI answers a call that it does not run.
constexpr std::string_view kUnavailable = "Model tried to call unavailable tool";
constexpr std::string_view kDenials[] = {"The user rejected permission", "The user has specified a rule"};

json::object Server(const ProxyEndpoint& proxy) {
  return {{"type", "local"},
          {"command", json::array{proxy.program.string(), "mcp-serve", "--config", proxy.config.string()}},
          {"environment", json::object()},
          {"enabled", true},
          {"timeout", proxy.timeout_ms}};
}

bool Denied(std::string_view error) {
  return std::ranges::any_of(kDenials, [&](std::string_view denial) { return error.starts_with(denial); });
}

bool IsFlag(std::string_view argument) { return argument.starts_with('-') && argument.size() > 1; }

// A line of the log that names the error of the model's choice, which the stream keeps to itself:
// error="ProviderModelNotFoundError: Model not found: a/b. Did you mean: c?"
std::string UnknownModel(std::string_view log) {
  constexpr std::string_view kName = "ProviderModelNotFoundError: ";
  const std::size_t at = log.rfind(kName);
  if (at == std::string_view::npos) return {};
  const std::string_view text = log.substr(at + kName.size());
  return std::string(text.substr(0, text.find_first_of("\"\\\n)")));
}

}  // namespace

LoginState OpenCodeLogin(const Environment& environment) {
  using Kind = LoginState::Kind;
  if (!environment.Get("OPENCODE_AUTH_CONTENT").empty()) return {Kind::kFound, "OPENCODE_AUTH_CONTENT is set"};
  const fs::path folder = OpenCodeDataFolder(environment);
  const auto logins =
      folder.empty() ? std::nullopt : ParseRepairedObject(ReadRegularFile(folder / "auth.json").value_or(""));
  if (logins && !logins->empty()) {
    std::vector<std::string> names;
    for (const auto& login : *logins) names.emplace_back(login.key());
    return {Kind::kFound, "logged in with " + Joined(names, ", ")};
  }
  for (const char* name : kKeyVariables) {
    if (!environment.Get(name).empty()) return {Kind::kFound, std::string(name) + " is set"};
  }
  // Providers may have their keys in the configuration, or need none.
  if (const auto config = ReadOpenCodeConfig(environment); config.kept.contains("provider")) {
    return {Kind::kUnknown, "the configuration names a model provider"};
  }
  return {Kind::kMissing, "run opencode auth login, or set the key of the model's provider"};
}

ProbeTarget OpenCodeProbe(const std::string& base_url, const fs::path& mark) {
  constexpr char kProvider[] = "awf-probe";
  ProbeTarget target;
  target.format = model_server::WireFormat::kChatCompletions;
  target.options = {{"model", std::string(kProvider) + "/scripted"}};
  const json::object provider{{"npm", "@ai-sdk/openai-compatible"},
                              {"name", kProvider},
                              {"options", json::object{{"baseURL", base_url + "/v1"}, {"apiKey", "no-key-is-needed"}}},
                              {"models", json::object{{"scripted", json::object{{"name", "scripted"}}}}}};
  const json::object config{{"provider", json::object{{kProvider, provider}}},
                            {"enabled_providers", json::array{kProvider}},
                            {"disabled_providers", json::array()}};
  target.environment = {{"OPENCODE_CONFIG_CONTENT", json::serialize(config)}};
  const std::string file = mark.string();
  const std::string patch = "*** Begin Patch\n*** Add File: " + file + "\n+x\n*** End Patch";
  target.native_calls = {{"bash", {{"command", "touch '" + file + "'"}, {"description", "Make a file"}}, true},
                         {"write", {{"filePath", file}, {"content", "x"}}, true},
                         {"edit", {{"filePath", file}, {"oldString", ""}, {"newString", "x"}}, true},
                         {"apply_patch", {{"patchText", patch}}, true}};
  return target;
}

std::string OfferedByOpenCode(std::string_view final_name) {
  return std::string(kProxyName) + "_" + std::string(final_name);
}

OpenCodeProvider::OpenCodeProvider(ProviderSetup setup) : setup_(std::move(setup)) {}

std::string OpenCodeProvider::ShownName(std::string_view final_name) const {
  return setup_.server + "_" + std::string(final_name);
}

std::expected<Invocation, Error> OpenCodeProvider::Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) {
  const json::object& options = request.options;
  proxied_ = proxy != nullptr;
  intercept_ = proxied_ && request.Intercepts();
  model_ = OptionText(options, "model");
  if (request.continued) continued_ = request.continued->id;
  const auto folder = SessionFolder(request);
  if (!folder) return std::unexpected(folder.error());

  Invocation invocation;
  auto& argv = invocation.argv;
  argv = {"opencode", "run", "--format", "json", "--pure", "--print-logs", "--log-level", "ERROR"};
  // Its own name: rules that the user's configuration has for an agent of the same name would be mixed into ours.
  if (intercept_) {
    agent_ = "awf-step-" + RandomHex(4);
    argv.insert(argv.end(), {"--agent", agent_, "--dir", folder->string()});
  }
  argv.insert(argv.end(), {"--title", "awf " + request.step.step});
  if (!model_.empty()) AddOptionWords(argv, "-m", model_, "--model");
  if (request.continued) argv.insert(argv.end(), {"--session", continued_});
  if (BoolAt(options, "dangerously_skip_permissions")) {
    if (intercept_) {
      invocation.warnings.push_back(IgnoredWhileIntercepting("dangerously_skip_permissions"));
    } else {
      argv.emplace_back("--auto");
    }
  }
  for (const std::string& argument : TextsAt(options, "extra_args")) argv.push_back(argument);
  for (const std::string& argument : argv) {
    if (IsFlag(argument)) flags_.push_back(argument.substr(0, argument.find('=')));
  }
  AddConfiguration(request, proxy, invocation);
  AddPrompt(request, invocation);
  return invocation;
}

// The CLI binds a session to the folder in which it began, and waits for ever when it is taken up in another one. An
// intercepting step has a folder of its own: the conversation's, if it has one.
std::expected<fs::path, Error> OpenCodeProvider::SessionFolder(const AgentRequest& request) const {
  fs::path kept = setup_.conversation_folder.empty() ? fs::path() : setup_.conversation_folder / "opencode";
  if (request.continued) {
    auto here = CheckSessionPlace("opencode", *request.continued, SessionPlace::kByInterception, intercept_);
    if (!here) return std::unexpected(here.error());
  }
  if (!intercept_) return request.working_dir;
  if (kept.empty()) return setup_.step_folder;
  std::error_code error;
  fs::create_directory(kept, error);
  if (error) return Fail("SYSTEM.IO.WRITE_FAILED", "cannot make " + kept.string() + ": " + error.message());
  return kept;
}

void OpenCodeProvider::AddConfiguration(const AgentRequest& request, const ProxyEndpoint* proxy,
                                        Invocation& invocation) const {
  json::object content{{"autoupdate", false}, {"share", "disabled"}, {"snapshot", false}};
  if (intercept_) {
    // The last matching rule wins: "*" comes first.
    const json::object rules{{"*", "deny"}, {setup_.server + "_*", "allow"}};
    content["default_agent"] = agent_;
    content["agent"] =
        json::object{{agent_, json::object{{"mode", "primary"}, {"description", "awf step"}, {"permission", rules}}}};
  } else if (proxied_) {
    content["permission"] = json::object{{setup_.server + "_*", "allow"}};
  }
  if (proxied_) content["mcp"] = json::object{{setup_.server, Server(*proxy)}};

  auto& set = invocation.set_env;
  if (intercept_) {
    OpenCodeConfig users = ReadOpenCodeConfig(setup_.environment);
    for (std::string& warning : users.warnings) invocation.warnings.push_back(std::move(warning));
    for (PrivateFile& file : OpenCodePrivateConfig(std::move(users.kept))) invocation.files.push_back(std::move(file));
    set.emplace_back("XDG_CONFIG_HOME", (setup_.step_folder / "config").string());
    // Where ~/.opencode, ~/.claude and ~/.agents are looked for; the login lies elsewhere.
    set.emplace_back("OPENCODE_TEST_HOME", (setup_.step_folder / "home").string());
    set.emplace_back("OPENCODE_DISABLE_PROJECT_CONFIG", "1");
    // Parallel steps fail when they bring a database that all of them use up to date.
    const bool kept = !setup_.conversation_folder.empty();
    set.emplace_back("OPENCODE_DB",
                     ((kept ? setup_.conversation_folder : setup_.step_folder) / "opencode.db").string());
    for (const char* name : kOpeningVariables) invocation.unset_env.emplace_back(name);
  } else {
    content = OverUsersContent(setup_.environment, content, invocation.warnings);
  }
  set.emplace_back("OPENCODE_CONFIG_CONTENT", json::serialize(content));
  invocation.merged_env.emplace_back("OPENCODE_CONFIG_CONTENT");
  for (const auto& [name, value] : kAlways) set.emplace_back(name, value);
  // It counts before the real working directory.
  set.emplace_back("PWD", request.working_dir.string());
  if (proxied_) {
    for (const char* name : kHidingVariables) invocation.unset_env.emplace_back(name);
  }
}

void OpenCodeProvider::AddPrompt(const AgentRequest& request, Invocation& invocation) const {
  std::string system = request.system_prompt;
  ProjectMemory memory;
  if (intercept_) {
    // The CLI tells the model the folder that it was started in.
    if (!system.empty()) system += "\n\n";
    system += "Your tools work in " + request.working_dir.string() +
              ": relative paths start there, whatever else is said about a working directory.";
    if (request.proxy->project_memory) {
      const bool no_claude = !setup_.environment.Get("OPENCODE_DISABLE_CLAUDE_CODE").empty() ||
                             !setup_.environment.Get("OPENCODE_DISABLE_CLAUDE_CODE_PROMPT").empty();
      const fs::path folder = OpenCodeConfigFolder(setup_.environment);
      const fs::path own = folder.empty() ? folder : folder / "AGENTS.md";
      const std::string home = setup_.environment.Get("HOME");
      std::error_code error;
      MemoryFiles files{.of_user = {own}, .in_folders = {"AGENTS.md"}, .otherwise = {"CONTEXT.md"}, .from_root = true};
      if (!no_claude) {
        if (!fs::exists(own, error) && !home.empty()) files.of_user = {fs::path(home) / ".claude/CLAUDE.md"};
        files.otherwise = {"CLAUDE.md", "CONTEXT.md"};
      }
      memory = LoadMemory(files, request.working_dir);
    }
  }
  for (const std::string& warning : memory.warnings) invocation.warnings.push_back("project memory: " + warning);
  invocation.input = PromptText({system, setup_.mitigate, memory.text, request.prompt});
}

void OpenCodeProvider::Read(std::string_view line, AgentEvents& events) {
  const auto event = ParseStreamLine(line);
  if (!event) return;
  if (const std::string_view session = TextAt(*event, "sessionID"); session_.empty() && !session.empty()) {
    session_ = session;
    events.Session(session_);
  }
  const std::string_view type = TextAt(*event, "type");
  if (type == "error") return ReadError(*event);
  const json::object* part = ObjectAt(*event, "part");
  if (part == nullptr) return;
  if (type == "text") {
    const std::string_view text = TextAt(*part, "text");
    text_.Append(text);
    text_.EndPiece();
    events.Message({MessageRole::kAssistant, {TextBlock("text", text)}});
    events.Text(text);
  } else if (type == "reasoning") {
    events.Message({MessageRole::kAssistant, {TextBlock("thinking", TextAt(*part, "text"))}});
  } else if (type == "tool_use") {
    ReadTool(*part, events);
  } else if (type == "step_finish") {
    ReadStepEnd(*part, events);
  }
}

// One event tells of the call and its result.
void OpenCodeProvider::ReadTool(const json::object& part, AgentEvents& events) {
  const std::string_view name = TextAt(part, "tool"), id = TextAt(part, "callID");
  const std::string prefix = ShownName("");
  const bool ours = proxied_ && name.starts_with(prefix);
  const json::object none;
  const json::object* told = ObjectAt(part, "state");
  const json::object& state = told != nullptr ? *told : none;
  const bool is_error = TextAt(state, "status") != "completed";
  const std::string_view error = TextAt(state, "error");
  text_.ToolUsed();

  const json::object* input = ObjectAt(state, "input");
  MessageBlock use = TextBlock("tool_use", input != nullptr ? json::serialize(*input) : "");
  use.name = name;
  use.call_id = id;
  use.native = !ours;
  if (ours) use.tool = name.substr(prefix.size());
  events.Message({MessageRole::kAssistant, {use}});
  events.ToolUse(id, name, !ours, "tool_use");
  const bool denied = is_error && Denied(error);
  if (denied) events.PermissionDenied(name);
  events.ToolEnded(id, is_error, is_error && (denied || error.starts_with(kUnavailable)));
  MessageBlock result = TextBlock("tool_result", is_error ? error : TextAt(state, "output"));
  result.call_id = id;
  result.is_error = is_error;
  events.Message({MessageRole::kUser, {result}});
}

void OpenCodeProvider::ReadStepEnd(const json::object& part, AgentEvents& events) {
  last_reason_ = TextAt(part, "reason");
  if (const json::object* tokens = ObjectAt(part, "tokens")) {
    const json::object none;
    const json::object* told = ObjectAt(*tokens, "cache");
    const json::object& cache = told != nullptr ? *told : none;
    const std::int64_t cached = IntegerAt(cache, "read"), reasoning = IntegerAt(*tokens, "reasoning");
    usage_.input += IntegerAt(*tokens, "input") + cached + IntegerAt(cache, "write");
    usage_.output += IntegerAt(*tokens, "output") + reasoning;
    usage_.total = usage_.input + usage_.output;
    usage_.cached += cached;
    usage_.reasoning += reasoning;
    if (const auto cost = NumberAt(part, "cost")) usage_.cost_usd = usage_.cost_usd.value_or(0) + *cost;
    events.Tokens(usage_);
  }
  if (last_reason_ == "stop") events.FinalEvent();
}

void OpenCodeProvider::ReadError(const json::object& event) {
  const json::object none;
  const json::object* told = ObjectAt(event, "error");
  const json::object& error = told != nullptr ? *told : none;
  const json::object* data = ObjectAt(error, "data");
  Fault fault{std::string(TextAt(error, "name")), {}, 0};
  if (data != nullptr) {
    fault.text = TextAt(*data, "message");
    fault.status = IntegerAt(*data, "statusCode");
  }
  if (fault.text.empty()) fault.text = fault.name;
  if (!fault_) fault_ = std::move(fault);
}

Verdict OpenCodeProvider::Judge(const ProcessExit& exit) const {
  Verdict verdict;
  verdict.usage = usage_;
  verdict.session_id = session_;
  verdict.model = model_;
  verdict.output = text_.Output();
  verdict.failure = Failure(exit);
  if (intercept_ && exit.error_output.find("Falling back to default agent") != std::string::npos) {
    verdict.isolation_doubt = "the agent of the step was not found";
  }
  return verdict;
}

std::optional<Error> OpenCodeProvider::Failure(const ProcessExit& exit) const {
  if (fault_) return Explain(*fault_, exit);
  const bool failed = exit.exit_code != 0 || exit.signal != 0;
  if (!failed && last_reason_ == "stop") return std::nullopt;
  if (last_reason_ == "stop") {
    return ModelError("opencode", 0, "reported success, but ended with " + Ending(exit), {});
  }
  if (exit.error_output.find("Session not found") != std::string::npos) {
    return SessionLost("opencode", continued_, LastLine(exit.error_output));
  }
  if (failed && exit.error_output.find("opencode run [message..]") != std::string::npos) {
    for (const std::string& flag : flags_) {
      if (flag != "-m" && exit.error_output.find(flag) == std::string::npos) {
        return UnknownFlag("opencode", setup_.version, flag, std::end(kVerifiedOpenCode)[-1]);
      }
    }
  }
  if (!failed && !last_reason_.empty()) {
    if (last_reason_ == "tool-calls")
      return ModelError("opencode", 0, "ended after a tool call, without an answer", {});
    return ModelError("opencode", 0, "the model's answer ended early (" + last_reason_ + ")", {});
  }
  return NoFinalEvent("opencode", exit);
}

Error OpenCodeProvider::Explain(const Fault& fault, const ProcessExit& exit) const {
  if (const std::string text = UnknownModel(exit.error_output); !text.empty()) {
    Error error = ModelError("opencode", 0, text, {});
    error.hint = kModelHint;
    return error;
  }
  if (fault.name == "ProviderAuthError") return LoginError("opencode", fault.text, kLoginHint);
  return ModelError("opencode", fault.status, fault.text, kLoginHint);
}

}  // namespace awf::agents
