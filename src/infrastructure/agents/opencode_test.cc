#include "infrastructure/agents/opencode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "infrastructure/agents/opencode_config.h"
#include "infrastructure/agents/test_recipe.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Pairs = std::vector<std::pair<std::string, std::string>>;

class OpenCodeTest : public RecipeTest {
 protected:
  OpenCodeTest() : RecipeTest("1.18.33") {
    fs::create_directories(top_ / "work/.git");
    fs::create_directories(top_ / "conversation");
    request_.step.step = "build";
  }

  std::expected<Invocation, Error> Try(bool with_proxy = true) {
    OpenCodeProvider opencode(setup_);
    return TryWith(opencode, with_proxy);
  }
  Invocation Prepare(bool with_proxy = true) { return Succeeded(Try(with_proxy)); }
  static json::object Content(const Invocation& invocation) {
    return json::parse(Variable(invocation, "OPENCODE_CONFIG_CONTENT")).as_object();
  }
  static std::string Kept(const Invocation& invocation) { return File(invocation, "config/opencode/opencode.json"); }
  static std::string After(const Invocation& invocation, std::string_view flag) {
    const auto found = std::ranges::find(invocation.argv, flag);
    return found == invocation.argv.end() ? "(none)" : *(found + 1);
  }
};

constexpr char kServer[] =
    R"("mcp":{"awf-proxy":{"type":"local","command":["/opt/awf","mcp-serve","--config","/step/serve.json"],)"
    R"("environment":{},"enabled":true,"timeout":60000}})";
constexpr char kSchema[] = R"("$schema":"https://opencode.ai/config.json")";

TEST_F(OpenCodeTest, InterceptRecipe) {
  request_.options["model"] = "p/m";
  const Invocation invocation = Prepare();
  const std::string agent = After(invocation, "--agent");
  EXPECT_TRUE(agent.starts_with("awf-step-")) << agent;
  EXPECT_EQ(agent.size(), 17U);
  EXPECT_NE(After(Prepare(), "--agent"), agent);
  EXPECT_EQ(invocation.argv, (std::vector<std::string>{"opencode", "run", "--format", "json", "--pure", "--print-logs",
                                                       "--log-level", "ERROR", "--agent", agent, "--dir", "/step",
                                                       "--title", "awf build", "-m", "p/m"}));
  // The last matching rule wins, so the order counts.
  EXPECT_EQ(Variable(invocation, "OPENCODE_CONFIG_CONTENT"),
            R"({"autoupdate":false,"share":"disabled","snapshot":false,"default_agent":")" + agent + R"(","agent":{")" +
                agent +
                R"(":{"mode":"primary","description":"awf step","permission":{"*":"deny","awf-proxy_*":"allow"}}},)" +
                kServer + "}");
  EXPECT_EQ(Pairs(invocation.set_env.begin(), invocation.set_env.begin() + 4),
            (Pairs{{"XDG_CONFIG_HOME", "/step/config"},
                   {"OPENCODE_TEST_HOME", "/step/home"},
                   {"OPENCODE_DISABLE_PROJECT_CONFIG", "1"},
                   {"OPENCODE_DB", "/step/opencode.db"}}));
  EXPECT_EQ(Pairs(invocation.set_env.begin() + 5, invocation.set_env.end()),
            (Pairs{{"OPENCODE_DISABLE_AUTOUPDATE", "1"},
                   {"OPENCODE_DISABLE_MODELS_FETCH", "1"},
                   {"OPENCODE_DISABLE_LSP_DOWNLOAD", "1"},
                   {"PWD", (top_ / "work").string()}}));
  EXPECT_EQ(
      invocation.unset_env,
      (std::vector<std::string>{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_PERMISSION", "OPENCODE_AUTO_SHARE",
                                "OPENCODE_EXPERIMENTAL", "OPENCODE_EXPERIMENTAL_CODE_MODE"}));
  EXPECT_EQ(Kept(invocation), "{" + std::string(kSchema) + "}");
  EXPECT_EQ(invocation.input, "<system>\nYour tools work in " + (top_ / "work").string() +
                                  ": relative paths start there, whatever else is said about a working "
                                  "directory.\n</system>\n\ndo it");
  EXPECT_TRUE(invocation.warnings.empty());
}

TEST_F(OpenCodeTest, ThePrivateConfigurationLacksNothingThatWouldBeFetched) {
  std::vector<std::string> names;
  for (const PrivateFile& file : Prepare().files) names.push_back(file.name);
  EXPECT_EQ(names, (std::vector<std::string>{"config/opencode/opencode.json", "config/opencode/package.json",
                                             "config/opencode/package-lock.json",
                                             "config/opencode/node_modules/.package-lock.json"}));
}

TEST_F(OpenCodeTest, AdditiveRecipeKeepsTheUsersConfiguration) {
  request_.proxy->intercept_builtins = false;
  request_.options["dangerously_skip_permissions"] = true;
  request_.options["extra_args"] = json::array{"--variant", "high"};
  top_.Put("work/AGENTS.md", "memory");
  setup_.environment.Set("OPENCODE_CONFIG_CONTENT",
                         R"({"permission":"ask","mcp":{"mine":{"type":"remote"}},"model":"a/b",})");
  const Invocation invocation = Prepare();
  EXPECT_EQ(invocation.argv,
            (std::vector<std::string>{"opencode", "run", "--format", "json", "--pure", "--print-logs", "--log-level",
                                      "ERROR", "--title", "awf build", "--auto", "--variant", "high"}));
  const json::object content = Content(invocation);
  EXPECT_EQ(json::serialize(content.at("permission")), R"({"*":"ask","awf-proxy_*":"allow"})");
  EXPECT_EQ(content.at("model"), "a/b");
  EXPECT_TRUE(content.at("mcp").as_object().contains("mine"));
  EXPECT_TRUE(content.at("mcp").as_object().contains("awf-proxy"));
  EXPECT_FALSE(content.contains("agent"));
  EXPECT_EQ(Variable(invocation, "PWD"), (top_ / "work").string());
  EXPECT_EQ(Variable(invocation, "OPENCODE_DISABLE_PROJECT_CONFIG"), "(unset)");
  EXPECT_EQ(Variable(invocation, "XDG_CONFIG_HOME"), "(unset)");
  EXPECT_TRUE(invocation.files.empty());
  EXPECT_EQ(invocation.input, "do it");
}

TEST_F(OpenCodeTest, WithoutProxyNothingNamesTheServer) {
  const Invocation invocation = Prepare(false);
  EXPECT_EQ(Variable(invocation, "OPENCODE_CONFIG_CONTENT"),
            R"({"autoupdate":false,"share":"disabled","snapshot":false})");
  EXPECT_TRUE(invocation.unset_env.empty());
  EXPECT_EQ(invocation.input, "do it");
}

TEST_F(OpenCodeTest, PromptsAndHostileValuesStayData) {
  request_.system_prompt = "be \"kind\"";
  request_.prompt = "--help @file /init";
  request_.step.step = "--agent";
  setup_.mitigate = true;
  const Invocation invocation = Prepare();
  EXPECT_EQ(After(invocation, "--title"), "awf --agent");
  EXPECT_TRUE(invocation.input.starts_with("<system>\nbe \"kind\"\n\nYour tools work in "));
  EXPECT_TRUE(
      invocation.input.ends_with("\n\nUse only MCP tools, never built-in tools.\n</system>\n\n--help @file /init"));
  EXPECT_THAT(invocation.argv, Not(Contains(HasSubstr("kind"))));
}

TEST_F(OpenCodeTest, SkippingPermissionsIsIgnoredWhileIntercepting) {
  request_.options["dangerously_skip_permissions"] = true;
  const Invocation invocation = Prepare();
  EXPECT_THAT(invocation.argv, Not(Contains("--auto")));
  EXPECT_EQ(invocation.warnings,
            (std::vector<std::string>{
                "options.dangerously_skip_permissions is ignored while the built-in tools are intercepted"}));
}

TEST_F(OpenCodeTest, OnlyProvidersAndModelsOfTheUserAreTakenOver) {
  top_.Put("home/.config/opencode/config.json", R"({"model":"old/one","provider":{"a":{"options":{"x":1}}}})");
  top_.Put("home/.config/opencode/opencode.jsonc",
           R"({ // mine
             "model": "a/b", "small_model": "a/c", "plugin": ["./evil.js"], "mcp": {"m": {}}, "agent": {"x": {}},
             "permission": {"*": "allow"}, "tool_output": {"max_lines": 1}, "instructions": ["x.md"],
             "provider": {"a": {"options": {"apiKey": "{file:key.txt}", "b": "{file:~/k} {file:/abs} {env:E}"}}},
           })");
  top_.Put("own/extra.json", R"({"enabled_providers":["a"],"provider":{"b":{"options":{"apiKey":"{file:./k}"}}}})");
  setup_.environment.Set("OPENCODE_CONFIG", (top_ / "own/extra.json").string());
  setup_.environment.Set("OPENCODE_CONFIG_CONTENT", R"({"model":"c/d","hook":{}})");
  const std::string home = (top_ / "home").string();
  EXPECT_EQ(Kept(Prepare()),
            R"({"provider":{"a":{"options":{"x":1,"apiKey":"{file:)" + home +
                R"(/.config/opencode/key.txt}","b":"{file:)" + home +
                R"(/k} {file:/abs} {env:E}"}},"b":{"options":{"apiKey":"{file:)" + (top_ / "own").string() +
                R"(/./k}"}}},"model":"c/d","small_model":"a/c","enabled_providers":["a"],)" + kSchema + "}");
}

TEST_F(OpenCodeTest, BrokenConfigurationIsToldAndLeftOut) {
  top_.Put("xdg/opencode/opencode.json", "{");
  setup_.environment.Set("XDG_CONFIG_HOME", (top_ / "xdg").string());
  setup_.environment.Set("OPENCODE_CONFIG_CONTENT", "[]");
  Invocation invocation = Prepare();
  EXPECT_EQ(Kept(invocation), "{" + std::string(kSchema) + "}");
  EXPECT_EQ(
      invocation.warnings,
      (std::vector<std::string>{(top_ / "xdg/opencode/opencode.json").string() +
                                    " cannot be read as JSON; model providers in it are not used",
                                "OPENCODE_CONFIG_CONTENT cannot be read as JSON; model providers in it are not used"}));
  request_.proxy->intercept_builtins = false;
  invocation = Prepare();
  EXPECT_EQ(invocation.warnings,
            (std::vector<std::string>{"OPENCODE_CONFIG_CONTENT cannot be read as JSON; it is not used"}));
}

TEST_F(OpenCodeTest, ProjectMemoryIsWhatTheCliWouldHaveLoaded) {
  top_.Put("home/.claude/CLAUDE.md", "claude of the user");
  top_.Put("work/CLAUDE.md", "claude");
  EXPECT_TRUE(Prepare().input.ends_with("claude of the user\n\n## CLAUDE.md\n\nclaude\n\ndo it"));
  top_.Put("home/.config/opencode/AGENTS.md", "user");
  top_.Put("work/AGENTS.md", "project");
  EXPECT_TRUE(Prepare().input.ends_with("AGENTS.md\n\nuser\n\n## AGENTS.md\n\nproject\n\ndo it"));
  EXPECT_THAT(Prepare().input, Not(HasSubstr("claude")));
  request_.proxy->project_memory = false;
  EXPECT_THAT(Prepare().input, Not(HasSubstr("project")));
}

TEST_F(OpenCodeTest, ClaudesFilesCanBeSwitchedOff) {
  setup_.environment.Set("OPENCODE_DISABLE_CLAUDE_CODE", "1");
  top_.Put("home/.claude/CLAUDE.md", "claude of the user");
  top_.Put("work/CLAUDE.md", "claude");
  top_.Put("work/CONTEXT.md", "context");
  EXPECT_TRUE(Prepare().input.ends_with("</system>\n\n## CONTEXT.md\n\ncontext\n\ndo it"));
}

TEST_F(OpenCodeTest, AConversationKeepsItsFolder) {
  setup_.conversation_folder = top_ / "conversation";
  EXPECT_EQ(After(Prepare(), "--dir"), (setup_.conversation_folder / "opencode").string());
  EXPECT_EQ(Variable(Prepare(), "OPENCODE_DB"), (setup_.conversation_folder / "opencode.db").string());
  EXPECT_TRUE(fs::is_directory(setup_.conversation_folder / "opencode"));
  request_.continued.emplace().id = "ses_1";
  request_.continued->folder = "here";
  const Invocation invocation = Prepare();
  EXPECT_EQ(After(invocation, "--dir"), (setup_.conversation_folder / "opencode").string());
  EXPECT_EQ(After(invocation, "--session"), "ses_1");
}

TEST_F(OpenCodeTest, AConversationDoesNotChangeBetweenInterceptedAndNativeTools) {
  setup_.conversation_folder = top_ / "conversation";
  request_.continued.emplace().id = "ses_1";
  EXPECT_EQ(Try().error().code, "EXECUTION.AGENT.SESSION_LOST");
  EXPECT_EQ(Try().error().hint, "Let all steps of a conversation intercept the built-in tools, or none.");
  EXPECT_EQ(After(Prepare(false), "--session"), "ses_1");
  request_.continued->folder = "here";
  EXPECT_EQ(Try(false).error().code, "EXECUTION.AGENT.SESSION_LOST");
}

// What each end means, by stderr and exit status.
Verdict Ended(const std::string& stream, const ProcessExit& exit, json::object options = {}) {
  AgentRequest request;
  request.options = std::move(options);
  request.proxy.emplace();
  request.working_dir = "/";
  request.proxy->project_memory = false;
  OpenCodeProvider opencode({.step_folder = "/step", .version = "1.0.9"});
  const ProxyEndpoint endpoint{"/opt/awf", "/step/serve.json", "/step", {}, 1};
  EXPECT_TRUE(opencode.Prepare(request, &endpoint));
  struct Deaf final : AgentEvents {
    void Announced(const std::vector<std::string>&, bool, std::string_view) override {}
    void ServerFailed(std::string_view) override {}
    void IsolationIs(IsolationLevel, std::string_view) override {}
    void Text(std::string_view) override {}
    void ToolUse(std::string_view, std::string_view, bool, std::string_view) override {}
    void ToolEnded(std::string_view, bool, bool) override {}
    void Message(const AgentMessage&) override {}
    void PermissionDenied(std::string_view) override {}
    void Tokens(const TokenUsage&) override {}
    void Session(std::string_view) override {}
    void HopelessRetry(const Error&) override {}
    void FinalEvent() override {}
  } deaf;
  if (!stream.empty()) opencode.Read(stream, deaf);
  return opencode.Judge(exit);
}

std::string ErrorEvent(const std::string& name, const std::string& data) {
  return R"({"type":"error","sessionID":"ses_1","error":{"name":")" + name + R"(","data":)" + data + "}}";
}

TEST(OpenCodeEndsTest, ErrorsAreTyped) {
  const auto code = [](const std::string& stream, const ProcessExit& exit) {
    const Verdict verdict = Ended(stream, exit);
    return verdict.failure ? verdict.failure->code + " " + verdict.failure->message : "success";
  };
  EXPECT_EQ(code(ErrorEvent("APIError", R"({"message":"no","statusCode":403})"), {1, 0, ""}),
            "EXECUTION.AGENT.AUTH opencode: no");
  EXPECT_EQ(code(ErrorEvent("ProviderAuthError", R"({"providerID":"p","message":"no key"})"), {1, 0, ""}),
            "EXECUTION.AGENT.AUTH opencode: no key");
  EXPECT_EQ(code(ErrorEvent("APIError", R"({"message":"slow","statusCode":429})"), {1, 0, ""}),
            "EXECUTION.AGENT.RATE_LIMITED opencode: slow");
  EXPECT_EQ(code(ErrorEvent("MessageOutputLengthError", "{}"), {0, 0, ""}),
            "EXECUTION.AGENT.FAILED opencode: MessageOutputLengthError");
  EXPECT_EQ(
      code(ErrorEvent("UnknownError", R"({"message":"Unexpected server error."})"),
           {1, 0,
            "message=failed error=\"ProviderModelNotFoundError: Model not found: p/m. Did you mean: n?\" cause=x"}),
      "EXECUTION.AGENT.FAILED opencode: Model not found: p/m. Did you mean: n?");
  EXPECT_EQ(code("", {1, 0, "\x1b[91m\x1b[1mError: \x1b[0mSession not found\n"}),
            "EXECUTION.AGENT.SESSION_LOST opencode no longer has the session : Error: Session not found");
  EXPECT_EQ(code("", {143, 15, ""}), "EXECUTION.AGENT.FAILED opencode ended without its final event (signal 15)");
  EXPECT_EQ(code(R"({"type":"step_finish","part":{"reason":"length"}})", {0, 0, ""}),
            "EXECUTION.AGENT.FAILED opencode: the model's answer ended early (length)");
  EXPECT_EQ(code(R"({"type":"step_finish","part":{"reason":"tool-calls"}})", {0, 0, ""}),
            "EXECUTION.AGENT.FAILED opencode: ended after a tool call, without an answer");
  EXPECT_EQ(code(R"({"type":"step_finish","part":{"reason":"stop"}})", {0, 0, ""}), "success");
  EXPECT_EQ(code(R"({"type":"step_finish","part":{"reason":"stop"}})", {2, 0, ""}),
            "EXECUTION.AGENT.FAILED opencode: reported success, but ended with exit code 2");
}

TEST(OpenCodeEndsTest, TheFlagThatTheUsageTextLacksIsNamed) {
  const std::string usage =
      "opencode run [message..]\n --format --print-logs --log-level --agent --dir --title -m, --model\n";
  EXPECT_EQ(Ended("", {1, 0, usage}).failure->message, "opencode 1.0.9 doesn't know --pure; verified with 1.18.33");
  EXPECT_EQ(Ended("", {1, 0, usage + " --pure"}, {{"extra_args", json::array{"--nonsense"}}}).failure->message,
            "opencode 1.0.9 doesn't know --nonsense; verified with 1.18.33");
}

TEST(OpenCodeEndsTest, AnotherAgentIsDoubted) {
  const Verdict verdict = Ended(R"({"type":"step_finish","part":{"reason":"stop"}})",
                                {0, 0, "! agent \"awf-step-1\" not found. Falling back to default agent\n"});
  EXPECT_FALSE(verdict.failure);
  EXPECT_EQ(verdict.isolation_doubt, "the agent of the step was not found");
}

TEST(OpenCodeLoginTest, TellsWhereALoginIs) {
  const TestFolder top;
  Environment environment;
  environment.Set("HOME", top.path().string());
  EXPECT_EQ(OpenCodeLogin(environment).kind, LoginState::Kind::kMissing);
  top.Put(".config/opencode/opencode.json", R"({"provider":{"mine":{}}})");
  EXPECT_EQ(OpenCodeLogin(environment).kind, LoginState::Kind::kUnknown);
  environment.Set("OPENAI_API_KEY", "k");
  EXPECT_EQ(OpenCodeLogin(environment).text, "OPENAI_API_KEY is set");
  top.Put(".local/share/opencode/auth.json", R"({"anthropic":{"type":"api","key":"k"},"openai":{"type":"oauth"}})");
  EXPECT_EQ(OpenCodeLogin(environment).text, "logged in with anthropic, openai");
  environment.Set("XDG_DATA_HOME", (top / "data").string());
  EXPECT_EQ(OpenCodeLogin(environment).text, "OPENAI_API_KEY is set");
}

TEST_F(OpenCodeTest, AProbeReachesItsModelWhateverTheUserHasConfigured) {
  const ProbeTarget target = OpenCodeProbe("http://127.0.0.1:9", "/tmp/mark");
  top_.Put("home/.config/opencode/opencode.json",
           R"({"enabled_providers":["mine"],"disabled_providers":["awf-probe"]})");
  for (const auto& [name, value] : target.environment) setup_.environment.Set(name, value);
  EXPECT_EQ(target.options, (json::object{{"model", "awf-probe/scripted"}}));
  EXPECT_EQ(Kept(Prepare()),
            R"({"enabled_providers":["awf-probe"],"disabled_providers":[],"provider":{"awf-probe":{)"
            R"("npm":"@ai-sdk/openai-compatible","name":"awf-probe","options":{"baseURL":"http://127.0.0.1:9/v1",)"
            R"("apiKey":"no-key-is-needed"},"models":{"scripted":{"name":"scripted"}}}},)" +
                std::string(kSchema) + "}");
  std::vector<std::string> names;
  for (const auto& call : target.native_calls) {
    names.push_back(call.tool);
    EXPECT_TRUE(call.unoffered);
    EXPECT_THAT(json::serialize(call.arguments), HasSubstr("/tmp/mark"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"bash", "write", "edit", "apply_patch"}));
  EXPECT_EQ(OfferedByOpenCode("Read"), "awf-proxy_Read");
}

}  // namespace
}  // namespace awf::agents
