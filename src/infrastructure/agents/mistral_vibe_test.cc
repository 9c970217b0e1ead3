#include "infrastructure/agents/mistral_vibe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "infrastructure/agents/test_recipe.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr char kHint[] =
    "The MCP tools for files and commands are the functions of tools.mcp_awf_proxy, called through run_typescript; "
    "calls "
    "of the native ones are denied.";

class MistralVibeTest : public RecipeTest {
 protected:
  MistralVibeTest() : RecipeTest("3.0.3") {
    endpoint_.tools = {"Read", "kv_get"};
    endpoint_.timeout_ms = 60'500;
  }

  std::expected<Invocation, Error> Try(bool with_proxy = true) {
    MistralVibeProvider vibe(setup_);
    return TryWith(vibe, with_proxy);
  }
  Invocation Prepare(bool with_proxy = true) { return Succeeded(Try(with_proxy)); }
  static bool Removes(const Invocation& invocation, std::string_view name) {
    return std::ranges::find(invocation.unset_env, name) != invocation.unset_env.end();
  }
};

TEST_F(MistralVibeTest, InterceptRecipe) {
  const Invocation invocation = Prepare();
  EXPECT_EQ(invocation.argv, (Words{"vibe", "-p", "--output", "streaming", "--output-dir", "/step/out",
                                    "--enabled-tools", "awf_proxy_*", "--agent", "auto-approve"}));
  EXPECT_EQ(invocation.set_env,
            (std::vector<std::pair<std::string, std::string>>{
                {"VIBE_MCP_SERVERS",
                 R"([{"name":"awf-proxy","transport":"stdio","command":["/opt/awf"],)"
                 R"("args":["mcp-serve","--config","/step/serve.json"],"env":{},"startup_timeout_sec":30,)"
                 R"("tool_timeout_sec":60,"sampling_enabled":false}])"},
                {"VIBE_HOME", "/step"},
                {"VIBE_ENABLE_TELEMETRY", "false"},
                {"VIBE_ENABLE_UPDATE_CHECKS", "false"},
                {"VIBE_EXPERIMENTS", R"({"enable":false})"},
                {"VIBE_API_RETRY_MAX_ELAPSED_TIME", "60"},
                {"VIBE_ENABLE_CONNECTORS", "false"},
                {"VIBE_ENABLE_SUBAGENTS", "false"},
                {"VIBE_ENABLE_BACKGROUND_PROCESSES", "false"}}));
  EXPECT_EQ(invocation.unset_env, Words{"VIBE_CWD"});
  EXPECT_TRUE(invocation.files.empty());
  EXPECT_TRUE(invocation.warnings.empty());
  EXPECT_EQ(invocation.isolation_doubt, "native tools: bash, edit, read_file, skill, write_file");
  EXPECT_EQ(invocation.input, "<system>\n" + std::string(kHint) + "\n</system>\n\ndo it");
}

TEST_F(MistralVibeTest, AdditiveRecipeGrantsOurToolsAndKeepsTheUsersHome) {
  request_.proxy->intercept_builtins = false;
  request_.options = {{"agent_profile", "ask"},
                      {"enabled_tools", "bash, re:^x"},
                      {"add_dirs", json::array{"../other"}},
                      {"dangerously_skip_permissions", true}};
  top_.Put("home/.vibe/.env", "MISTRAL_API_KEY=k\n");
  top_.Put("home/.vibe/AGENTS.md", "memory");
  const Invocation invocation = Prepare();
  EXPECT_EQ(invocation.argv, (Words{"vibe", "-p", "--output", "streaming", "--output-dir", "/step/out",
                                    "--enabled-tools", "bash", "--enabled-tools", "re:^x", "--enabled-tools",
                                    "awf_proxy_*", "--add-dir", "../other", "--agent", "ask", "--auto-approve"}));
  EXPECT_EQ(Variable(invocation, "VIBE_TOOLS"),
            R"({"awf-proxy_Read":{"permission":"always"},"awf-proxy_kv_get":{"permission":"always"}})");
  EXPECT_EQ(Variable(invocation, "VIBE_HOME"), "(unset)");
  EXPECT_EQ(Variable(invocation, "MISTRAL_API_KEY"), "(unset)");
  EXPECT_EQ(Variable(invocation, "VIBE_ENABLE_SUBAGENTS"), "(unset)");
  EXPECT_EQ(invocation.isolation_doubt, "");
  EXPECT_EQ(invocation.input, "do it");
}

TEST_F(MistralVibeTest, WithoutProxyNothingNamesIt) {
  request_.options["enabled_tools"] = json::array{"bash"};
  request_.system_prompt = "You help.";
  const Invocation invocation = Prepare(false);
  EXPECT_EQ(invocation.argv,
            (Words{"vibe", "-p", "--output", "streaming", "--output-dir", "/step/out", "--enabled-tools", "bash"}));
  EXPECT_EQ(Variable(invocation, "VIBE_MCP_SERVERS"), "(unset)");
  EXPECT_EQ(Variable(invocation, "VIBE_TOOLS"), "(unset)");
  EXPECT_EQ(invocation.input, "<system>\nYou help.\n</system>\n\ndo it");
}

TEST_F(MistralVibeTest, OptionsBecomeFlagsAndVariables) {
  request_.options = {{"model", "a \"b\" c"}, {"max_turns", 3}, {"max_price", 0.5},
                      {"max_tokens", 9000},   {"trust", true},  {"extra_args", json::array{"--worktree", "-x y"}}};
  const Invocation invocation = Prepare();
  EXPECT_EQ(
      Words(invocation.argv.begin() + 10, invocation.argv.end()),
      (Words{"--max-turns", "3", "--max-price", "5E-1", "--max-tokens", "9000", "--trust", "--worktree", "-x y"}));
  EXPECT_EQ(Variable(invocation, "VIBE_ACTIVE_MODEL"), "a \"b\" c");
  ASSERT_EQ(invocation.warnings.size(), 1U);
  EXPECT_TRUE(invocation.warnings[0].contains("options.trust loads the workspace's hooks")) << invocation.warnings[0];
}

TEST_F(MistralVibeTest, OptionsThatReopenNativeToolsAreIgnoredWhileIntercepting) {
  request_.options = {{"agent_profile", "ask"},
                      {"enabled_tools", "bash"},
                      {"add_dirs", json::array{"x"}},
                      {"dangerously_skip_permissions", true}};
  const Invocation invocation = Prepare();
  EXPECT_EQ(invocation.argv.size(), 10U);
  ASSERT_EQ(invocation.warnings.size(), 4U);
  EXPECT_EQ(invocation.warnings[0], "options.agent_profile is ignored while the built-in tools are intercepted");
}

TEST_F(MistralVibeTest, LoginAndModelSettingsAreHandedOver) {
  top_.Put("home/.vibe/.env", "MISTRAL_API_KEY=from-file\nOTHER_KEY='o'\nVIBE_TOOL_PATHS=[\"/evil\"]\nSET=file\n");
  top_.Put("home/.vibe/config.toml",
           "active_model = \"m\"\ndisabled_tools = [\"awf*\"]\n[[mcp_servers]]\nname = \"evil\"\n");
  setup_.environment.Set("SET", "environment");
  const Invocation invocation = Prepare();
  EXPECT_EQ(Variable(invocation, "MISTRAL_API_KEY"), "from-file");
  EXPECT_EQ(Variable(invocation, "OTHER_KEY"), "o");
  EXPECT_EQ(Variable(invocation, "SET"), "(unset)");
  EXPECT_EQ(Variable(invocation, "VIBE_TOOL_PATHS"), "(unset)");
  ASSERT_EQ(invocation.files.size(), 1U);
  EXPECT_EQ(invocation.files[0].name, "config.toml");
  EXPECT_EQ(invocation.files[0].contents, "active_model = \"m\"\n");
}

TEST_F(MistralVibeTest, VariablesThatBringToolsBackAreRemoved) {
  for (const char* name :
       {"VIBE_MCP_SERVERS", "vibe_tool_paths", "VIBE_TOOLS__BASH__PERMISSION", "VIBE_ENABLE_SUBAGENTS", "VIBE_MODELS",
        "VIBE_PROVIDERS", "VIBE_UTILITY_MODELS__TITLE", "VIBE_HOME", "VIBE_API_RETRY_MAX_ELAPSED_TIME", "OTHER"}) {
    setup_.environment.Set(name, "7");
  }
  const Invocation invocation = Prepare();
  Words removed = invocation.unset_env;
  std::ranges::sort(removed);
  EXPECT_EQ(removed, (Words{"VIBE_CWD", "VIBE_TOOLS__BASH__PERMISSION", "vibe_tool_paths"}));
  EXPECT_EQ(Variable(invocation, "VIBE_API_RETRY_MAX_ELAPSED_TIME"), "(unset)");
}

TEST_F(MistralVibeTest, ConversationsKeepTheirSessionsInTheRunsFolder) {
  setup_.conversation_folder = "/run/conversation";
  EXPECT_EQ(Variable(Prepare(), "VIBE_SESSION_LOGGING"), R"({"enabled":true,"save_dir":"/run/conversation/sessions"})");
  request_.continued.emplace();
  request_.continued->id = "11-22";
  const auto lost = Try();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, "EXECUTION.AGENT.SESSION_LOST");
  EXPECT_EQ(lost.error().message, "vibe no longer has the session 11-22: it lies in another home");
  EXPECT_EQ(lost.error().hint, "Let all steps of a conversation intercept the built-in tools, or none.");
  request_.continued->folder = "here";
  const Invocation invocation = Prepare();
  EXPECT_EQ(Words(invocation.argv.end() - 2, invocation.argv.end()), (Words{"--resume", "11-22"}));
  request_.proxy->intercept_builtins = false;
  EXPECT_FALSE(Try());
  request_.continued->folder.clear();
  EXPECT_EQ(Variable(Prepare(), "VIBE_SESSION_LOGGING"), "(unset)");
}

TEST_F(MistralVibeTest, TextThatVibeWouldRefuseIsRefusedBefore) {
  const std::size_t recipe = Prepare().input.size() - request_.prompt.size();
  request_.prompt.assign((std::size_t{1} << 20) - recipe, 'x');
  EXPECT_TRUE(Try());
  request_.prompt += 'x';
  const auto refused = Try();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(refused.error().message, "vibe: the prompt has 1048577 bytes, and the CLI reads only 1048576");
}

// Vibe takes its variables in any case.
TEST_F(MistralVibeTest, NamesOfVariablesCountInAnyCase) {
  top_.Put("home/.vibe/.env",
           "vibe_mcp_servers=[]\nVibe_Enabled_Tools=[\"bash\"]\nexport viBE_home=/x\nMISTRAL_API_KEY=k\n");
  for (const char* name : {"vibe_mcp_servers", "Vibe_Active_Model", "vibe_api_retry_max_elapsed_time", "Vibe_Cwd"}) {
    setup_.environment.Set(name, "7");
  }
  request_.options["model"] = "m";
  Invocation invocation = Prepare();
  for (const auto& [name, value] : invocation.set_env) {
    EXPECT_TRUE(name.starts_with("VIBE_") || name == "MISTRAL_API_KEY") << name;
  }
  EXPECT_EQ(Variable(invocation, "VIBE_API_RETRY_MAX_ELAPSED_TIME"), "(unset)");
  std::ranges::sort(invocation.unset_env);
  EXPECT_EQ(invocation.unset_env, (Words{"VIBE_CWD", "Vibe_Active_Model", "Vibe_Cwd", "vibe_mcp_servers"}));
  request_.proxy->intercept_builtins = false;
  Invocation additive = Prepare();
  std::ranges::sort(additive.unset_env);
  EXPECT_EQ(additive.unset_env, (Words{"VIBE_CWD", "Vibe_Active_Model", "Vibe_Cwd", "vibe_mcp_servers"}));
}

TEST_F(MistralVibeTest, TextHasSystemPromptSentenceAndMemory) {
  setup_.mitigate = true;
  request_.system_prompt = "You help.";
  request_.prompt = "read @note.txt";
  top_.Put("home/.vibe/AGENTS.md", "of the user");
  top_.Put("work/AGENTS.md", "of the project");
  top_.Put("work/note.txt", "x");
  const std::string text = Prepare().input;
  EXPECT_TRUE(text.starts_with("<system>\nYou help.\n\n" + std::string(kHint) +
                               "\n\nUse only MCP tools, never built-in tools.\n</system>\n\n## "))
      << text;
  EXPECT_TRUE(text.contains("of the user") && text.contains("of the project")) << text;
  EXPECT_TRUE(text.ends_with("\n\nread @ note.txt")) << text;

  request_.options["trust"] = true;
  EXPECT_FALSE(Prepare().input.contains("of the project"));
  request_.proxy->project_memory = false;
  EXPECT_FALSE(Prepare().input.contains("of the user"));
}

TEST_F(MistralVibeTest, LoginIsFoundInEnvironmentOrFile) {
  using Kind = LoginState::Kind;
  EXPECT_EQ(MistralVibeLogin(setup_.environment).kind, Kind::kMissing);
  top_.Put("home/.vibe/config.toml", "");
  EXPECT_EQ(MistralVibeLogin(setup_.environment).kind, Kind::kUnknown);
  top_.Put("home/.vibe/.env", "MISTRAL_API_KEY='k'\n");
  EXPECT_EQ(MistralVibeLogin(setup_.environment).text, "MISTRAL_API_KEY is in " + (top_ / "home/.vibe/.env").string());
  setup_.environment.Set("MISTRAL_API_KEY", "k");
  EXPECT_EQ(MistralVibeLogin(setup_.environment).text, "MISTRAL_API_KEY is set");
}

TEST_F(MistralVibeTest, ProbeAsksAModelOnLoopback) {
  const ProbeTarget target = MistralVibeProbe("http://127.0.0.1:9", "/tmp/a 'b'");
  EXPECT_EQ(target.environment[0].second,
            R"([{"name":"awf-probe","api_base":"http://127.0.0.1:9/v1","api_key_env_var":"PROBE_KEY",)"
            R"("backend":"generic"}])");
  EXPECT_EQ(target.options.at("model"), "awf-probe");
  ASSERT_EQ(target.native_calls.size(), 3U);
  EXPECT_EQ(target.native_calls[0].arguments.at("path"), "/tmp/a 'b'");
  EXPECT_EQ(OfferedByMistralVibe("kv-get"), "mcp_awf_proxy.kv_get");
}

}  // namespace
}  // namespace awf::agents
