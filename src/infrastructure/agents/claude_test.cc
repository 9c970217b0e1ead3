#include "infrastructure/agents/claude.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "infrastructure/agents/stream_monitor.h"
#include "infrastructure/agents/test_observer.h"
#include "infrastructure/agents/test_recipe.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

class ClaudeTest : public RecipeTest {
 protected:
  ClaudeTest() : RecipeTest("2.1.332") { fs::create_directories(top_ / "home/.claude"); }

  void Write(const std::string& name, const std::string& text) { top_.Put(name, text); }
  Invocation Prepare(bool with_proxy = true) {
    ClaudeProvider claude(setup_);
    return Succeeded(TryWith(claude, with_proxy));
  }
  // The arguments up to the session id, which is random.
  static std::vector<std::string> Flags(const Invocation& invocation) {
    const auto end = std::ranges::find(invocation.argv, "--session-id");
    return {invocation.argv.begin(), end};
  }

  TestObserver observer_;
};

TEST_F(ClaudeTest, GoesOnWithACopyOfTheSession) {
  request_.continued.emplace();
  request_.continued->id = "11111111-2222-4333-8444-555555555555";
  const Invocation invocation = Prepare();
  std::vector<std::string> flags = Flags(invocation);
  flags.erase(flags.begin(), flags.end() - 3);
  EXPECT_EQ(flags, (std::vector<std::string>{"--resume", request_.continued->id, "--fork-session"}));
  ASSERT_EQ(invocation.argv.size(), Flags(invocation).size() + 2);
  EXPECT_NE(invocation.argv.back(), request_.continued->id);
}

TEST_F(ClaudeTest, ASessionThatTheCliDoesNotFindIsLost) {
  request_.continued.emplace();
  request_.continued->id = "s-1";
  ClaudeProvider claude(setup_);
  ASSERT_TRUE(claude.Prepare(request_, nullptr));
  StreamMonitor events({}, observer_, [] { return false; });
  claude.Read(R"({"type":"result","subtype":"error_during_execution","duration_ms":0,"is_error":true,"num_turns":0,)"
              R"("session_id":"s-2","errors":["No conversation found with session ID: s-1"]})",
              events);
  const Verdict verdict = claude.Judge({1, 0, "No conversation found with session ID: s-1\n"});
  ASSERT_TRUE(verdict.failure);
  EXPECT_EQ(verdict.failure->code, "EXECUTION.AGENT.SESSION_LOST");
  EXPECT_EQ(verdict.failure->message, "claude no longer has the session s-1");
}

TEST_F(ClaudeTest, InterceptRecipe) {
  const Invocation invocation = Prepare();
  EXPECT_EQ(Flags(invocation),
            (std::vector<std::string>{"claude", "-p", "--output-format", "stream-json", "--verbose", "--mcp-config",
                                      "/step/mcp.json", "--strict-mcp-config", "--tools", "", "--allowedTools",
                                      "mcp__awf-proxy", "--permission-mode", "dontAsk", "--setting-sources", "",
                                      "--disable-slash-commands"}));
  EXPECT_EQ(File(invocation, "mcp.json"),
            R"({"mcpServers":{"awf-proxy":{"type":"stdio","command":"/opt/awf",)"
            R"("args":["mcp-serve","--config","/step/serve.json"],"env":{},"timeout":60000}}})");
  EXPECT_EQ(invocation.input, "do it");
  EXPECT_EQ(invocation.set_env,
            (std::vector<std::pair<std::string, std::string>>{{"ENABLE_TOOL_SEARCH", "false"},
                                                              {"CLAUDE_CODE_DISABLE_ATTACHMENTS", "1"},
                                                              {"DISABLE_AUTOUPDATER", "1"},
                                                              {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
                                                              {"CLAUDE_CODE_MAX_RETRIES", "3"}}));
  EXPECT_TRUE(invocation.warnings.empty());
  const std::string session = *(std::ranges::find(invocation.argv, "--session-id") + 1);
  EXPECT_EQ(session.size(), 36U);
  EXPECT_EQ(session[14], '4');
}

TEST_F(ClaudeTest, AdditiveRecipeKeepsNativeToolsAndTheUsersSettings) {
  request_.proxy->intercept_builtins = false;
  request_.options["allowed_tools"] = "Read, Bash(git *)";
  request_.options["dangerously_skip_permissions"] = true;
  Write("work/CLAUDE.md", "memory");
  Write("home/.claude/settings.json", R"({"model":"x"})");
  const Invocation invocation = Prepare();
  EXPECT_EQ(Flags(invocation),
            (std::vector<std::string>{"claude", "-p", "--output-format", "stream-json", "--verbose", "--mcp-config",
                                      "/step/mcp.json", "--strict-mcp-config", "--allowedTools",
                                      "mcp__awf-proxy,Read,Bash(git *)", "--disable-slash-commands",
                                      "--dangerously-skip-permissions"}));
  EXPECT_EQ(invocation.input, "do it");
  EXPECT_FALSE(Has(invocation, "--settings"));
}

TEST_F(ClaudeTest, WithoutProxyNothingNamesTheServer) {
  request_.options["allowed_tools"] = json::array{"Read", "Bash"};
  const Invocation invocation = Prepare(false);
  EXPECT_EQ(Flags(invocation), (std::vector<std::string>{"claude", "-p", "--output-format", "stream-json", "--verbose",
                                                         "--strict-mcp-config", "--allowedTools", "Read,Bash",
                                                         "--disable-slash-commands"}));
  EXPECT_TRUE(invocation.files.empty());
}

TEST_F(ClaudeTest, OptionsBecomeFlagsAndReopeningOnesAreIgnored) {
  request_.options = {{"model", "opus"},
                      {"max_turns", 5},
                      {"max_budget_usd", 1.5},
                      {"effort", "high"},
                      {"allowed_tools", "Bash"},
                      {"dangerously_skip_permissions", true},
                      {"extra_args", json::array{"--foo", "bar"}}};
  const Invocation invocation = Prepare();
  const std::vector<std::string> flags = Flags(invocation);
  EXPECT_EQ(std::vector<std::string>(flags.end() - 8, flags.end() - 4),
            (std::vector<std::string>{"--model", "opus", "--max-turns", "5"}));
  EXPECT_EQ(*(flags.end() - 4), "--max-budget-usd");
  EXPECT_EQ(std::stod(*(flags.end() - 3)), 1.5);
  EXPECT_EQ(std::vector<std::string>(flags.end() - 2, flags.end()), (std::vector<std::string>{"--effort", "high"}));
  EXPECT_EQ(std::vector<std::string>(invocation.argv.end() - 2, invocation.argv.end()),
            (std::vector<std::string>{"--foo", "bar"}));
  EXPECT_FALSE(Has(invocation, "--dangerously-skip-permissions"));
  EXPECT_EQ(invocation.warnings.size(), 2U);
}

TEST_F(ClaudeTest, SystemPromptGoesIntoAFile) {
  request_.system_prompt = "be kind";
  const Invocation invocation = Prepare();
  EXPECT_EQ(File(invocation, "system.md"), "be kind");
  EXPECT_EQ(*(std::ranges::find(invocation.argv, "--append-system-prompt-file") + 1), "/step/system.md");
  EXPECT_EQ(invocation.input, "do it");
}

TEST_F(ClaudeTest, UnverifiedVersionsGetTheSentenceAndOldOnesTheBlockInTheText) {
  setup_.mitigate = true;
  setup_.version = "2.1.400";
  EXPECT_EQ(File(Prepare(), "system.md"), "Use only MCP tools, never built-in tools.");
  setup_.version = "1.0.9";
  request_.system_prompt = "be kind";
  const Invocation old = Prepare();
  EXPECT_EQ(File(old, "system.md"), "(none)");
  EXPECT_EQ(old.input, "<system>\nbe kind\n\nUse only MCP tools, never built-in tools.\n</system>\n\ndo it");
}

TEST_F(ClaudeTest, ProjectMemoryComesBeforeThePromptUnlessSwitchedOff) {
  Write("home/.claude/CLAUDE.md", "user rules");
  Write("work/CLAUDE.md", "project rules");
  EXPECT_TRUE(Prepare().input.ends_with("user rules\n\n## CLAUDE.md\n\nproject rules\n\ndo it"));
  request_.proxy->project_memory = false;
  EXPECT_EQ(Prepare().input, "do it");
}

TEST_F(ClaudeTest, LeadingSlashIsNoCommand) {
  request_.prompt = "/help me";
  EXPECT_EQ(Prepare().input, "\n/help me");
}

TEST_F(ClaudeTest, LoginSettingsOfTheUserArePassedOnAndNothingElse) {
  Write("home/.claude/settings.json",
        R"({"apiKeyHelper":"/bin/key","model":"opus","hooks":{"PreToolUse":[]},"permissions":{"deny":["Bash"]},
            "env":{"ANTHROPIC_BASE_URL":"http://x","ENABLE_TOOL_SEARCH":"true","TMPDIR":"/x","AWF_X":"1"}})");
  const Invocation invocation = Prepare();
  EXPECT_EQ(File(invocation, "settings.json"),
            R"({"apiKeyHelper":"/bin/key","model":"opus","env":{"ANTHROPIC_BASE_URL":"http://x"}})");
  EXPECT_EQ(*(std::ranges::find(invocation.argv, "--settings") + 1), "/step/settings.json");
}

TEST_F(ClaudeTest, OtherConfigFolderAndBrokenSettings) {
  fs::create_directories(top_ / "config");
  setup_.environment.Set("CLAUDE_CONFIG_DIR", (top_ / "config").string());
  Write("home/.claude/settings.json", R"({"model":"wrong"})");
  Write("config/settings.json", R"({"model":"right"})");
  EXPECT_EQ(File(Prepare(), "settings.json"), R"({"model":"right"})");
  Write("config/settings.json", "{");
  const Invocation invocation = Prepare();
  EXPECT_FALSE(Has(invocation, "--settings"));
  ASSERT_EQ(invocation.warnings.size(), 1U);
  EXPECT_TRUE(invocation.warnings[0].ends_with("login settings in it are not used"));
  Write("config/settings.json", R"({"permissions":{}})");
  EXPECT_FALSE(Has(Prepare(), "--settings"));
}

TEST_F(ClaudeTest, UnknownFlagNamesItAndTheVersion) {
  setup_.version = "2.0.1";
  const ClaudeProvider claude(setup_);
  const Verdict verdict = claude.Judge({1, 0, "some noise\nerror: unknown option '--tools'\n"});
  EXPECT_EQ(verdict.failure->code, "EXECUTION.AGENT.NOT_INSTALLED");
  EXPECT_EQ(verdict.failure->message, "claude 2.0.1 doesn't know --tools; verified with 2.1.332");
  EXPECT_EQ(claude.Judge({1, 0, ""}).failure->message, "claude ended without its final event (exit code 1)");
  EXPECT_EQ(claude.Judge({139, 11, "boom\n"}).failure->message,
            "claude ended without its final event (signal 11): boom");
}

}  // namespace
}  // namespace awf::agents
