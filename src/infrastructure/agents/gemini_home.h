// What Gemini CLI keeps in the user's ~/.gemini, and the files of the private home that a step gets in its place.
//
// Reads the user's files only, regular ones up to 1 MiB; writes nothing. Sources: Gemini CLI 0.61.0.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/agent.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/environment.h"

namespace awf::agents {

class GeminiUser {
 public:
  explicit GeminiUser(const Environment& environment);

  // ~/.gemini, or where GEMINI_CLI_HOME says; empty when there is no home.
  const std::filesystem::path& folder() const { return folder_; }
  // Of settings.json, which may hold comments; empty when there is none or it is broken (see `warning`).
  const json::object& settings() const { return settings_; }
  const std::string& warning() const { return warning_; }
  // Of ~/.gemini/.env, else ~/.env: what the CLI would take from there, as the environment has no such names.
  const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }
  // Of the environment, else of the file; "" when neither has it.
  std::string Variable(std::string_view name) const;

  // "gemini-api-key", "oauth-personal", …: of the settings, else as the environment asks for it; "" when nothing does.
  std::string LoginType() const;
  // The names of the instruction files: of the settings, else GEMINI.md.
  std::vector<std::string> MemoryNames() const;
  // Files that hold logins, and with `all` those that shape an agent with its native tools; below home/.gemini.
  std::vector<PrivateFile> Files(bool all) const;

 private:
  const Environment& environment_;
  std::filesystem::path folder_;
  json::object settings_;
  std::string warning_;
  std::vector<std::pair<std::string, std::string>> variables_;
};

LoginState GeminiLogin(const Environment& environment);

// The lines NAME=VALUE of a .env file: comments, `export`, quotes; \n in double quotes. Other lines are skipped.
std::vector<std::pair<std::string, std::string>> ReadDotEnv(std::string_view text);

// The settings of a step that gets no tools but ours.
std::string InterceptSettings(const GeminiUser& user, const ProxyEndpoint& proxy, const std::string& server);

// The user's settings with our server among the others.
std::string AdditiveSettings(const GeminiUser& user, const ProxyEndpoint& proxy, const std::string& server);

}  // namespace awf::agents
