#include "infrastructure/agents/gemini.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "domain/random_id.h"
#include "infrastructure/agents/agent_errors.h"
#include "infrastructure/agents/option_words.h"
#include "infrastructure/agents/project_memory.h"
#include "infrastructure/agents/prompt_text.h"
#include "infrastructure/agents/session_place.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr char kName[] = "gemini";
constexpr char kLoginHint[] = "Log in with gemini itself, or set GEMINI_API_KEY.";
constexpr std::size_t kLongestText = std::size_t{8} << 20;  // bytes; the CLI cuts what comes through stdin there

// Exit codes of the CLI (its own list of fatal errors).
constexpr int kExitLogin = 41, kExitInput = 42;

// A higher number wins; a denied tool is not even offered.
constexpr char kPolicy[] = R"([[rule]]
toolName = "*"
decision = "deny"
priority = 998

[[rule]]
mcpName = "@SERVER@"
toolName = "*"
decision = "allow"
priority = 999
)";

// They decide whether the workspace's settings are loaded, and whether the CLI starts itself anew in a container.
constexpr const char* kRemoved[] = {"GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
                                    "GEMINI_RESTRICTED_MODE", "GEMINI_SANDBOX"};

std::string Policy(std::string_view server) {
  std::string text = kPolicy;
  return text.replace(text.find("@SERVER@"), 8, server);
}

bool EndsFileReference(std::string_view rest) {
  if (rest.empty()) return true;
  if (std::string_view(" \t\r\n,;!?()[]{}").contains(rest.front())) return true;
  return rest.front() == '.' && (rest.size() == 1 || std::string_view(" \t\r\n").contains(rest[1]));
}

// "[API Error: {"error":{"message":"slow down"}}]" → "slow down".
std::string PlainError(std::string_view text) {
  constexpr std::string_view kPrefix = "[API Error: ";
  if (!text.starts_with(kPrefix)) return std::string(text);
  const std::size_t end = text.rfind(']');
  const std::string_view inner =
      text.substr(kPrefix.size(), end == std::string_view::npos ? end : end - kPrefix.size());
  if (const auto object = ParseStreamLine(inner)) {
    const json::object* error = ObjectAt(*object, "error");
    if (error != nullptr && !TextAt(*error, "message").empty()) return std::string(TextAt(*error, "message"));
  }
  return end == std::string_view::npos ? std::string(inner) : std::string(inner) + std::string(text.substr(end + 1));
}

// An HTTP status comes as exit code, modulo 256; 0 when it is none of those that APIs use.
int StatusOf(int exit_code) {
  for (const int status : {400, 401, 403, 404, 408, 429, 500, 502, 503, 504, 529}) {
    if (status % 256 == exit_code) return status;
  }
  return 0;
}

// "nope-flag" of "Unknown arguments: nope-flag, nopeFlag"; "" when no line says so.
std::string UnknownArgument(std::string_view error_output) {
  for (const std::string_view words : {"Unknown argument: ", "Unknown arguments: "}) {
    const std::size_t at = error_output.find(words);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = error_output.substr(at + words.size());
    return std::string(rest.substr(0, rest.find_first_of(", \r\n")));
  }
  return {};
}

std::expected<void, Error> CannotMake(const fs::path& path) {
  return Fail("SYSTEM.IO.WRITE_FAILED", "cannot make " + path.string() + ": " + std::strerror(errno));
}

}  // namespace

ProbeTarget GeminiProbe(const std::string& base_url, const fs::path& mark) {
  ProbeTarget target;
  target.format = model_server::WireFormat::kGemini;
  target.options = {{"model", "gemini-2.5-flash"}};
  target.environment = {{"GOOGLE_GEMINI_BASE_URL", base_url}, {"GEMINI_API_KEY", "no-key-is-needed"}};
  const std::string file = mark.string();
  target.native_calls = {
      {"run_shell_command", {{"command", "touch '" + file + "'"}, {"description", "Make a file"}}, true},
      {"write_file", {{"file_path", file}, {"content", "x"}}, true},
      {"replace", {{"file_path", file}, {"old_string", ""}, {"new_string", "x"}, {"instruction", "Make it"}}, true}};
  return target;
}

std::string OfferedByGemini(std::string_view final_name) {
  return "mcp_" + std::string(kProxyName) + "_" + std::string(final_name);
}

std::string WithoutFileReferences(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escaped = at > 0 && text[at - 1] == '\\';
    if (text[at] == '@' && !escaped && !EndsFileReference(text.substr(at + 1))) plain += '\\';
    plain += text[at];
  }
  return plain;
}

GeminiProvider::GeminiProvider(ProviderSetup setup) : setup_(std::move(setup)) {}

std::string GeminiProvider::ShownName(std::string_view final_name) const {
  return "mcp_" + setup_.server + "_" + std::string(final_name);
}

std::vector<std::string> GeminiProvider::Arguments(const AgentRequest& request, bool intercept,
                                                   Invocation& invocation) const {
  std::vector<std::string> argv{kName, "-o", "stream-json"};
  if (const std::string model = OptionText(request.options, "model"); !model.empty()) {
    AddOptionWords(argv, "-m", model, "--model");
  }
  argv.emplace_back("--skip-trust");
  if (intercept) {
    argv.insert(argv.end(), {"--allowed-mcp-server-names", setup_.server, "-e", "none", "--admin-policy",
                             (setup_.step_folder / "policy.toml").string()});
  }
  if (BoolAt(request.options, "dangerously_skip_permissions")) {
    if (intercept) {
      invocation.warnings.push_back(IgnoredWhileIntercepting("dangerously_skip_permissions"));
    } else {
      argv.insert(argv.end(), {"--approval-mode", "yolo"});
    }
  }
  if (resumed_.empty()) {
    argv.insert(argv.end(), {"--session-id", NewUuid()});
  } else {
    argv.insert(argv.end(), {"--resume", resumed_});
  }
  for (const std::string& argument : TextsAt(request.options, "extra_args")) argv.push_back(argument);
  return argv;
}

std::expected<Invocation, Error> GeminiProvider::Prepare(const AgentRequest& request, const ProxyEndpoint* proxy) {
  const bool intercept = proxy != nullptr && request.Intercepts();
  const GeminiUser user(setup_.environment);
  if (request.continued) {
    auto here = CheckSessionPlace(kName, *request.continued, SessionPlace::kByProxy, proxy != nullptr);
    if (!here) return std::unexpected(here.error());
    resumed_ = request.continued->id;
    if (request.continued->working_dir != request.working_dir) moved_from_ = request.continued->working_dir;
  }
  Invocation invocation;
  invocation.argv = Arguments(request, intercept, invocation);
  if (proxy != nullptr) {
    for (const std::string& tool : proxy->tools) ours_.insert(ShownName(tool));
    AddHome(user, *proxy, intercept, invocation);
    if (auto kept = KeepSessions(); !kept) return std::unexpected(kept.error());
  }
  AddEnvironment(request, user, proxy != nullptr, invocation);
  invocation.input = Text(request, user, intercept, invocation);
  if (auto fits = CheckPromptLength(kName, invocation.input, {.bytes = kLongestText}); !fits) {
    return std::unexpected(fits.error());
  }
  return invocation;
}

void GeminiProvider::AddHome(const GeminiUser& user, const ProxyEndpoint& proxy, bool intercept,
                             Invocation& invocation) const {
  if (!user.warning().empty()) invocation.warnings.push_back(user.warning());
  invocation.files.push_back({"home/.gemini/settings.json", intercept ? InterceptSettings(user, proxy, setup_.server)
                                                                      : AdditiveSettings(user, proxy, setup_.server)});
  if (intercept) invocation.files.push_back({"policy.toml", Policy(setup_.server)});
  for (PrivateFile& file : user.Files(!intercept)) invocation.files.push_back(std::move(file));
}

// The sessions of a conversation outlive its steps; everything else in a home is its step's own.
std::expected<void, Error> GeminiProvider::KeepSessions() const {
  if (setup_.conversation_folder.empty()) return {};
  const fs::path sessions = setup_.conversation_folder / "gemini-sessions";
  const fs::path home = setup_.step_folder / "home";
  for (const fs::path& folder : {sessions, home, home / ".gemini"}) {
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return CannotMake(folder);
  }
  std::error_code error;
  fs::create_directory_symlink(sessions, home / ".gemini" / "tmp", error);
  if (error) return Fail("SYSTEM.IO.WRITE_FAILED", "cannot link the sessions of gemini: " + error.message());
  return {};
}

void GeminiProvider::AddEnvironment(const AgentRequest& request, const GeminiUser& user, bool proxy,
                                    Invocation& invocation) const {
  auto& variables = invocation.set_env;
  variables = {{"GEMINI_CLI_NO_RELAUNCH", "true"}, {"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}};
  if (!proxy) return;
  variables.insert(variables.begin(), {"GEMINI_CLI_HOME", (setup_.step_folder / "home").string()});
  invocation.unset_env.assign(std::begin(kRemoved), std::end(kRemoved));
  // The CLI would have found these in the user's home.
  const json::object* of_step = ObjectAt(request.options, "env");
  for (const auto& [name, value] : user.variables()) {
    const bool known = std::ranges::find(invocation.unset_env, name) != invocation.unset_env.end() ||
                       std::ranges::any_of(variables, [&](const auto& entry) { return entry.first == name; }) ||
                       (of_step != nullptr && of_step->contains(name));
    if (!known && name != "TMPDIR" && !name.starts_with("AWF_")) variables.emplace_back(name, value);
  }
}

std::string GeminiProvider::Text(const AgentRequest& request, const GeminiUser& user, bool intercept,
                                 Invocation& invocation) const {
  ProjectMemory memory;
  if (intercept && request.proxy->project_memory && !user.folder().empty()) {
    MemoryFiles files;
    for (const std::string& name : user.MemoryNames()) files.of_user.push_back(user.folder() / name);
    memory = LoadMemory(files, request.working_dir);
    for (std::string& warning : memory.warnings) invocation.warnings.push_back("project memory: " + warning);
  } else if (intercept && !request.proxy->project_memory) {
    invocation.warnings.emplace_back("gemini loads GEMINI.md of the workspace also with project_memory: false");
  }
  std::string text = PromptText({request.system_prompt, intercept && setup_.mitigate, memory.text, request.prompt});
  if (intercept) text = WithoutFileReferences(text);
  // A text that begins with a slash would be taken for a command.
  if (text.starts_with('/')) text.insert(0, "\n");
  return text;
}

void GeminiProvider::Read(std::string_view line, AgentEvents& events) {
  const auto event = ParseStreamLine(line);
  if (!event) return;
  const std::string_view type = TextAt(*event, "type");
  if (type == "message") return ReadText(*event, events);
  TellText(events);
  if (type == "init") {
    session_ = TextAt(*event, "session_id");
    model_ = TextAt(*event, "model");
    events.Session(session_);
  } else if (type == "tool_use") {
    ReadToolUse(*event, events);
  } else if (type == "tool_result") {
    ReadToolResult(*event, events);
  } else if (type == "error") {
    last_error_ = TextAt(*event, "message");
  } else if (type == "result") {
    ReadResult(*event, events);
  }
}

// The prompt comes back as a message of the user.
void GeminiProvider::ReadText(const json::object& event, AgentEvents& events) {
  if (TextAt(event, "role") != "assistant") return;
  const std::string_view text = TextAt(event, "content");
  text_.Append(text);
  said_ += text;
  events.Text(text);
}

void GeminiProvider::TellText(AgentEvents& events) {
  if (said_.empty()) return;
  events.Message({MessageRole::kAssistant, {TextBlock("text", std::exchange(said_, {}))}});
}

// A name of our server that does not exist is refused by the CLI and is no native tool either.
bool GeminiProvider::IsOurs(std::string_view name) const {
  return ours_.contains(name) || (!ours_.empty() && name.starts_with(ShownName("")));
}

void GeminiProvider::ReadToolUse(const json::object& event, AgentEvents& events) {
  const std::string_view name = TextAt(event, "tool_name");
  const std::string_view id = TextAt(event, "tool_id");
  const bool ours = IsOurs(name);
  text_.ToolUsed();
  names_by_id_[std::string(id)] = name;
  events.ToolUse(id, name, !ours, "tool_use");
  MessageBlock block = TextBlock("tool_use", {});
  if (const json::value* parameters = event.if_contains("parameters")) block.text = json::serialize(*parameters);
  block.name = name;
  block.call_id = id;
  block.native = !ours;
  if (ours) block.tool = name.substr(ShownName("").size());
  events.Message({MessageRole::kAssistant, {std::move(block)}});
}

void GeminiProvider::ReadToolResult(const json::object& event, AgentEvents& events) {
  const std::string_view id = TextAt(event, "tool_id");
  const json::object* error = ObjectAt(event, "error");
  const std::string_view kind = error != nullptr ? TextAt(*error, "type") : std::string_view();
  const bool is_error = TextAt(event, "status") != "success";
  const bool denied = kind == "policy_violation";
  const auto name = names_by_id_.find(id);
  if (denied && name != names_by_id_.end() && IsOurs(name->second)) events.PermissionDenied(name->second);
  events.ToolEnded(id, is_error, denied || kind == "tool_not_registered");
  std::string_view text = TextAt(event, "output");
  if (text.empty() && error != nullptr) text = TextAt(*error, "message");
  MessageBlock block = TextBlock("tool_result", text);
  block.call_id = id;
  block.is_error = is_error;
  events.Message({MessageRole::kUser, {std::move(block)}});
}

void GeminiProvider::ReadResult(const json::object& event, AgentEvents& events) {
  Result result;
  result.success = TextAt(event, "status") == "success";
  if (const json::object* error = ObjectAt(event, "error")) result.text = TextAt(*error, "message");
  if (const json::object* stats = ObjectAt(event, "stats")) {
    usage_.input = IntegerAt(*stats, "input_tokens");
    usage_.output = IntegerAt(*stats, "output_tokens");
    usage_.total = IntegerAt(*stats, "total_tokens");
    usage_.cached = IntegerAt(*stats, "cached");
    events.Tokens(usage_);
  }
  result_ = std::move(result);
  events.FinalEvent();
}

Verdict GeminiProvider::Judge(const ProcessExit& exit) const {
  Verdict verdict;
  verdict.usage = usage_;
  verdict.session_id = session_;
  verdict.model = model_;
  verdict.output = text_.Output();
  if (!result_) {
    verdict.failure = ExplainExit(exit);
  } else if (!result_->success || exit.exit_code != 0 || exit.signal != 0) {
    verdict.failure = ExplainResult(exit);
  }
  return verdict;
}

Error GeminiProvider::ExplainExit(const ProcessExit& exit) const {
  const std::string last = LastLine(exit.error_output);
  if (exit.signal != 0) return NoFinalEvent(kName, exit);
  if (exit.exit_code == kExitLogin) return LoginError(kName, last, kLoginHint);
  if (exit.exit_code == kExitInput && !resumed_.empty() && exit.error_output.contains("Error resuming session")) {
    const std::string where = moved_from_.string();
    return SessionLost(kName, resumed_,
                       where.empty() ? where : "it finds a session only in the folder in which that began, " + where);
  }
  if (const std::string flag = UnknownArgument(exit.error_output); !flag.empty()) {
    return UnknownFlag(kName, setup_.version, (flag.size() == 1 ? "-" : "--") + flag, kVerifiedGemini[0]);
  }
  return NoFinalEvent(kName, exit);
}

Error GeminiProvider::ExplainResult(const ProcessExit& exit) const {
  if (result_->success) return ModelError(kName, 0, "reported success, but ended with " + Ending(exit), kLoginHint);
  std::string text = PlainError(result_->text.empty() ? last_error_ : result_->text);
  if (text.empty()) text = LastLine(exit.error_output);
  // A key that is wrong is a bad request to this API; without any, the CLI looks for a login of the cloud.
  if (text.contains("API key not valid") || text.contains("Could not load the default credentials")) {
    return LoginError(kName, text, kLoginHint);
  }
  return ModelError(kName, StatusOf(exit.exit_code), text, kLoginHint);
}

}  // namespace awf::agents
