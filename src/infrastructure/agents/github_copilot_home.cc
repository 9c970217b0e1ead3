#include "infrastructure/agents/github_copilot_home.h"

#include <optional>
#include <sstream>
#include <string_view>

#include "infrastructure/agents/regular_file.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

// Who is logged in, and the tokens where there is no key store. Everything else in the file is state of the CLI, or
// trust that the user has given to folders.
constexpr const char* kLoginKeys[] = {"authTokens", "copilotTokens", "loggedInUsers", "lastLoggedInUser"};

// Which model, how it thinks, and the way to it.
constexpr const char* kSettings[] = {
    "model",    "modelProviderId", "effortLevel",
    "autoTier", "contextTier",     "continueOnAutoMode",
    "proxyUrl", "copilotUrl",      "proxyKerberosServicePrincipal",
};

// The CLI writes these files with lines of comment at the top.
std::string WithoutComments(std::string_view commented) {
  std::istringstream file{std::string(commented)};
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos && std::string_view(line).substr(first).starts_with("//")) continue;
    text += line + "\n";
  }
  return text;
}

// An empty object when there is no such file.
json::object ReadObject(const fs::path& path, std::vector<std::string>& warnings) {
  const auto text = ReadRegularFile(path);
  if (!text && text.error().empty()) return {};
  if (auto object = text ? ParseRepairedObject(WithoutComments(*text)) : std::nullopt) return std::move(*object);
  const std::string why = text ? " cannot be read as JSON" : " cannot be read (" + text.error() + ")";
  warnings.push_back(path.string() + why + "; login and settings in it are not used");
  return {};
}

template <class Keys>
json::object Only(const json::object& all, const Keys& keys) {
  json::object kept;
  for (const char* key : keys) {
    if (const json::value* value = all.if_contains(key)) kept[key] = *value;
  }
  return kept;
}

}  // namespace

fs::path CopilotFolder(const Environment& environment) {
  if (const std::string folder = environment.Get("COPILOT_HOME"); !folder.empty()) return folder;
  const std::string home = environment.Get("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".copilot";
}

CopilotHome ReadCopilotHome(const fs::path& folder) {
  CopilotHome home;
  json::object settings;
  if (!folder.empty()) {
    json::object login = Only(ReadObject(folder / "config.json", home.warnings), kLoginKeys);
    const json::array* users = ArrayAt(login, "loggedInUsers");
    home.login_stored = users != nullptr && !users->empty();
    if (!login.empty()) home.files.push_back({"config.json", json::serialize(login)});
    settings = Only(ReadObject(folder / "settings.json", home.warnings), kSettings);
    std::error_code error;
    if (fs::exists(folder / "providers.json", error)) home.providers = folder / "providers.json";
  }
  settings["disableAllHooks"] = true;
  home.files.push_back({"settings.json", json::serialize(settings)});
  return home;
}

}  // namespace awf::agents
