#include "infrastructure/agents/gemini.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "infrastructure/agents/test_recipe.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr char kInterceptSettings[] =
    R"({"mcpServers":{"awf-proxy":{"command":"/opt/awf","args":["mcp-serve","--config","/step/serve.json"],)"
    R"("env":{},"timeout":60000}},)"
    R"("security":{"folderTrust":{"enabled":true},"auth":{"useExternal":true,"selectedType":"gemini-api-key"}},)"
    R"("skills":{"enabled":false},"hooksConfig":{"enabled":false},"advanced":{"ignoreLocalEnv":true},)"
    R"("context":{"includeDirectoryTree":false},"tools":{"useRipgrep":false},)"
    R"("general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"maxAttempts":3},)"
    R"("privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}})";

constexpr char kPolicyFile[] =
    "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 998\n\n"
    "[[rule]]\nmcpName = \"awf-proxy\"\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 999\n";

class GeminiTest : public RecipeTest {
 protected:
  GeminiTest() : RecipeTest("0.61.0") {
    setup_.environment.Set("GEMINI_API_KEY", "k");
    request_.options["model"] = "gemini-2.5-pro";
  }

  std::expected<Invocation, Error> TryPrepare(bool with_proxy = true) {
    GeminiProvider gemini(setup_);
    return TryWith(gemini, with_proxy);
  }
  Invocation Prepare(bool with_proxy = true) { return Succeeded(TryPrepare(with_proxy)); }
  // The arguments up to the session id, which is random.
  static std::vector<std::string> Flags(const Invocation& invocation) {
    return {invocation.argv.begin(), std::ranges::find(invocation.argv, "--session-id")};
  }
  static std::vector<std::string> Names(const Invocation& invocation) {
    std::vector<std::string> names;
    for (const PrivateFile& file : invocation.files) names.push_back(file.name);
    return names;
  }
};

TEST_F(GeminiTest, InterceptRecipe) {
  const Invocation invocation = Prepare();
  EXPECT_THAT(Flags(invocation), ElementsAre("gemini", "-o", "stream-json", "-m", "gemini-2.5-pro", "--skip-trust",
                                             "--allowed-mcp-server-names", "awf-proxy", "-e", "none", "--admin-policy",
                                             "/step/policy.toml"));
  EXPECT_EQ(invocation.argv.back().size(), 36U);
  EXPECT_THAT(Names(invocation), ElementsAre("home/.gemini/settings.json", "policy.toml"));
  EXPECT_EQ(File(invocation, "home/.gemini/settings.json"), kInterceptSettings);
  EXPECT_EQ(File(invocation, "policy.toml"), kPolicyFile);
  EXPECT_EQ(invocation.set_env, (Pairs{{"GEMINI_CLI_HOME", "/step/home"},
                                       {"GEMINI_CLI_NO_RELAUNCH", "true"},
                                       {"TERM", "xterm-256color"},
                                       {"COLORTERM", "truecolor"}}));
  EXPECT_THAT(invocation.unset_env, ElementsAre("GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
                                                "GEMINI_RESTRICTED_MODE", "GEMINI_SANDBOX"));
  EXPECT_EQ(invocation.input, "do it");
  EXPECT_TRUE(invocation.warnings.empty());
}

TEST_F(GeminiTest, AdditiveRecipeKeepsTheUsersSettingsAndTools) {
  top_.Put("home/.gemini/settings.json", R"({/* mine */"mcpServers":{"own":{"command":"x"}},"hooks":{"A":[]},)"
                                         R"("mcp":{"allowed":["own"]},"general":{"vimMode":true}})");
  top_.Put("home/.gemini/GEMINI.md", "rules");
  top_.Put("home/.gemini/policies/b.toml", "b");
  top_.Put("home/.gemini/policies/a.toml", "a");
  top_.Put("home/.gemini/policies/c.txt", "c");
  top_.Put("home/.gemini/tmp/x", "x");
  request_.proxy->intercept_builtins = false;
  request_.options["dangerously_skip_permissions"] = true;
  request_.prompt = "look at @in.txt";
  setup_.mitigate = true;
  const Invocation invocation = Prepare();
  EXPECT_THAT(Flags(invocation), ElementsAre("gemini", "-o", "stream-json", "-m", "gemini-2.5-pro", "--skip-trust",
                                             "--approval-mode", "yolo"));
  EXPECT_THAT(Names(invocation), ElementsAre("home/.gemini/settings.json", "home/.gemini/GEMINI.md",
                                             "home/.gemini/policies/a.toml", "home/.gemini/policies/b.toml"));
  EXPECT_EQ(File(invocation, "home/.gemini/settings.json"),
            R"({"mcpServers":{"own":{"command":"x"},"awf-proxy":{"command":"/opt/awf",)"
            R"("args":["mcp-serve","--config","/step/serve.json"],"env":{},"timeout":60000,"trust":true}},)"
            R"("hooks":{"A":[]},"mcp":{"allowed":["own","awf-proxy"]},)"
            R"("general":{"vimMode":true,"enableAutoUpdate":false,"enableAutoUpdateNotification":false},)"
            R"("security":{"auth":{"selectedType":"gemini-api-key","useExternal":true}}})");
  EXPECT_EQ(Variable(invocation, "GEMINI_CLI_HOME"), "/step/home");
  EXPECT_EQ(invocation.input, "look at @in.txt");
}

TEST_F(GeminiTest, WithoutProxyTheUsersHomeIsUsed) {
  top_.Put("home/.gemini/.env", "GOOGLE_GEMINI_BASE_URL=http://gateway\n");
  setup_.conversation_folder = top_ / "conversation";
  const Invocation invocation = Prepare(false);
  EXPECT_THAT(Flags(invocation), ElementsAre("gemini", "-o", "stream-json", "-m", "gemini-2.5-pro", "--skip-trust"));
  EXPECT_TRUE(invocation.files.empty());
  EXPECT_TRUE(invocation.unset_env.empty());
  EXPECT_EQ(invocation.set_env,
            (Pairs{{"GEMINI_CLI_NO_RELAUNCH", "true"}, {"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}}));
  EXPECT_FALSE(fs::exists(top_ / "conversation"));
}

TEST_F(GeminiTest, OptionsAndHostileValues) {
  request_.options = {{"model", "--yolo"},
                      {"dangerously_skip_permissions", true},
                      {"extra_args", json::array{"--include-directories", "../x"}}};
  const Invocation invocation = Prepare();
  EXPECT_EQ(invocation.argv[3], "--model=--yolo");
  EXPECT_EQ(std::vector<std::string>(invocation.argv.end() - 2, invocation.argv.end()),
            (std::vector<std::string>{"--include-directories", "../x"}));
  EXPECT_THAT(invocation.warnings, ElementsAre("options.dangerously_skip_permissions is ignored while the built-in "
                                               "tools are intercepted"));
  request_.options = {};
  EXPECT_THAT(Flags(Prepare()), ElementsAre("gemini", "-o", "stream-json", "--skip-trust", "--allowed-mcp-server-names",
                                            "awf-proxy", "-e", "none", "--admin-policy", "/step/policy.toml"));
}

TEST_F(GeminiTest, LoginIsHandedOver) {
  top_.Put("home/.gemini/settings.json",
           R"({"security":{"auth":{"selectedType":"oauth-personal"}},"tools":{"core":["run_shell_command"]},)"
           R"("context":{"fileName":["AGENTS.md"]},"mcpServers":{"own":{}}})");
  for (const char* name : {"oauth_creds.json", "google_accounts.json", "gemini-credentials.json"}) {
    top_.Put(fs::path("home/.gemini") / name, std::string("login ") + name);
  }
  const Invocation invocation = Prepare();
  const std::string settings = File(invocation, "home/.gemini/settings.json");
  EXPECT_THAT(settings, HasSubstr(R"("auth":{"useExternal":true,"selectedType":"oauth-personal"})"));
  EXPECT_THAT(settings, HasSubstr(R"("context":{"includeDirectoryTree":false,"fileName":["AGENTS.md"]})"));
  EXPECT_THAT(settings, testing::Not(HasSubstr("run_shell_command")));
  EXPECT_THAT(settings, testing::Not(HasSubstr("own")));
  EXPECT_THAT(Names(invocation),
              ElementsAre("home/.gemini/settings.json", "policy.toml", "home/.gemini/oauth_creds.json",
                          "home/.gemini/google_accounts.json", "home/.gemini/gemini-credentials.json"));
  EXPECT_EQ(File(invocation, "home/.gemini/oauth_creds.json"), "login oauth_creds.json");
}

TEST_F(GeminiTest, VariablesOfTheUsersEnvFileAreHandedOverUnlessAnotherPlaceHasThem) {
  setup_.environment.Set("GOOGLE_CLOUD_PROJECT", "mine");
  request_.options["env"] = json::object{{"HTTPS_PROXY", "http://step"}};
  top_.Put("home/.env", "NOT=read");
  top_.Put("home/.gemini/.env",
           "GOOGLE_GEMINI_BASE_URL=http://gateway\nGOOGLE_CLOUD_PROJECT=other\nHTTPS_PROXY=http://file\n"
           "GEMINI_CLI_HOME=/x\nGEMINI_CLI_TRUST_WORKSPACE=true\nTMPDIR=/x\nAWF_X=1\n");
  const Invocation invocation = Prepare();
  EXPECT_EQ(std::vector(invocation.set_env.begin() + 4, invocation.set_env.end()),
            (Pairs{{"GOOGLE_GEMINI_BASE_URL", "http://gateway"}}));
  fs::remove(top_ / "home/.gemini/.env");
  EXPECT_EQ(Variable(Prepare(), "NOT"), "read");
}

TEST_F(GeminiTest, LoginTypeByEnvironment) {
  const auto type = [&](const Pairs& variables) {
    Environment environment;
    environment.Set("HOME", top_.string());
    for (const auto& [name, value] : variables) environment.Set(name, value);
    return GeminiUser(environment).LoginType();
  };
  EXPECT_EQ(type({}), "");
  EXPECT_EQ(type({{"GEMINI_API_KEY", "k"}, {"GOOGLE_GEMINI_BASE_URL", "u"}}), "gemini-api-key");
  EXPECT_EQ(type({{"GEMINI_API_KEY", "k"}, {"GOOGLE_GENAI_USE_VERTEXAI", "true"}}), "vertex-ai");
  EXPECT_EQ(type({{"GOOGLE_GENAI_USE_GCA", "true"}, {"GOOGLE_GENAI_USE_VERTEXAI", "true"}}), "oauth-personal");
  top_.Put(".gemini/settings.json", R"({"selectedAuthType":"vertex-ai"})");
  EXPECT_EQ(type({{"GEMINI_API_KEY", "k"}}), "vertex-ai");
}

TEST_F(GeminiTest, BrokenSettingsAreToldAndNotUsed) {
  top_.Put("home/.gemini/settings.json", "{");
  const Invocation invocation = Prepare();
  EXPECT_EQ(File(invocation, "home/.gemini/settings.json"), kInterceptSettings);
  EXPECT_THAT(invocation.warnings, ElementsAre((top_ / "home/.gemini/settings.json").string() +
                                               " is not valid JSON; login settings in it are not used"));
}

TEST_F(GeminiTest, MemoryOfTheUserAndTheSentenceComeBeforeThePrompt) {
  top_.Put("home/.gemini/GEMINI.md", "user rules of me@home.org");
  top_.Put("work/GEMINI.md", "the CLI loads it by itself");
  request_.system_prompt = "be kind";
  setup_.mitigate = true;
  EXPECT_EQ(Prepare().input, "<system>\nbe kind\n\nUse only MCP tools, never built-in tools.\n</system>\n\n## " +
                                 (top_ / "home/.gemini/GEMINI.md").string() +
                                 "\n\nuser rules of me\\@home.org\n\ndo it");
  request_.proxy->project_memory = false;
  const Invocation without = Prepare();
  EXPECT_THAT(without.input, testing::EndsWith("</system>\n\ndo it"));
  EXPECT_THAT(without.warnings, ElementsAre("gemini loads GEMINI.md of the workspace also with project_memory: false"));
}

TEST_F(GeminiTest, FileReferencesAndCommandsAreNone) {
  EXPECT_EQ(WithoutFileReferences("@a me@b.c (@\"d e\") @@f \\@g @ @, x@.\n@.h @"),
            "\\@a me\\@b.c (\\@\"d e\") \\@\\@f \\@g @ @, x@.\n\\@.h @");
  request_.prompt = "/memory show @secret";
  EXPECT_EQ(Prepare().input, "\n/memory show \\@secret");
}

TEST_F(GeminiTest, TextThatTheCliWouldCutIsRefused) {
  request_.prompt.assign(std::size_t{8} << 20, 'x');
  EXPECT_TRUE(TryPrepare());
  request_.prompt += 'x';
  const auto refused = TryPrepare();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(refused.error().message, "gemini: the prompt has 8388609 bytes, and the CLI reads only 8388608");
}

TEST_F(GeminiTest, SessionsOfAConversationLieInItsFolder) {
  fs::create_directories(top_ / "step");
  fs::create_directories(top_ / "conversation");
  setup_.step_folder = top_ / "step";
  setup_.conversation_folder = top_ / "conversation";
  request_.continued.emplace();
  request_.continued->id = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
  request_.continued->folder = "here";
  const Invocation invocation = Prepare();
  EXPECT_EQ(std::vector<std::string>(invocation.argv.end() - 2, invocation.argv.end()),
            (std::vector<std::string>{"--resume", "6f9619ff-8b86-4011-b42d-00c04fc964ff"}));
  EXPECT_EQ(fs::read_symlink(top_ / "step/home/.gemini/tmp"), top_ / "conversation/gemini-sessions");
  EXPECT_EQ(FileMode(top_ / "conversation/gemini-sessions"), 0700U);
  EXPECT_EQ(FileMode(top_ / "step/home"), 0700U);
}

TEST_F(GeminiTest, StepsWithTheProxyAndStepsWithoutHaveNoSessionsInCommon) {
  request_.continued.emplace();
  request_.continued->id = "S";
  for (const bool intercept : {true, false}) {
    request_.proxy->intercept_builtins = intercept;
    const auto refused = TryPrepare();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "EXECUTION.AGENT.SESSION_LOST");
    EXPECT_EQ(refused.error().message, "gemini no longer has the session S: it lies in another home");
    EXPECT_EQ(refused.error().hint, "Let all steps of a conversation have mcp_proxy, or none.");
  }
  EXPECT_TRUE(TryPrepare(false));
  request_.continued->folder = "here";
  EXPECT_FALSE(TryPrepare(false));
}

TEST_F(GeminiTest, EndsWithoutResultAreExplained) {
  request_.continued.emplace();
  request_.continued->id = "S";
  request_.continued->working_dir = "/elsewhere";
  request_.continued->folder = "here";
  GeminiProvider gemini(setup_);
  const ProxyEndpoint endpoint{"/opt/awf", "/step/serve.json", "/step", {"Read"}, 1};
  ASSERT_TRUE(gemini.Prepare(request_, &endpoint));
  const auto failure = [&](const ProcessExit& exit) {
    const Verdict verdict = gemini.Judge(exit);
    return verdict.failure->code + " " + verdict.failure->message;
  };
  EXPECT_EQ(failure({41, 0, "noise\n\x1b[31mlog in first\x1b[0m\n"}), "EXECUTION.AGENT.AUTH gemini: log in first");
  EXPECT_EQ(failure({42, 0, "Error resuming session: Invalid session identifier \"S\".\n  Use --resume latest.\n"}),
            "EXECUTION.AGENT.SESSION_LOST gemini no longer has the session S: it finds a session only in the folder in "
            "which that began, /elsewhere");
  EXPECT_EQ(failure({42, 0, "No input provided\n"}),
            "EXECUTION.AGENT.FAILED gemini ended without its final event (exit code 42): No input provided");
  EXPECT_EQ(failure({1, 0, "Unknown arguments: admin-policy, adminPolicy\nUsage: gemini\n"}),
            "EXECUTION.AGENT.NOT_INSTALLED gemini 0.61.0 doesn't know --admin-policy; verified with 0.61.0");
  EXPECT_EQ(failure({0, 0, ""}), "EXECUTION.AGENT.FAILED gemini ended without its final event (exit code 0)");
  EXPECT_EQ(failure({137, 9, "x\n"}), "EXECUTION.AGENT.FAILED gemini ended without its final event (signal 9): x");
}

TEST_F(GeminiTest, LoginState) {
  const auto state = [&](const Pairs& variables) {
    Environment environment;
    environment.Set("HOME", (top_ / "home").string());
    for (const auto& [name, value] : variables) environment.Set(name, value);
    const LoginState login = GeminiLogin(environment);
    const char* kinds[] = {"found", "missing", "unknown"};
    return std::string(kinds[static_cast<int>(login.kind)]) + ": " + login.text;
  };
  EXPECT_EQ(state({}), "missing: run gemini and log in, or set GEMINI_API_KEY");
  EXPECT_EQ(state({{"GEMINI_API_KEY", "k"}}), "found: GEMINI_API_KEY is set");
  EXPECT_EQ(state({{"GOOGLE_GENAI_USE_VERTEXAI", "true"}}),
            "missing: set GOOGLE_API_KEY, or GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION");
  EXPECT_EQ(state({{"GOOGLE_GEMINI_BASE_URL", "u"}}), "unknown: the login of a gateway or cloud counts");
  top_.Put("home/.gemini/settings.json", R"({"security":{"auth":{"selectedType":"oauth-personal"}}})");
  EXPECT_EQ(state({{"GEMINI_API_KEY", "k"}}), "missing: run gemini and log in, or set GEMINI_API_KEY");
  top_.Put("home/.gemini/oauth_creds.json", "{}");
  EXPECT_EQ(state({}), "found: logged in with Google");
}

TEST(GeminiDotEnvTest, ReadsNamesAndValues) {
  EXPECT_EQ(
      ReadDotEnv("# c\nA=1\n export B = two words # c\nC=\"x # y\\nz\"\nD='$A \\n'\n=5\nbad name=1\nE\nF=\r\nA=2"),
      (Pairs{{"A", "2"}, {"B", "two words"}, {"C", "x # y\nz"}, {"D", "$A \\n"}, {"F", ""}}));
}

TEST(GeminiProbeTest, PointsAtTheModelAndAsksForNativeTools) {
  const ProbeTarget target = GeminiProbe("http://127.0.0.1:1", "/tmp/the mark");
  EXPECT_EQ(target.format, model_server::WireFormat::kGemini);
  EXPECT_EQ(target.environment,
            (Pairs{{"GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1"}, {"GEMINI_API_KEY", "no-key-is-needed"}}));
  ASSERT_EQ(target.native_calls.size(), 3U);
  EXPECT_EQ(target.native_calls[0].arguments.at("command"), json::value("touch '/tmp/the mark'"));
  EXPECT_EQ(OfferedByGemini("Read"), "mcp_awf-proxy_Read");
}

}  // namespace
}  // namespace awf::agents
