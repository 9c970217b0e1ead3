#include "infrastructure/agents/gemini_home.h"

#include <algorithm>
#include <optional>

#include "domain/utf8.h"
#include "infrastructure/agents/regular_file.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using Variables = std::vector<std::pair<std::string, std::string>>;

// gemini-credentials.json holds keys and tokens where the system has no keychain.
constexpr const char* kLoginFiles[] = {"oauth_creds.json", "google_accounts.json", "gemini-credentials.json"};
constexpr const char* kOtherFiles[] = {"GEMINI.md", "mcp-oauth-tokens.json", "trustedFolders.json"};

// The CLI takes comments in settings.
std::optional<json::object> ParseSettings(const std::string& text) {
  json::parse_options options;
  options.allow_comments = true;
  options.max_depth = 64;
  json::error_code fault;
  json::value value = json::parse(RepairUtf8(text), fault, {}, options);
  if (fault || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

const json::object& At(const json::object& object, std::string_view key) {
  static const json::object kNone;
  const json::object* found = ObjectAt(object, key);
  return found != nullptr ? *found : kNone;
}

// The object under that key, made where there is none.
json::object& Make(json::object& object, std::string_view key) {
  json::value& value = object[key];
  if (!value.is_object()) value = json::object();
  return value.get_object();
}

json::object ServerEntry(const ProxyEndpoint& proxy) {
  return {{"command", proxy.program.string()},
          {"args", json::array{"mcp-serve", "--config", proxy.config.string()}},
          {"env", json::object()},
          {"timeout", proxy.timeout_ms}};
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string DotEnvValue(std::string_view text) {
  const char quote = text.empty() ? '\0' : text.front();
  if (quote == '"' || quote == '\'' || quote == '`') {
    const std::size_t end = text.find(quote, 1);
    if (end != std::string_view::npos) {
      const std::string_view inner = text.substr(1, end - 1);
      std::string value;
      for (std::size_t at = 0; at < inner.size(); ++at) {
        const bool breaks = quote == '"' && inner.substr(at, 2) == "\\n";
        value += breaks ? '\n' : inner[at];
        if (breaks) ++at;
      }
      return value;
    }
  }
  return std::string(Trimmed(text.substr(0, text.find('#'))));
}

}  // namespace

Variables ReadDotEnv(std::string_view text) {
  Variables variables;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    std::string_view line = Trimmed(text.substr(0, feed));
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
    if (line.starts_with("export ")) line = Trimmed(line.substr(7));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = Trimmed(line.substr(0, equals));
    std::string value = DotEnvValue(Trimmed(line.substr(equals + 1)));
    if (name.empty() || !std::ranges::all_of(name, IsNameCharacter) || value.contains('\0')) continue;
    const auto known = std::ranges::find(variables, name, &Variables::value_type::first);
    if (known == variables.end()) {
      variables.emplace_back(name, std::move(value));
    } else {
      known->second = std::move(value);
    }
  }
  return variables;
}

GeminiUser::GeminiUser(const Environment& environment) : environment_(environment) {
  fs::path home = environment.Get("GEMINI_CLI_HOME");
  if (home.empty()) home = environment.Get("HOME");
  if (home.empty()) return;
  folder_ = home / ".gemini";
  const fs::path file_of_settings = folder_ / "settings.json";
  const auto text = ReadRegularFile(file_of_settings);
  if (auto settings = text ? ParseSettings(*text) : std::nullopt) {
    settings_ = std::move(*settings);
  } else if (text || !text.error().empty()) {
    const std::string why = text ? "is not valid JSON" : "cannot be read (" + text.error() + ")";
    warning_ = file_of_settings.string() + " " + why + "; login settings in it are not used";
  }
  auto file = ReadRegularFile(folder_ / ".env");
  if (!file) file = ReadRegularFile(home / ".env");
  if (!file) return;
  variables_ = ReadDotEnv(*file);
  std::erase_if(variables_, [&](const auto& entry) { return !environment.Get(entry.first).empty(); });
}

std::string GeminiUser::Variable(std::string_view name) const {
  std::string value = environment_.Get(name);
  if (!value.empty()) return value;
  const auto found = std::ranges::find(variables_, name, &Variables::value_type::first);
  return found == variables_.end() ? std::string() : found->second;
}

std::string GeminiUser::LoginType() const {
  std::string_view type = TextAt(At(At(settings_, "security"), "auth"), "selectedType");
  if (type.empty()) type = TextAt(settings_, "selectedAuthType");  // of older versions
  if (!type.empty()) return std::string(type);
  if (Variable("GOOGLE_GENAI_USE_GCA") == "true") return "oauth-personal";
  if (Variable("GOOGLE_GENAI_USE_VERTEXAI") == "true") return "vertex-ai";
  return Variable("GEMINI_API_KEY").empty() ? "" : "gemini-api-key";
}

std::vector<std::string> GeminiUser::MemoryNames() const {
  const json::object& context = At(settings_, "context");
  std::vector<std::string> names = TextsAt(context, "fileName");
  if (const std::string_view name = TextAt(context, "fileName"); !name.empty()) names.emplace_back(name);
  if (std::ranges::find(names, "GEMINI.md") == names.end()) names.emplace_back("GEMINI.md");
  return names;
}

std::vector<PrivateFile> GeminiUser::Files(bool all) const {
  std::vector<PrivateFile> files;
  if (folder_.empty()) return files;
  const auto add = [&](const std::string& name) {
    if (auto text = ReadRegularFile(folder_ / name)) files.push_back({"home/.gemini/" + name, std::move(*text)});
  };
  for (const char* name : kLoginFiles) add(name);
  if (!all) return files;
  for (const char* name : kOtherFiles) add(name);
  std::error_code error;
  std::vector<std::string> policies;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "policies", error)) {
    if (entry.path().extension() == ".toml") policies.push_back("policies/" + entry.path().filename().string());
  }
  std::ranges::sort(policies);
  for (const std::string& name : policies) add(name);
  return files;
}

LoginState GeminiLogin(const Environment& environment) {
  using Kind = LoginState::Kind;
  const GeminiUser user(environment);
  const auto has = [&](const char* name) { return !user.Variable(name).empty(); };
  const auto has_file = [&](const char* name) {
    std::error_code error;
    return !user.folder().empty() && fs::is_regular_file(user.folder() / name, error);
  };
  const std::string type = user.LoginType();
  if (type == "gemini-api-key") {
    if (has("GEMINI_API_KEY")) return {Kind::kFound, "GEMINI_API_KEY is set"};
    return {Kind::kUnknown, "GEMINI_API_KEY is not set: a key that gemini has stored counts"};
  }
  if (type == "oauth-personal") {
    if (has_file("oauth_creds.json")) return {Kind::kFound, "logged in with Google"};
    if (has("GOOGLE_CLOUD_ACCESS_TOKEN")) return {Kind::kFound, "GOOGLE_CLOUD_ACCESS_TOKEN is set"};
    if (has("GOOGLE_APPLICATION_CREDENTIALS") || has_file("gemini-credentials.json")) {
      return {Kind::kUnknown, "stored credentials count"};
    }
    return {Kind::kMissing, "run gemini and log in, or set GEMINI_API_KEY"};
  }
  if (type == "vertex-ai") {
    if (has("GOOGLE_API_KEY")) return {Kind::kFound, "GOOGLE_API_KEY is set"};
    if (has("GOOGLE_CLOUD_PROJECT") && has("GOOGLE_CLOUD_LOCATION")) {
      return {Kind::kUnknown, "Vertex AI: the cloud's login counts"};
    }
    return {Kind::kMissing, "set GOOGLE_API_KEY, or GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION"};
  }
  if (!type.empty() || has("GOOGLE_GEMINI_BASE_URL")) return {Kind::kUnknown, "the login of a gateway or cloud counts"};
  return {Kind::kMissing, "run gemini and log in, or set GEMINI_API_KEY"};
}

std::string InterceptSettings(const GeminiUser& user, const ProxyEndpoint& proxy, const std::string& server) {
  // With useExternal the CLI does not check the login before it starts. That check would read .gemini/.env of the
  // workspace, whose variables (LD_PRELOAD, GOOGLE_GEMINI_BASE_URL) would reach the CLI and our server.
  json::object login{{"useExternal", true}};
  if (const std::string type = user.LoginType(); !type.empty()) login["selectedType"] = type;
  json::object context{{"includeDirectoryTree", false}};
  if (const json::value* names = At(user.settings(), "context").if_contains("fileName")) context["fileName"] = *names;
  return json::serialize(json::object{
      {"mcpServers", json::object{{server, ServerEntry(proxy)}}},
      {"security", json::object{{"folderTrust", json::object{{"enabled", true}}}, {"auth", std::move(login)}}},
      {"skills", json::object{{"enabled", false}}},
      {"hooksConfig", json::object{{"enabled", false}}},
      {"advanced", json::object{{"ignoreLocalEnv", true}}},
      {"context", std::move(context)},
      {"tools", json::object{{"useRipgrep", false}}},
      {"general",
       json::object{{"enableAutoUpdate", false}, {"enableAutoUpdateNotification", false}, {"maxAttempts", 3}}},
      {"privacy", json::object{{"usageStatisticsEnabled", false}}},
      {"telemetry", json::object{{"enabled", false}}}});
}

std::string AdditiveSettings(const GeminiUser& user, const ProxyEndpoint& proxy, const std::string& server) {
  json::object settings = user.settings();
  json::object entry = ServerEntry(proxy);
  entry["trust"] = true;
  Make(settings, "mcpServers")[server] = std::move(entry);
  // A list of allowed servers leaves out all others.
  if (json::value* mcp = settings.if_contains("mcp"); mcp != nullptr && mcp->is_object()) {
    json::value* allowed = mcp->get_object().if_contains("allowed");
    if (allowed != nullptr && allowed->is_array()) allowed->get_array().emplace_back(server);
  }
  json::object& login = Make(Make(settings, "security"), "auth");
  if (const std::string type = user.LoginType(); !type.empty()) login["selectedType"] = type;
  login["useExternal"] = true;  // as above
  json::object& general = Make(settings, "general");
  general["enableAutoUpdate"] = false;
  general["enableAutoUpdateNotification"] = false;
  return json::serialize(settings);
}

}  // namespace awf::agents
