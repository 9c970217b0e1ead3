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

TEST(ChooseTrace, FindsConsoleAndCollectors) {
  const TraceTarget console = Chosen(Exporter("console"));
  EXPECT_TRUE(console.console);
  EXPECT_FALSE(console.collector);
  const std::string grpc = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
  for (const auto& [name, url] : {std::pair<std::string, std::string>{"otlp", "http://localhost:4317" + grpc},
                                  {"otlp-http", "http://localhost:4318/v1/traces"},
                                  {"localhost:1", "http://localhost:1" + grpc},
                                  {"https://x/y", "https://x/y"}}) {
    const TraceTarget target = Chosen(Exporter(name));
    ASSERT_TRUE(target.collector) << name;
    EXPECT_EQ(target.collector->url, url);
    EXPECT_TRUE(target.any());
  }
  const TraceTarget off = Chosen(Exporter("otlp"), {{"OTEL_SDK_DISABLED", "TRUE"}});
  EXPECT_FALSE(off.any());
}

TEST(ChooseTrace, NamesWhereAnUnknownOneComesFrom) {
  struct Case {
    std::string flag, variable, configured, message, hint;
  };
  for (const Case& c : {Case{"File", "", "", "--otel-exporter: there is no exporter 'File'", "did you mean 'file'?"},
                        {"", "oltp", "", "OTEL_TRACES_EXPORTER: there is no exporter 'oltp'", "did you mean 'otlp'?"},
                        {"", "", "jaeger", "telemetry.exporter of the configuration: there is no exporter 'jaeger'",
                         "Use none, otlp, otlp-http, console, file, file:PATH, HOST:PORT or a URL."},
                        {"", "otlp,console", "", "OTEL_TRACES_EXPORTER: there can be one exporter only",
                         "Choose one; --trace-file may stand beside it."}}) {
    RunOptions options;
    if (!c.flag.empty()) options.otel_exporter = c.flag;
    options.config.telemetry.exporter = c.configured;
    std::map<std::string, std::string> variables;
    if (!c.variable.empty()) variables["OTEL_TRACES_EXPORTER"] = c.variable;
    const auto target = ChooseTrace(options, From(variables));
    ASSERT_FALSE(target) << c.message;
    EXPECT_EQ(target.error().code, "USER.INPUT.INVALID_FORMAT");
    EXPECT_EQ(target.error().message, c.message);
    EXPECT_EQ(target.error().hint, c.hint);
  }
}

TEST(ChooseTrace, AnEmptyFlagIsNoneAndWins) {
  RunOptions options = Exporter("");
  options.config.telemetry.exporter = "file:/configured";
  EXPECT_FALSE(Chosen(options, {{"OTEL_TRACES_EXPORTER", "file"}}).any());
}

TEST(ChooseTrace, VariablesMustBeUnderstoodWhereTheyCount) {
  const std::string attributes = "OTEL_RESOURCE_ATTRIBUTES", disabled = "OTEL_SDK_DISABLED";
  struct Case {
    std::string flag;
    std::map<std::string, std::string> variables;
    std::string message;
  };
  for (const Case& c :
       {Case{"file", {{disabled, "maybe"}}, "OTEL_SDK_DISABLED: 'maybe' is neither true nor false"},
        {"otpl", {{disabled, "true"}}, "--otel-exporter: there is no exporter 'otpl'"},
        {"file", {{attributes, "foo"}}, "OTEL_RESOURCE_ATTRIBUTES: pair 1 has no '='"},
        {"otlp", {{attributes, "a=%zz"}}, "OTEL_RESOURCE_ATTRIBUTES: pair 1 holds a '%' that begins no %XX"}}) {
    const auto target = ChooseTrace(Exporter(c.flag), From(c.variables));
    ASSERT_FALSE(target) << c.message;
    EXPECT_EQ(target.error().code, "USER.INPUT.INVALID_FORMAT");
    EXPECT_EQ(target.error().message, c.message);
  }
  EXPECT_FALSE(Chosen({}, {{disabled, "maybe"}, {attributes, "foo"}}).any());
  EXPECT_FALSE(
      Chosen(Exporter("otlp"), {{disabled, "True"}, {attributes, "foo"}, {"OTEL_BSP_MAX_QUEUE_SIZE", "no"}}).any());
  RunOptions file = Exporter("otlp");
  file.trace_file = true;
  EXPECT_TRUE(Chosen(file, {{disabled, "true"}}).in_run_folder);
  EXPECT_FALSE(Chosen(file, {{disabled, "true"}}).collector);
}

TEST(ExportSecrets, AreThoseOfResourceAttributesToo) {
  EXPECT_EQ(ExportSecrets({}, {}, From({{"OTEL_RESOURCE_ATTRIBUTES", "team=x,api_token=resSecretValue1"}})),
            std::vector<std::string>{"resSecretValue1"});
}

TEST(ChooseTrace, TheConfigurationIsTheWeakest) {
  RunOptions options;
  options.config.telemetry.exporter = "file:/configured";
  EXPECT_EQ(ChooseTrace(options, From({}))->file, "/configured");
  EXPECT_FALSE(ChooseTrace(options, From({{"OTEL_TRACES_EXPORTER", "none"}}))->any());
  options.otel_exporter = "file:/flag";
  EXPECT_EQ(ChooseTrace(options, From({}))->file, "/flag");
}

TEST(Unsampled, LeavesTheFilesThatAFlagAsksFor) {
  RunOptions flags = Exporter("file:/x");
  flags.trace_file = true;
  EXPECT_TRUE(Unsampled(Chosen(flags), flags).in_run_folder);
  EXPECT_EQ(Unsampled(Chosen(flags), flags).file, "/x");
  for (const char* name : {"otlp", "console"}) EXPECT_FALSE(Unsampled(Chosen(Exporter(name)), Exporter(name)).any());
  const std::map<std::string, std::string> file = {{"OTEL_TRACES_EXPORTER", "file"}};
  EXPECT_FALSE(Unsampled(Chosen({}, file), {}).any());
  RunOptions beside;
  beside.trace_file = true;
  EXPECT_TRUE(Unsampled(Chosen(beside, file), beside).in_run_folder);
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
  // An input that a template makes a key is one.
  EXPECT_EQ(masker.MaskText("plain-text a-long-model {{.inputs.plain}}"), "*** a-long-model {{.inputs.plain}}");
}

TEST(Identity, IsKnown) {
  EXPECT_FALSE(UserName().empty());
  EXPECT_FALSE(HostName().empty());
}

TEST(ChooseTranscript, ConfigurationTellsHowMuchAndTheFlagThatThereIsOne) {
  RunOptions options;
  EXPECT_EQ(ChooseTranscript(options), std::nullopt);
  options.transcript = true;
  EXPECT_EQ(ChooseTranscript(options), TranscriptContent::kText);
  for (const bool flag : {false, true}) {
    options.transcript = flag;
    options.config.transcript_content = "none";
    EXPECT_EQ(ChooseTranscript(options), TranscriptContent::kNone);
    options.config.transcript_content = "text";
    EXPECT_EQ(ChooseTranscript(options), TranscriptContent::kText);
    options.config.transcript_content = "full";
    EXPECT_EQ(ChooseTranscript(options), TranscriptContent::kFull);
  }
}

}  // namespace
}  // namespace awf::cli
