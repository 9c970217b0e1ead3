#include "infrastructure/agents/regular_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "domain/test_folder.h"
#include "infrastructure/agents/claude.h"
#include "infrastructure/agents/codex.h"
#include "infrastructure/agents/gemini_home.h"
#include "infrastructure/agents/github_copilot.h"
#include "infrastructure/agents/github_copilot_home.h"
#include "infrastructure/agents/mistral_vibe.h"
#include "infrastructure/agents/opencode.h"
#include "infrastructure/agents/opencode_config.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

std::string Refusal(const fs::path& path, std::size_t largest = kLargestUserFile) {
  const auto text = ReadRegularFile(path, largest);
  return text ? "(read)" : text.error();
}

TEST(RegularFileTest, ReadsRegularFilesUpToTheLimitOnly) {
  const TestFolder top;
  const fs::path file = top.Put("file", std::string("a\xff\0b", 4));
  fs::create_symlink(file, top / "link");
  ASSERT_EQ(::mkfifo((top / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadRegularFile(file), std::string("a\xff\0b", 4));
  EXPECT_EQ(ReadRegularFile(top / "link"), std::string("a\xff\0b", 4));
  EXPECT_EQ(ReadRegularFile(file, 4), std::string("a\xff\0b", 4));
  EXPECT_EQ(Refusal(file, 3), "larger than 3 bytes");
  EXPECT_EQ(Refusal(top.Put("large", std::string(kLargestUserFile + 1, 'x'))), "larger than 1 MiB");
  EXPECT_EQ(Refusal(top / "none"), "");
  EXPECT_EQ(Refusal(file / "below"), "");
  EXPECT_EQ(Refusal(top), "not a regular file");
  EXPECT_EQ(Refusal(top / "pipe"), "not a regular file");
  EXPECT_EQ(Refusal("/dev/zero"), "not a regular file");
}

// A reader that opens one of these as it is waits for ever.
TEST(RegularFileTest, NoLoginWaitsForAPipe) {
  using Kind = LoginState::Kind;
  const TestFolder top;
  for (const char* name :
       {".claude/settings.json", ".codex/auth.json", ".codex/config.toml", ".gemini/settings.json", ".gemini/.env",
        ".gemini/oauth_creds.json", ".copilot/config.json", ".copilot/settings.json", ".vibe/.env", ".vibe/config.toml",
        ".local/share/opencode/auth.json", ".config/opencode/opencode.json"}) {
    fs::create_directories((top / name).parent_path());
    ASSERT_EQ(::mkfifo((top / name).c_str(), 0600), 0) << name;
  }
  Environment environment;
  environment.Set("HOME", top.string());
  EXPECT_EQ(ClaudeLogin(environment).kind, Kind::kMissing);
  EXPECT_EQ(CodexLogin(environment).kind, Kind::kMissing);
  EXPECT_EQ(GeminiLogin(environment).kind, Kind::kMissing);
  EXPECT_EQ(CopilotLogin(environment).kind, Kind::kUnknown);
  EXPECT_EQ(MistralVibeLogin(environment).kind, Kind::kUnknown);
  EXPECT_EQ(OpenCodeLogin(environment).kind, Kind::kMissing);

  EXPECT_EQ(GeminiUser(environment).warning(),
            (top / ".gemini/settings.json").string() +
                " cannot be read (not a regular file); login settings in it are not used");
  EXPECT_TRUE(GeminiUser(environment).Files(true).empty());
  EXPECT_EQ(ReadCopilotHome(top / ".copilot").warnings.at(1),
            (top / ".copilot/settings.json").string() +
                " cannot be read (not a regular file); login and settings in it are not used");
  EXPECT_EQ(ReadOpenCodeConfig(environment).warnings.at(0),
            (top / ".config/opencode/opencode.json").string() +
                " cannot be read (not a regular file); model providers in it are not used");
}

}  // namespace
}  // namespace awf::agents
