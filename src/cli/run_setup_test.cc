#include "cli/run_setup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

namespace awf::cli {
namespace {

GetVariable From(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(StorageFolder, IsWhereTheUserWantsIt) {
  const std::map<std::string, std::string> all = {{"AWF_STORAGE", "/s"}, {"XDG_DATA_HOME", "/x"}, {"HOME", "/home/me"}};
  EXPECT_EQ(StorageFolder("/o", From(all)), "/o");
  EXPECT_EQ(StorageFolder("", From(all)), "/s");
  EXPECT_EQ(StorageFolder("", From({{"XDG_DATA_HOME", "/x"}, {"HOME", "/home/me"}})), "/x/awf");
  EXPECT_EQ(StorageFolder("", From({{"XDG_DATA_HOME", "x"}, {"HOME", "/home/me"}})), "/home/me/.local/share/awf");
  const auto none = StorageFolder("", From({}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "USER.INPUT.INVALID_FORMAT");
}

TraceTarget Chosen(const RunOptions& options, std::map<std::string, std::string> variables = {}) {
  auto target = ChooseTrace(options, From(std::move(variables)));
  EXPECT_TRUE(target);
  return target.value_or(TraceTarget{});
}

RunOptions Exporter(std::string name) {
  RunOptions options;
  options.otel_exporter = std::move(name);
  return options;
}

TEST(ChooseTrace, KnowsNoneAndFile) {
  EXPECT_FALSE(Chosen({}).any());
  EXPECT_FALSE(Chosen(Exporter("none")).any());
  EXPECT_TRUE(Chosen(Exporter("file")).in_run_folder);
  EXPECT_TRUE(Chosen(Exporter("file:")).in_run_folder);
  EXPECT_EQ(Chosen(Exporter("file:/t/x.json")).file, "/t/x.json");
  EXPECT_FALSE(Chosen(Exporter("file:/t/x.json")).in_run_folder);
  EXPECT_TRUE(Chosen({}, {{"OTEL_TRACES_EXPORTER", "file"}}).in_run_folder);
  EXPECT_FALSE(Chosen(Exporter("none"), {{"OTEL_TRACES_EXPORTER", "file"}}).any());
  EXPECT_FALSE(Chosen(Exporter("file:/x"), {{"OTEL_SDK_DISABLED", "true"}}).any());
  RunOptions both = Exporter("file:/x");
  both.trace_file = true;
  EXPECT_TRUE(Chosen(both).in_run_folder);
  EXPECT_EQ(Chosen(both).file, "/x");
}

TEST(ChooseTrace, RefusesOthers) {
  for (const char* name : {"otlp", "otlp-http", "console", "localhost:4317", "https://x"}) {
    const auto target = ChooseTrace(Exporter(name), From({}));
    ASSERT_FALSE(target) << name;
    EXPECT_EQ(target.error().code, "USER.INPUT.INVALID_FORMAT");
    EXPECT_EQ(target.error().message, "exporter '" + std::string(name) + "' is not supported yet");
  }
}

TEST(ChooseTrace, TellsWhatDoesNotExistFromWhatIsPlanned) {
  const auto target = ChooseTrace(Exporter("File"), From({}));
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().message, "there is no exporter 'File'");
}

TEST(ChooseTrace, TheConfigurationIsTheWeakest) {
  RunOptions options;
  options.config.telemetry.exporter = "file:/configured";
  EXPECT_EQ(ChooseTrace(options, From({}))->file, "/configured");
  EXPECT_FALSE(ChooseTrace(options, From({{"OTEL_TRACES_EXPORTER", "none"}}))->any());
  options.otel_exporter = "file:/flag";
  EXPECT_EQ(ChooseTrace(options, From({}))->file, "/flag");
  options.otel_exporter.clear();
  options.config.telemetry.exporter = "otlp";
  EXPECT_EQ(ChooseTrace(options, From({})).error().message,
            "exporter 'otlp' (from the configuration) is not supported yet");
}

TEST(ServiceName, PrefersTheFlag) {
  RunOptions options;
  EXPECT_EQ(ServiceName(options, From({})), "awf");
  EXPECT_EQ(ServiceName(options, From({{"OTEL_SERVICE_NAME", "env"}})), "env");
  options.config.telemetry.service_name = "configured";
  EXPECT_EQ(ServiceName(options, From({})), "configured");
  EXPECT_EQ(ServiceName(options, From({{"OTEL_SERVICE_NAME", "env"}})), "env");
  options.service_name = "flag";
  EXPECT_EQ(ServiceName(options, From({{"OTEL_SERVICE_NAME", "env"}})), "flag");
}

TEST(LearnSecrets, FindsThoseOfTheConfigurationToo) {
  Masker masker;
  LearnOptionSecrets({{"api_key", "configured-secret"}, {"model", "a-long-model"}}, masker);
  EXPECT_EQ(masker.MaskText("configured-secret a-long-model"), "*** a-long-model");
}

TEST(LearnSecrets, FindsThemEverywhere) {
  Workflow workflow;
  WorkflowInput pin, token, plain;
  pin.name = "pin";
  pin.secret = true;
  token.name = "my_token";
  plain.name = "plain";
  workflow.inputs = {pin, token, plain};
  State state;
  AgentState agent;
  agent.options = {{"api_key", "option-secret"},
                   {"model", "a-long-model"},
                   {"env", {{"X_TOKEN", "nested-secret"}, {"API_KEY", "{{.inputs.plain}}"}}}};
  state.body = agent;
  workflow.states = {state};
  EXPECT_EQ(SecretInputs(workflow), (std::set<std::string>{"my_token", "pin"}));
  Masker masker;
  std::string variable = "GH_TOKEN=environment-secret";
  char* environment[] = {variable.data(), nullptr};
  LearnSecrets(workflow, {{"pin", 1234567890}, {"my_token", "input-secret"}, {"plain", "plain-text"}}, environment,
               masker);
  EXPECT_EQ(masker.MaskText("option-secret nested-secret environment-secret input-secret 1234567890"),
            "*** *** *** *** ***");
  EXPECT_EQ(masker.MaskText("plain-text a-long-model {{.inputs.plain}}"), "plain-text a-long-model {{.inputs.plain}}");
}

TEST(Identity, IsKnown) {
  EXPECT_FALSE(UserName().empty());
  EXPECT_FALSE(HostName().empty());
}

}  // namespace
}  // namespace awf::cli
