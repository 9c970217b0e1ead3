#include "infrastructure/agents/codex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "infrastructure/agents/isolation.h"
#include "infrastructure/agents/test_recipe.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kFeatureNames[] = {"shell_tool",   "unified_exec", "view_image", "multi_agent",
                                         "goals",        "apps",         "plugins",    "image_generation",
                                         "tool_suggest", "skill_search", "hooks",      "shell_snapshot"};
constexpr const char* kModels = R"({"models":[{"slug":"gpt-5.5","tool_mode":"x"},{"slug":"gpt-6"}]})";
constexpr const char* kEntry =
    R"({"slug":"gpt-5.5","apply_patch_tool_type":null,"supports_search_tool":false,"experimental_supported_tools":[]})";

std::string FeatureList() {
  std::string list = "unbounded_connection_retries             stable             true\n";
  for (const char* name : kFeatureNames) list += std::string(name) + "    stable   true\n";
  return list;
}

class FakeFacts final : public ProgramFacts {
 public:
  std::optional<std::string> Ask(const Words& arguments) const override {
    const auto found = answers.find(arguments);
    return found == answers.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<Words, std::string> answers{{{"features", "list"}, FeatureList()},
                                       {{"debug", "models", "--bundled"}, kModels}};
};

class CodexTest : public RecipeTest {
 protected:
  CodexTest() : RecipeTest("0.171.0") {
    setup_.environment.Set("HOME", top_.path().string());
    setup_.facts = &facts_;
    request_.options["model"] = "gpt-5.5";
    endpoint_.timeout_ms = 59'001;
  }

  std::expected<Invocation, Error> Try(bool with_proxy = true) {
    codex_.emplace(setup_, top_.path() / "etc");
    return TryWith(*codex_, with_proxy);
  }
  Invocation Prepare(bool with_proxy = true) { return Succeeded(Try(with_proxy)); }
  // The values of all "-c".
  static Words Settings(const Invocation& invocation) {
    Words settings;
    for (std::size_t i = 1; i < invocation.argv.size(); ++i) {
      if (invocation.argv[i - 1] == "-c") settings.push_back(invocation.argv[i]);
    }
    return settings;
  }

  FakeFacts facts_;
  std::optional<CodexProvider> codex_;
};

TEST_F(CodexTest, InterceptRecipe) {
  const Invocation invocation = Prepare();
  Words expected = {"codex",           "exec", "--json", "--skip-git-repo-check", "--ignore-user-config",
                    "--strict-config", "-m",   "gpt-5.5"};
  Words settings = {
      R"(mcp_servers.awf-proxy={command="/opt/awf",args=["mcp-serve","--config","/step/serve.json"],env={},)"
      R"(required=true,startup_timeout_sec=30,tool_timeout_sec=60,default_tools_approval_mode="approve",)"
      R"(omit_tools_from=["deferred","code_mode"],supports_parallel_tool_calls=true})"};
  for (const char* name : kFeatureNames) settings.push_back("features." + std::string(name) + "=false");
  for (const char* setting :
       {"features.unbounded_connection_retries=false", R"(web_search="disabled")",
        "tools.experimental_request_user_input.enabled=false", "tools.update_plan.enabled=false",
        R"(sandbox_mode="read-only")", R"(model_catalog_json="/step/catalog.json")", "tool_output_token_limit=60000",
        "analytics.enabled=false", "check_for_update_on_startup=false"}) {
    settings.emplace_back(setting);
  }
  for (const std::string& setting : settings) expected.insert(expected.end(), {"-c", setting});
  expected.emplace_back("-");
  EXPECT_EQ(invocation.argv, expected);
  ASSERT_EQ(invocation.files.size(), 1U);
  EXPECT_EQ(invocation.files[0].name, "catalog.json");
  EXPECT_EQ(invocation.files[0].contents, R"({"models":[)" + std::string(kEntry) + "]}");
  EXPECT_EQ(invocation.input, "do it");
  EXPECT_TRUE(invocation.set_env.empty() && invocation.unset_env.empty() && invocation.warnings.empty());
  EXPECT_EQ(invocation.isolation_doubt, "");
}

TEST_F(CodexTest, AdditiveRecipeKeepsNativeToolsAndTheUsersConfiguration) {
  request_.proxy->intercept_builtins = false;
  request_.proxy->project_memory = false;
  request_.options["dangerously_skip_permissions"] = true;
  const Invocation invocation = Prepare();
  EXPECT_EQ(invocation.argv,
            (Words{"codex", "exec", "--json", "--skip-git-repo-check", "-m", "gpt-5.5", "-c",
                   R"(mcp_servers.awf-proxy={command="/opt/awf",args=["mcp-serve","--config","/step/serve.json"],)"
                   R"(env={},required=true,startup_timeout_sec=30,tool_timeout_sec=60,)"
                   R"(default_tools_approval_mode="approve",omit_tools_from=["deferred"],)"
                   R"(supports_parallel_tool_calls=true})",
                   "-c", "features.unbounded_connection_retries=false", "-c", "tool_output_token_limit=60000", "-c",
                   "analytics.enabled=false", "-c", "check_for_update_on_startup=false",
                   "--dangerously-bypass-approvals-and-sandbox", "-"}));
  EXPECT_TRUE(invocation.files.empty() && invocation.warnings.empty());
  EXPECT_EQ(invocation.isolation_doubt, "");
}

TEST_F(CodexTest, WithoutProxyNothingNamesTheServer) {
  request_.options.clear();
  EXPECT_EQ(Prepare(false).argv, (Words{"codex", "exec", "--json", "--skip-git-repo-check", "-c",
                                        "features.unbounded_connection_retries=false", "-c", "analytics.enabled=false",
                                        "-c", "check_for_update_on_startup=false", "-"}));
}

TEST_F(CodexTest, OptionsBecomeSettingsAndReopeningOnesAreIgnored) {
  request_.options["reasoning_effort"] = "high\"\n";
  request_.options["dangerously_skip_permissions"] = true;
  request_.options["extra_args"] = json::array{"--enable", "x"};
  request_.options["config"] = json::parse(R"({"model_provider":"corp","openai_base_url":"http://x/\"",
      "model_providers":{"corp":{"name":"Corp","query_params":{"api version":"1"}}},
      "model_providers.corp.base_url":"http://y","model_providers.other":{"name":"O"}})");
  const Invocation invocation = Prepare();
  const Words settings = Settings(invocation);
  EXPECT_EQ(
      Words(settings.end() - 6, settings.end()),
      (Words{R"(model_reasoning_effort="high\"\n")", R"(model_provider="corp")", R"(openai_base_url="http://x/\"")",
             R"(model_providers.corp={name="Corp",query_params={"api version"="1"}})",
             R"(model_providers.corp.base_url="http://y")", R"(model_providers.other={name="O"})"}));
  EXPECT_EQ(Words(invocation.argv.end() - 3, invocation.argv.end()), (Words{"--enable", "x", "-"}));
  EXPECT_FALSE(Has(invocation, "--dangerously-bypass-approvals-and-sandbox"));
  EXPECT_EQ(invocation.warnings,
            Words{"options.dangerously_skip_permissions is ignored while the built-in tools are intercepted"});
}

TEST_F(CodexTest, ConfigTakesNothingThatUndoesTheRecipe) {
  for (const char* config :
       {R"({"features.shell_tool":true})", R"({"mcp_servers":{}})", R"({"sandbox_mode":"x"})",
        R"({"model_providersx":1})", R"({"model_providers.":1})", R"({"model_providers.a=1\nb":1})",
        R"({"model_providers":{"a.b":{}}})", R"({"model_providers":"x"})"}) {
    request_.options["config"] = json::parse(config);
    const auto invocation = Try();
    ASSERT_FALSE(invocation) << config;
    EXPECT_EQ(invocation.error().code, "WORKFLOW.PARSE.INVALID_VALUE");
    EXPECT_EQ(invocation.error().field, "options.config");
  }
}

TEST_F(CodexTest, HostileValuesStayValues) {
  setup_.step_folder = "/s \"'x\n\\";
  const Invocation invocation = Prepare();
  EXPECT_TRUE(Has(invocation, R"(model_catalog_json="/s \"'x\n\\/catalog.json")"));
}

TEST_F(CodexTest, FeaturesThatAreMissingLeaveADoubt) {
  facts_.answers[{"features", "list"}] = "shell_tool stable true\nhooks stable true\n";
  const Invocation some = Prepare();
  EXPECT_TRUE(Has(some, "features.shell_tool=false") && Has(some, "features.hooks=false"));
  EXPECT_FALSE(Has(some, "features.goals=false") || Has(some, "features.unbounded_connection_retries=false"));
  EXPECT_EQ(some.isolation_doubt,
            "codex has no feature unified_exec, view_image, multi_agent, goals, apps, plugins, image_generation, "
            "tool_suggest, skill_search, shell_snapshot to switch off");
  facts_.answers.erase({"features", "list"});
  const Invocation all = Prepare();
  EXPECT_TRUE(Has(all, "features.goals=false"));
  EXPECT_EQ(all.isolation_doubt, "codex features list failed");
}

TEST_F(CodexTest, AdministratorsConfigurationLeavesADoubt) {
  for (const char* name : {"config.toml", "requirements.toml", "managed_config.toml"}) {
    const fs::path file = top_.path() / "etc" / name;
    top_.Put(std::string("etc/") + name, "");
    EXPECT_EQ(Prepare().isolation_doubt, file.string() + " may undo the recipe");
  }
  request_.proxy->intercept_builtins = false;
  EXPECT_EQ(Prepare().isolation_doubt, "");
}

TEST_F(CodexTest, CatalogOfAllModelsUnlessOneHasExactlyThatName) {
  for (const char* model : {"", "gpt-5.5-mini", "elsewhere"}) {
    request_.options["model"] = model;
    const Invocation invocation = Prepare();
    ASSERT_EQ(invocation.files.size(), 1U);
    EXPECT_TRUE(invocation.files[0].contents.find(R"("slug":"gpt-6")") != std::string::npos) << model;
    EXPECT_EQ(Has(invocation, "-m"), model[0] != '\0');
    EXPECT_EQ(invocation.isolation_doubt, "");
  }
  facts_.answers[{"debug", "models", "--bundled"}] = "{}";
  const Invocation none = Prepare();
  EXPECT_TRUE(none.files.empty());
  EXPECT_FALSE(Has(none, R"(model_catalog_json="/step/catalog.json")"));
  EXPECT_EQ(none.isolation_doubt, "codex debug models --bundled told no models");
}

TEST_F(CodexTest, DryRunsShowTheWholeRecipe) {
  const Invocation real = Prepare();
  setup_.facts = nullptr;
  const Invocation dry = Prepare();
  EXPECT_EQ(dry.argv, real.argv);
  EXPECT_EQ(dry.isolation_doubt, "");
}

TEST_F(CodexTest, RefusedSettingsAreTriedOnceMoreWithoutStrictness) {
  const std::string refused =
      "WARNING: noise\nError loading config.toml: unknown configuration field `tools.update_plan` in -c/--config "
      "override\n";
  EXPECT_EQ(Prepare().isolation_doubt, "");
  Verdict verdict = codex_->Judge({1, 0, refused});
  EXPECT_TRUE(verdict.try_fallback);
  EXPECT_EQ(verdict.failure->code, "EXECUTION.AGENT.NOT_INSTALLED");
  EXPECT_EQ(verdict.failure->message, "codex 0.171.0 doesn't know tools.update_plan; verified with 0.171.0");

  setup_.fallback = true;
  const Invocation second = Prepare();
  EXPECT_FALSE(Has(second, "--strict-config"));
  EXPECT_TRUE(Has(second, "--ignore-user-config"));
  EXPECT_EQ(second.isolation_doubt, "codex 0.171.0 does not know every setting of the recipe");
  EXPECT_FALSE(codex_->Judge({1, 0, refused}).try_fallback);
}

TEST_F(CodexTest, GoesOnWithAThread) {
  request_.continued = AgentSession{"codex", "01a22fbd-de86-7bb3-96a7-01c09d89922b", nullptr, {}, "/", ""};
  const Words argv = Prepare().argv;
  EXPECT_EQ(Words(argv.begin(), argv.begin() + 4), (Words{"codex", "exec", "resume", "--json"}));
  EXPECT_EQ(Words(argv.end() - 2, argv.end()), (Words{"01a22fbd-de86-7bb3-96a7-01c09d89922b", "-"}));
  for (const char* id : {"", "--last", "a b"}) {
    request_.continued->id = id;
    const auto invocation = Try();
    ASSERT_FALSE(invocation) << id;
    EXPECT_EQ(invocation.error().code, "EXECUTION.AGENT.SESSION_LOST");
  }
}

TEST_F(CodexTest, TextThatCodexWouldRefuseIsRefusedBefore) {
  request_.prompt.clear();
  for (std::size_t i = 0; i < std::size_t{1} << 20; ++i) request_.prompt += "\xc3\xa4";
  EXPECT_TRUE(Try());
  request_.prompt += 'x';
  const auto refused = Try();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(refused.error().message, "codex: the prompt has 1048577 characters, and the CLI reads only 1048576");
}

TEST_F(CodexTest, ProjectMemoryIsLeftToCodexOrSwitchedOff) {
  EXPECT_FALSE(Has(Prepare(), "project_doc_max_bytes=0"));
  request_.proxy->project_memory = false;
  const Invocation off = Prepare();
  EXPECT_TRUE(Has(off, "project_doc_max_bytes=0"));
  EXPECT_TRUE(off.warnings.empty());
  top_.Put("codex/AGENTS.md", "x");
  setup_.environment.Set("CODEX_HOME", (top_.path() / "codex").string());
  EXPECT_EQ(Prepare().warnings,
            Words{"project_memory: false leaves out the workspace's AGENTS.md only: codex still loads " +
                  (top_.path() / "codex/AGENTS.md").string()});
}

TEST_F(CodexTest, TextHasTheSystemPromptAndTheMitigation) {
  request_.system_prompt = "You are a tester.";
  setup_.mitigate = true;
  EXPECT_EQ(Prepare().input,
            "<system>\nYou are a tester.\n\n" + std::string(kMcpOnlySentence) + "\n</system>\n\ndo it");
}

TEST_F(CodexTest, Names) {
  EXPECT_EQ(CodexProvider(setup_).ShownName("Read"), "awf-proxy/Read");
  EXPECT_EQ(OfferedByCodex("Read"), "mcp__awf_proxy.Read");
  EXPECT_EQ(OfferedByCodex("my-plugin_a.b/c"), "mcp__awf_proxy.my_plugin_a_b_c");
}

TEST_F(CodexTest, FailuresWithoutAFinalEvent) {
  request_.continued = AgentSession{"codex", "01a22fbd", nullptr, {}, "/", ""};
  Prepare();
  const auto judge = [&](int code, int signal, const std::string& errors) {
    const Verdict verdict = codex_->Judge({code, signal, errors});
    EXPECT_FALSE(verdict.try_fallback);
    return verdict.failure ? verdict.failure->code + " " + verdict.failure->message : "success";
  };
  EXPECT_EQ(judge(1, 0,
                  "Error: thread/resume failed: no rollout found for thread id 01a22fbd (code -32600)\n\nStack "
                  "backtrace:\n   0: <unknown>\n"),
            "EXECUTION.AGENT.SESSION_LOST codex no longer has the session 01a22fbd");
  EXPECT_EQ(judge(2, 0, "error: unexpected argument '--frob' found\n\nFor more information, try '--help'.\n"),
            "EXECUTION.AGENT.NOT_INSTALLED codex 0.171.0 doesn't know --frob; verified with 0.171.0");
  EXPECT_EQ(judge(1, 0, "Error: thread/start failed: required MCP servers failed to initialize: awf-proxy: gone\n"),
            "EXECUTION.MCP_PROXY.NOT_CONNECTED codex: Error: thread/start failed: required MCP servers failed to "
            "initialize: awf-proxy: gone");
  EXPECT_EQ(judge(1, 0, "Error: Model provider `x` not found\n\nStack backtrace:\n   0: <unknown>\n"),
            "EXECUTION.AGENT.FAILED codex ended without its final event (exit code 1): Error: Model provider `x` not "
            "found");
  EXPECT_EQ(judge(0, 15, ""), "EXECUTION.AGENT.FAILED codex ended without its final event (signal 15)");
}

TEST_F(CodexTest, LoginIsTold) {
  using Kind = LoginState::Kind;
  const auto login = [&] { return CodexLogin(setup_.environment); };
  setup_.environment.Set("OPENAI_API_KEY", "x");
  EXPECT_EQ(login().kind, Kind::kMissing);
  top_.Put(".codex/config.toml", "cli_auth_credentials_store = \"keyring\"\n");
  EXPECT_EQ(login().kind, Kind::kUnknown);
  top_.Put(".codex/auth.json", R"({"OPENAI_API_KEY":null,"tokens":{"id_token":"x"}})");
  EXPECT_EQ(login().text, "logged in with ChatGPT");
  setup_.environment.Set("CODEX_HOME", (top_.path() / "codex").string());
  EXPECT_EQ(login().kind, Kind::kMissing);
  top_.Put("codex/auth.json", R"({"OPENAI_API_KEY":"sk"})");
  EXPECT_EQ(login().text, "logged in with a key");
  setup_.environment.Set("CODEX_API_KEY", "x");
  EXPECT_EQ(login().text, "CODEX_API_KEY is set");
}

TEST_F(CodexTest, ProbePointsAtTheScriptedModel) {
  const ProbeTarget target = CodexProbe("http://127.0.0.1:1", "/m/mark");
  request_.options = target.options;
  const Invocation invocation = Prepare();
  EXPECT_TRUE(Has(invocation, R"(model_provider="awf-probe")"));
  EXPECT_TRUE(Has(invocation, R"(model_providers.awf-probe={name="awf probe",base_url="http://127.0.0.1:1/v1",)"
                              R"(wire_api="responses",request_max_retries=0,stream_max_retries=0})"));
  EXPECT_EQ(target.format, model_server::WireFormat::kResponses);
  EXPECT_EQ(target.harmless.size(), 6U);
  for (const auto& call : target.native_calls) {
    EXPECT_TRUE(call.unoffered);
    EXPECT_TRUE(json::serialize(call.arguments).find("/m/mark") != std::string::npos) << call.tool;
  }
}

}  // namespace
}  // namespace awf::agents
