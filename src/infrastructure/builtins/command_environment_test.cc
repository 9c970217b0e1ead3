#include "infrastructure/builtins/command_environment.h"

#include <gmock/gmock.h>

namespace awf::builtins {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(CommandEnvironmentTest, DropsKeysAndTokens) {
  ToolSettings settings;
  for (const char* name : {"ANTHROPIC_API_KEY",
                           "ANTHROPIC_AUTH_TOKEN",
                           "CLAUDE_CODE_OAUTH_TOKEN",
                           "OPENAI_API_KEY",
                           "CODEX_API_KEY",
                           "GEMINI_API_KEY",
                           "GOOGLE_API_KEY",
                           "MISTRAL_API_KEY",
                           "OPENROUTER_API_KEY",
                           "COPILOT_GITHUB_TOKEN",
                           "COPILOT_PROVIDER_API_KEY",
                           "COPILOT_PROVIDER_BEARER_TOKEN",
                           "COPILOT_PROVIDER_HEADERS",
                           "OPENCODE_CONFIG_CONTENT",
                           "ACTIONS_ID_TOKEN_REQUEST_URL",
                           "ACTIONS_RUNTIME_TOKEN",
                           "OTEL_EXPORTER_OTLP_HEADERS",
                           "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
                           "AWF_RUN_ID",
                           "LD_PRELOAD",
                           "LD_AUDIT"}) {
    settings.environment = {std::string(name) + "=secret", "HOME=/h"};
    const CommandEnvironment environment = MakeCommandEnvironment(settings);
    EXPECT_THAT(environment.variables, Not(Contains(std::string(name) + "=secret")));
    EXPECT_THAT(environment.variables, Contains("HOME=/h"));
    EXPECT_THAT(environment.dropped, ElementsAre(name));
  }
}

TEST(CommandEnvironmentTest, KeepsWhatToolsNeed) {
  ToolSettings settings;
  settings.environment = {
      "BASH_ENV=rc",          "ENV=rc",          "GH_TOKEN=t",        "AWS_SECRET_ACCESS_KEY=k",
      "ANTHROPIC_BASE_URL=u", "OPENAI_BASE_URL", "LD_LIBRARY_PATH=l", "OTEL_EXPORTER_OTLP_ENDPOINT=e"};
  const CommandEnvironment environment = MakeCommandEnvironment(settings);
  for (const std::string& variable : settings.environment) EXPECT_THAT(environment.variables, Contains(variable));
  EXPECT_THAT(environment.dropped, IsEmpty());
}

TEST(CommandEnvironmentTest, NothingWaitsForAKey) {
  ToolSettings settings;
  settings.environment = {"TERM=xterm", "PAGER=less"};
  EXPECT_THAT(MakeCommandEnvironment(settings).variables,
              ElementsAre("TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"));
}

TEST(CommandEnvironmentTest, TheStepChangesTheList) {
  ToolSettings settings;
  settings.environment = {"OPENAI_API_KEY=k", "GEMINI_API_KEY=k", "MINE=m", "GATEWAY=g"};
  settings.env = {.pass = {"OPENAI_API_KEY"}, .drop = {"MINE"}};
  settings.secret_names = {"GATEWAY"};
  const CommandEnvironment environment = MakeCommandEnvironment(settings);
  EXPECT_THAT(environment.variables, Contains("OPENAI_API_KEY=k"));
  EXPECT_THAT(environment.dropped, ElementsAre("GATEWAY", "GEMINI_API_KEY", "MINE"));
}

TEST(CommandEnvironmentTest, ACallIsTheParentOfItsCommandWhereSpansAreMade) {
  const std::string outer = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  ToolSettings settings;
  settings.environment = {"TRACEPARENT=" + outer, "TRACESTATE=outer=1", "HOME=/h"};
  const CommandEnvironment environment = MakeCommandEnvironment(settings);
  EXPECT_THAT(EnvironmentOfCall(environment, settings, "9f02c4d17be6a038"),
              AllOf(Contains("TRACEPARENT=" + outer), Contains("TRACESTATE=outer=1"), Contains("HOME=/h")));

  const auto traced = [&](CommandTrace trace) {
    settings.trace = std::move(trace);
    std::vector<std::string> found;
    for (const std::string& variable : EnvironmentOfCall(environment, settings, "9f02c4d17be6a038"))
      if (variable.starts_with("TRACE")) found.push_back(variable);
    return found;
  };
  const std::string trace(32, 'a'), own = "TRACEPARENT=00-" + trace + "-9f02c4d17be6a038-";
  EXPECT_THAT(traced({trace, true, "vendor=1"}), ElementsAre(own + "01", "TRACESTATE=vendor=1"));
  EXPECT_THAT(traced({trace, false, ""}), ElementsAre(own + "00"));
  settings.env.drop = {"TRACEPARENT"};
  EXPECT_THAT(traced({trace, true, "vendor=1"}), ElementsAre("TRACESTATE=vendor=1"));
}

TEST(NamesMentionedTest, FindsWholeWords) {
  EXPECT_THAT(NamesMentioned({"A_KEY", "B_KEY", "C_KEY"}, {"test -n \"$A_KEY\"", "error: B_KEY is not set"}),
              ElementsAre("A_KEY", "B_KEY"));
  EXPECT_THAT(NamesMentioned({"A_KEY"}, {"MY_A_KEY A_KEYS", ""}), IsEmpty());
}

}  // namespace
}  // namespace awf::builtins
