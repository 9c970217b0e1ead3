#include "infrastructure/agents/github_copilot.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "infrastructure/agents/test_recipe.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using Variables = std::vector<std::pair<std::string, std::string>>;
using Texts = std::vector<std::string>;

constexpr char kSettings[] = R"({"disableAllHooks":true})";

class CopilotTest : public RecipeTest {
 protected:
  CopilotTest() : RecipeTest("1.0.102") { fs::create_directories(top_ / "home/.copilot"); }

  void Write(const std::string& name, const std::string& text) { top_.Put(name, text); }
  std::string Contents(const std::string& name) const { return FileText(top_ / name); }
  Invocation Prepare(bool with_proxy = true) {
    GitHubCopilotProvider copilot(setup_);
    return Succeeded(TryWith(copilot, with_proxy));
  }
  // The arguments without the session id, which is random.
  static Texts Flags(const Invocation& invocation) {
    Texts flags = invocation.argv;
    std::erase_if(flags, [](const std::string& flag) { return flag.starts_with("--session-id="); });
    return flags;
  }
};

TEST_F(CopilotTest, InterceptRecipe) {
  const Invocation invocation = Prepare();
  EXPECT_EQ(Flags(invocation),
            (Texts{"copilot", "--output-format=json", "--additional-mcp-config=@/step/mcp.json",
                   "--available-tools=awf-proxy", "--allow-tool=awf-proxy", "--no-ask-user", "--disable-builtin-mcps",
                   "--no-custom-instructions", "--no-auto-update", "--disable-client-telemetry", "--no-remote",
                   "--no-remote-export", "--usage-output-file=/step/usage.json"}));
  const std::string session = invocation.argv.back();
  EXPECT_TRUE(session.starts_with("--session-id="));
  EXPECT_EQ(session.size(), 13U + 36U);
  EXPECT_EQ(File(invocation, "mcp.json"),
            R"({"mcpServers":{"awf-proxy":{"type":"local","command":"/opt/awf",)"
            R"("args":["mcp-serve","--config","/step/serve.json"],"env":{},"tools":["*"],"timeout":60000}}})");
  EXPECT_EQ(File(invocation, "settings.json"), kSettings);
  EXPECT_EQ(invocation.files.size(), 2U);
  EXPECT_EQ(invocation.set_env, (Variables{{"COPILOT_MCP_TOOL_CACHE", "false"}, {"COPILOT_HOME", "/step"}}));
  EXPECT_EQ(invocation.unset_env,
            (Texts{"COPILOT_ALLOW_ALL", "GITHUB_COPILOT_PROMPT_MODE_EXTENSIONS",
                   "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS", "GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP"}));
  EXPECT_EQ(invocation.input, "do it");
  EXPECT_TRUE(invocation.warnings.empty());
}

TEST_F(CopilotTest, AdditiveRecipeKeepsNativeToolsAndTheUsersHome) {
  request_.proxy->intercept_builtins = false;
  request_.options = {{"allowed_tools", json::array{"shell(git:*)", "write"}},
                      {"denied_tools", json::array{"shell(git push)"}},
                      {"mode", "autopilot"}};
  Write("work/AGENTS.md", "memory");
  const Invocation invocation = Prepare();
  EXPECT_EQ(Flags(invocation), (Texts{"copilot", "--output-format=json", "--additional-mcp-config=@/step/mcp.json",
                                      "--allow-tool=awf-proxy", "--allow-tool=shell(git:*)", "--allow-tool=write",
                                      "--deny-tool=shell(git push)", "--mode=autopilot", "--no-ask-user",
                                      "--no-auto-update", "--disable-client-telemetry", "--no-remote",
                                      "--no-remote-export", "--usage-output-file=/step/usage.json"}));
  EXPECT_EQ(invocation.set_env, (Variables{{"COPILOT_MCP_TOOL_CACHE", "false"}}));
  EXPECT_EQ(invocation.files.size(), 1U);
  EXPECT_EQ(invocation.unset_env.front(), "COPILOT_ALLOW_ALL");
  EXPECT_EQ(invocation.input, "do it");
  EXPECT_TRUE(invocation.warnings.empty());
}

TEST_F(CopilotTest, EitherOptionAllowsAllToolsOnce) {
  request_.proxy->intercept_builtins = false;
  for (const char* key : {"allow_all", "dangerously_skip_permissions"}) {
    request_.options = {{key, true}};
    EXPECT_EQ(std::ranges::count(Prepare().argv, "--allow-all-tools"), 1) << key;
    request_.options = {{key, false}};
    EXPECT_EQ(std::ranges::count(Prepare().argv, "--allow-all-tools"), 0) << key;
  }
  request_.options = {{"allow_all", true}, {"dangerously_skip_permissions", true}};
  EXPECT_EQ(std::ranges::count(Prepare().argv, "--allow-all-tools"), 1);
}

TEST_F(CopilotTest, WithoutProxyNothingNamesTheServer) {
  const Invocation invocation = Prepare(false);
  EXPECT_EQ(Flags(invocation),
            (Texts{"copilot", "--output-format=json", "--no-ask-user", "--no-auto-update", "--disable-client-telemetry",
                   "--no-remote", "--no-remote-export", "--usage-output-file=/step/usage.json"}));
  EXPECT_TRUE(invocation.files.empty());
  EXPECT_TRUE(invocation.set_env.empty());
  EXPECT_EQ(invocation.unset_env.size(), 4U);
}

TEST_F(CopilotTest, OptionsBecomeFlagsAndReopeningOnesAreIgnored) {
  request_.options = {{"model", "-x y"},
                      {"effort", "high"},
                      {"allowed_tools", json::array{"shell"}},
                      {"denied_tools", json::array{"awf-proxy"}},
                      {"allow_all", true},
                      {"dangerously_skip_permissions", true},
                      {"mode", "autopilot"},
                      {"extra_args", json::array{"--foo", "bar"}}};
  const Invocation invocation = Prepare();
  const Texts flags = Flags(invocation);
  EXPECT_EQ(Texts(flags.end() - 4, flags.end()), (Texts{"--model=-x y", "--reasoning-effort=high", "--foo", "bar"}));
  EXPECT_EQ(std::ranges::count_if(flags, [](const std::string& flag) { return flag.starts_with("--allow"); }), 1);
  EXPECT_EQ(invocation.warnings,
            (Texts{"options.allowed_tools is ignored while the built-in tools are intercepted",
                   "options.denied_tools is ignored while the built-in tools are intercepted",
                   "options.allow_all is ignored while the built-in tools are intercepted",
                   "options.dangerously_skip_permissions is ignored while the built-in tools are intercepted",
                   "options.mode is ignored while the built-in tools are intercepted"}));
  request_.options = {{"allow_all", false}, {"dangerously_skip_permissions", false}};
  EXPECT_TRUE(Prepare().warnings.empty());
}

TEST_F(CopilotTest, SystemPromptSentenceAndMemoryGoIntoTheText) {
  setup_.mitigate = true;
  request_.system_prompt = "be kind";
  fs::create_directories(top_ / "work/.git");
  Write("home/.copilot/copilot-instructions.md", "of the user");
  Write("work/.github/copilot-instructions.md", "of github");
  Write("work/AGENTS.md", "of agents");
  Write("work/CLAUDE.md", "of claude");
  Write("work/sub/GEMINI.md", "of gemini");
  request_.working_dir = top_ / "work/sub";
  const std::string text = Prepare().input;
  EXPECT_TRUE(text.starts_with("<system>\nbe kind\n\nUse only MCP tools, never built-in tools.\n</system>\n\n## "))
      << text;
  EXPECT_TRUE(text.ends_with("\n\ndo it")) << text;
  std::size_t last = 0;
  for (const char* part : {"of the user", "of github", "of agents", "of claude", "of gemini"}) {
    const std::size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    EXPECT_GT(at, last) << part;
    last = at;
  }
  request_.proxy->project_memory = false;
  EXPECT_EQ(Prepare().input.find("of agents"), std::string::npos);
}

TEST_F(CopilotTest, PromptsArePlainText) {
  for (const char* prompt : {"/help", "-x", "@file", "!ls", "# note"}) {
    request_.prompt = prompt;
    const Invocation invocation = Prepare();
    EXPECT_EQ(invocation.input, prompt);
    EXPECT_EQ(std::ranges::count(invocation.argv, prompt), 0);
  }
}

TEST_F(CopilotTest, PrivateHomeHoldsTheLoginAndTheWayToTheModelOnly) {
  Write("home/.copilot/config.json", R"(// User settings belong in settings.json.
  // This file is managed automatically.
{"authTokens":{"https://github.com:octo":{"token":"gho_x//y"}},"loggedInUsers":[{"login":"octo"}],
"lastLoggedInUser":{"login":"octo"},"trustedFolders":["/"],"installedPlugins":[{"name":"p"}]})");
  Write("home/.copilot/settings.json", R"({"model":"m","proxyUrl":"http://p","hooks":{"sessionStart":[]},)"
                                       R"("permissions":{"deny":["awf-proxy"]},"enabledPlugins":{"p":true}})");
  Write("home/.copilot/mcp-config.json", "{}");
  const Invocation invocation = Prepare();
  EXPECT_EQ(File(invocation, "config.json"),
            R"({"authTokens":{"https://github.com:octo":{"token":"gho_x//y"}},"loggedInUsers":[{"login":"octo"}],)"
            R"("lastLoggedInUser":{"login":"octo"}})");
  EXPECT_EQ(File(invocation, "settings.json"), R"({"model":"m","proxyUrl":"http://p","disableAllHooks":true})");
  EXPECT_EQ(invocation.files.size(), 3U);
  EXPECT_TRUE(invocation.warnings.empty());
}

TEST_F(CopilotTest, TheUsersHomeMayLieElsewhere) {
  setup_.environment.Set("COPILOT_HOME", (top_ / "other").string());
  Write("other/config.json", R"({"loggedInUsers":[{"login":"octo"}]})");
  Write("other/providers.json", "{}");
  Write("other/copilot-instructions.md", "elsewhere");
  const Invocation invocation = Prepare();
  EXPECT_EQ(File(invocation, "config.json"), R"({"loggedInUsers":[{"login":"octo"}]})");
  EXPECT_EQ(Variable(invocation, "COPILOT_HOME"), "/step");
  EXPECT_EQ(Variable(invocation, "COPILOT_PROVIDERS_CONFIG"), (top_ / "other/providers.json").string());
  EXPECT_NE(invocation.input.find("elsewhere"), std::string::npos);
  setup_.environment.Set("COPILOT_PROVIDERS_CONFIG", "/mine.json");
  EXPECT_EQ(Variable(Prepare(), "COPILOT_PROVIDERS_CONFIG"), "(unset)");
}

TEST_F(CopilotTest, BrokenFilesOfTheUserAreTold) {
  Write("home/.copilot/config.json", "{");
  Write("home/.copilot/settings.json", "[]");
  const Invocation invocation = Prepare();
  EXPECT_EQ(invocation.warnings, (Texts{(top_ / "home/.copilot/config.json").string() +
                                            " cannot be read as JSON; login and settings in it are not used",
                                        (top_ / "home/.copilot/settings.json").string() +
                                            " cannot be read as JSON; login and settings in it are not used"}));
  EXPECT_EQ(File(invocation, "settings.json"), kSettings);
  EXPECT_EQ(File(invocation, "config.json"), "(none)");
}

TEST_F(CopilotTest, ConversationsKeepTheirHomeAndResume) {
  setup_.conversation_folder = top_ / "conversation";
  fs::create_directories(setup_.conversation_folder);
  Write("home/.copilot/config.json", R"({"loggedInUsers":[{"login":"octo"}]})");
  Invocation first = Prepare();
  EXPECT_EQ(Variable(first, "COPILOT_HOME"), setup_.conversation_folder.string());
  EXPECT_EQ(first.files.size(), 1U);
  EXPECT_EQ(Contents("conversation/config.json"), R"({"loggedInUsers":[{"login":"octo"}]})");
  EXPECT_EQ(Contents("conversation/settings.json"), kSettings);
  EXPECT_EQ(fs::status(setup_.conversation_folder / "config.json").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);

  Write("conversation/config.json", "renewed by the CLI");
  request_.continued.emplace();
  request_.continued->id = "11111111-2222-4333-8444-555555555555";
  request_.continued->folder = "here";
  const Invocation second = Prepare();
  EXPECT_EQ(second.argv.back(), "--resume=11111111-2222-4333-8444-555555555555");
  EXPECT_EQ(std::ranges::count_if(second.argv, [](const auto& a) { return a.starts_with("--session-id"); }), 0);
  EXPECT_EQ(Contents("conversation/config.json"), "renewed by the CLI");
}

TEST_F(CopilotTest, StepsThatInterceptAndStepsThatDoNotHaveNoSessionsInCommon) {
  setup_.conversation_folder = top_ / "conversation";
  fs::create_directories(setup_.conversation_folder);
  const ProxyEndpoint endpoint{"/opt/awf", "/step/serve.json", "/step", {"Read"}, 60'000};
  request_.continued.emplace();
  request_.continued->id = "x";
  for (const bool intercept : {false, true}) {
    for (const char* folder : {"", "here"}) {
      request_.proxy->intercept_builtins = intercept;
      request_.continued->folder = folder;
      GitHubCopilotProvider copilot({.environment = setup_.environment,
                                     .step_folder = "/step",
                                     .conversation_folder = setup_.conversation_folder});
      const auto invocation = copilot.Prepare(request_, &endpoint);
      ASSERT_EQ(invocation.has_value(), intercept == (folder[0] != '\0')) << intercept << folder;
      if (invocation) continue;
      EXPECT_EQ(invocation.error().code, "EXECUTION.AGENT.SESSION_LOST");
      EXPECT_EQ(invocation.error().message, "copilot no longer has the session x: it lies in another home");
      EXPECT_EQ(invocation.error().hint, "Let all steps of a conversation intercept the built-in tools, or none.");
    }
  }
}

// Later steps take a file that is there for done.
TEST_F(CopilotTest, AFileOfTheHomeIsThereWhenItIsWhole) {
  setup_.conversation_folder = top_ / "conversation";
  fs::create_directories(setup_.conversation_folder);
  Write("home/.copilot/config.json", R"({"loggedInUsers":[{"login":"octo"}]})");
  const ProxyEndpoint endpoint{"/opt/awf", "/step/serve.json", "/step", {"Read"}, 60'000};
  GitHubCopilotProvider copilot(
      {.environment = setup_.environment, .step_folder = "/step", .conversation_folder = setup_.conversation_folder});
  rlimit former{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &former), 0);
  rlimit few = former;
  few.rlim_cur = 10;
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &few), 0);
  const auto cut = copilot.Prepare(request_, &endpoint);
  ::setrlimit(RLIMIT_FSIZE, &former);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message,
            "cannot write " + (setup_.conversation_folder / "config.json").string() + ": File too large");
  EXPECT_TRUE(fs::is_empty(setup_.conversation_folder));

  Prepare();
  EXPECT_EQ(Contents("conversation/config.json"), R"({"loggedInUsers":[{"login":"octo"}]})");
  EXPECT_EQ(std::distance(fs::directory_iterator(setup_.conversation_folder), fs::directory_iterator()), 2);
}

TEST_F(CopilotTest, AConversationFolderThatIsGoneIsAnError) {
  GitHubCopilotProvider copilot(
      {.environment = setup_.environment, .step_folder = "/step", .conversation_folder = top_ / "gone"});
  const ProxyEndpoint endpoint{"/opt/awf", "/step/serve.json", "/step", {"Read"}, 60'000};
  const auto invocation = copilot.Prepare(request_, &endpoint);
  ASSERT_FALSE(invocation);
  EXPECT_EQ(invocation.error().code, "SYSTEM.IO.WRITE_FAILED");
}

TEST_F(CopilotTest, HostilePathsStayOneValueOfJson) {
  GitHubCopilotProvider copilot({.environment = setup_.environment, .step_folder = "/s\" \n{", .version = "1.0.102"});
  const ProxyEndpoint endpoint{"/opt/a\"w\\f", "/s\" \n{/serve.json", "/s\" \n{", {"Read"}, 1};
  const auto invocation = copilot.Prepare(request_, &endpoint);
  ASSERT_TRUE(invocation);
  EXPECT_EQ(File(*invocation, "mcp.json"),
            R"({"mcpServers":{"awf-proxy":{"type":"local","command":"/opt/a\"w\\f",)"
            R"("args":["mcp-serve","--config","/s\" \n{/serve.json"],"env":{},"tools":["*"],"timeout":1}}})");
}

TEST_F(CopilotTest, LoginIsFoundWhereTheCliFindsIt) {
  using Kind = LoginState::Kind;
  EXPECT_EQ(CopilotLogin(setup_.environment).kind, Kind::kUnknown);
  Write("home/.copilot/config.json", "// x\n{\"loggedInUsers\":[]}");
  EXPECT_EQ(CopilotLogin(setup_.environment).kind, Kind::kUnknown);
  Write("home/.copilot/config.json", "// x\n{\"loggedInUsers\":[{\"login\":\"octo\"}]}");
  EXPECT_EQ(CopilotLogin(setup_.environment).text, "logged in");
  for (const char* name : {"GITHUB_TOKEN", "GH_TOKEN", "COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"}) {
    setup_.environment.Set(name, "github_pat_x");
    EXPECT_EQ(CopilotLogin(setup_.environment).kind, Kind::kFound);
    EXPECT_EQ(CopilotLogin(setup_.environment).text, std::string(name) + " is set");
  }
  setup_.environment.Unset("COPILOT_PROVIDER_BASE_URL");
  setup_.environment.Set("COPILOT_GITHUB_TOKEN", "ghp_x");
  EXPECT_EQ(CopilotLogin(setup_.environment).kind, Kind::kMissing);
}

TEST_F(CopilotTest, ProbeAsksForNativeToolsOnLoopback) {
  const ProbeTarget target = CopilotProbe("http://127.0.0.1:4711", "/t/mark");
  EXPECT_EQ(target.format, model_server::WireFormat::kChatCompletions);
  Environment probed;
  for (const auto& [name, value] : target.environment) probed.Set(name, value);
  EXPECT_EQ(probed.Get("COPILOT_PROVIDER_BASE_URL"), "http://127.0.0.1:4711/v1");
  EXPECT_EQ(probed.Get("COPILOT_PROVIDER_TYPE"), "openai");
  EXPECT_EQ(probed.Get("COPILOT_PROVIDER_WIRE_API"), "completions");
  EXPECT_EQ(probed.Get("COPILOT_PROVIDERS_CONFIG"), "/dev/null");
  EXPECT_EQ(probed.Get("COPILOT_OFFLINE"), "true");
  // A key of the user must not get to the scripted model.
  EXPECT_TRUE(std::ranges::count(target.environment, Variables::value_type("COPILOT_PROVIDER_BEARER_TOKEN", "")));
  EXPECT_EQ(json::serialize(target.options), R"({"model":"probe-model"})");
  EXPECT_TRUE(target.harmless.empty());
  Texts names;
  for (const auto& call : target.native_calls) {
    names.push_back(call.tool);
    EXPECT_TRUE(call.unoffered);
    EXPECT_NE(json::serialize(call.arguments).find("/t/mark"), std::string::npos);
  }
  EXPECT_EQ(names, (Texts{"bash", "create", "str_replace_editor", "apply_patch"}));
  EXPECT_EQ(OfferedByCopilot("Read"), "awf-proxy-Read");
}

}  // namespace
}  // namespace awf::agents
