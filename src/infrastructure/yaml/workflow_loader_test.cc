#include "infrastructure/yaml/workflow_loader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "domain/test_folder.h"
#include "infrastructure/regex/re2_regex.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

ValidationContext Offline() {
  ValidationContext context;
  context.environment = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  return context;
}

Error OnlyError(const LoadedWorkflow& loaded) {
  EXPECT_EQ(loaded.findings.size(), 1U);
  return loaded.findings.empty() ? Error() : loaded.findings[0].error;
}

class LoaderTest : public testing::Test {
 protected:
  const TestFolder folder_;
};

TEST_F(LoaderTest, FilesThatAreNotThere) {
  const std::string missing = (folder_ / "none.yaml").string();
  EXPECT_EQ(OnlyError(LoadWorkflow(missing, Offline())),
            (Error{"USER.WORKFLOW.NOT_FOUND", "there is no file " + missing, "give the path of a .yaml file",
                   Position{missing, 0, 0}, "", ""}));
  EXPECT_EQ(OnlyError(LoadWorkflow("flow.txt", Offline())).hint, "workflow files end in .yaml or .yml");
  const std::string directory = (folder_ / "dir.yaml").string();
  fs::create_directory(directory);
  EXPECT_EQ(OnlyError(LoadWorkflow(directory, Offline())).message, directory + " is not a regular file");
  const std::string fifo = (folder_ / "fifo.yml").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(OnlyError(LoadWorkflow(fifo, Offline())).code, "USER.WORKFLOW.NOT_FOUND");
}

TEST_F(LoaderTest, FilesThatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = (folder_ / "secret.yaml").string();
  std::ofstream(path) << "name: x\n";
  fs::permissions(path, fs::perms::none);
  EXPECT_EQ(OnlyError(LoadWorkflow(path, Offline())).code, "SYSTEM.IO.PERMISSION_DENIED");
}

TEST_F(LoaderTest, FilesThatAreTooLarge) {
  const std::string path = (folder_ / "large.yaml").string();
  std::ofstream(path) << "name: " << std::string(5U << 20, 'x') << "\n";
  const Error error = OnlyError(LoadWorkflow(path, Offline()));
  EXPECT_EQ(error.code, "WORKFLOW.PARSE.YAML_SYNTAX");
  EXPECT_EQ(error.message, "the file is larger than 4 MiB");
}

TEST(WorkflowLoader, BuildsTheWholeModel) {
  const std::string text = R"(name: flow
version: 1.10
description: what it does
inputs:
  - {name: count, type: integer, description: how many, required: true, default: 0x10, secret: true}
  - {name: count2, type: integer, default: 16}
states:
  initial: one
  one:
    type: command
    description: first
    command: echo {{.inputs.count2}}
    dir: sub
    timeout: 1.5
    on_success: two
    on_failure: {message: over, status: 9}
  two:
    type: agent
    provider: claude
    prompt: |
      hello
    system_prompt: be good
    timeout: "{{.inputs.count2}}"
    options: {model: 4.10, env: {A: true}, extra_args: [-x, 7]}
    mcp_proxy:
      enable: true
      intercept_builtins: true
      sandbox: {mode: read-only, write: [/a], read: [b], network: false}
      isolation: required
      env: {pass: [A], drop: [B, C]}
      project_memory: false
    on_success: end
    on_failure: end
  end: {type: terminal, status: failure, message: bye}
)";
  const LoadedWorkflow loaded = LoadWorkflowText(text, "f.yaml", Offline());
  ASSERT_TRUE(loaded.workflow.has_value());
  EXPECT_EQ(loaded.source, text);
  const Workflow& flow = *loaded.workflow;
  // Hexadecimal is YAML's, not an input's; the value of a secret is not told.
  EXPECT_EQ(OnlyError(loaded).message, "the default is no integer");
  EXPECT_FALSE(loaded.Runnable());
  EXPECT_EQ(flow.name + "|" + flow.version + "|" + flow.description + "|" + flow.file, "flow|1.10|what it does|f.yaml");
  ASSERT_EQ(flow.inputs.size(), 2U);
  EXPECT_TRUE(flow.inputs[0].required && flow.inputs[0].secret);
  EXPECT_EQ(flow.inputs[0].description, "how many");
  EXPECT_EQ(flow.inputs[1].default_value, "16");
  EXPECT_EQ(flow.initial.state, "one");
  EXPECT_EQ(flow.initial.position, (Position{"f.yaml", 8, 12}));

  const State& one = flow.states[0];
  EXPECT_EQ(one.position, (Position{"f.yaml", 9, 3}));
  EXPECT_EQ(std::get<CommandState>(one.body).command.text, "echo {{.inputs.count2}}");
  EXPECT_EQ(one.dir.text, "sub");
  EXPECT_EQ(one.timeout->value, std::chrono::milliseconds(1500));
  EXPECT_EQ(one.on_success->state, "two");
  EXPECT_EQ(std::get<InlineFailure>(*one.on_failure).status, 9);
  EXPECT_EQ(std::get<InlineFailure>(*one.on_failure).message.text, "over");

  const State& two = flow.states[1];
  const auto& agent = std::get<AgentState>(two.body);
  EXPECT_EQ(agent.prompt.text, "hello\n");
  EXPECT_EQ(agent.system_prompt.text, "be good");
  EXPECT_EQ(two.timeout->text.text, "{{.inputs.count2}}");
  EXPECT_EQ(json::serialize(agent.options), R"({"model":4.1E0,"env":{"A":true},"extra_args":["-x",7]})");
  EXPECT_EQ(agent.option_sources,
            (std::map<std::string, std::string>{{"model", "4.10"}, {"env.A", "true"}, {"extra_args[1]", "7"}}));
  EXPECT_EQ(agent.option_positions.at("model"), (Position{"f.yaml", 24, 15}));
  ASSERT_TRUE(agent.mcp_proxy.has_value());
  const McpProxySettings& proxy = *agent.mcp_proxy;
  EXPECT_TRUE(proxy.enable && proxy.intercept_builtins && proxy.isolation_required && !proxy.project_memory);
  EXPECT_EQ(proxy.sandbox.mode, SandboxMode::kReadOnly);
  EXPECT_TRUE(proxy.sandbox.explicit_mode && !proxy.sandbox.network);
  EXPECT_EQ(proxy.sandbox.write, std::vector<fs::path>{"/a"});
  EXPECT_EQ(proxy.sandbox.read, std::vector<fs::path>{"b"});
  EXPECT_EQ(proxy.env.pass, std::vector<std::string>{"A"});
  EXPECT_EQ(proxy.env.drop, (std::vector<std::string>{"B", "C"}));
  EXPECT_EQ(agent.mcp_proxy_position, (Position{"f.yaml", 25, 5}));
  EXPECT_EQ(std::get<StateTarget>(*two.on_failure).state, "end");

  const auto& end = std::get<TerminalState>(flow.states[2].body);
  EXPECT_FALSE(end.success);
  EXPECT_EQ(end.message.text, "bye");
}

TEST(WorkflowLoader, InputsWithTheirRules) {
  const Re2Compiler regexes;
  ValidationContext context = Offline();
  context.regexes = &regexes;
  const LoadedWorkflow loaded = LoadWorkflowText(R"(name: x
inputs:
  - {name: tag, required: true, default: v1, validation: {pattern: "^v", enum: [v1, 1.10]}}
  - {name: level, type: integer, validation: {min: -1, max: 0x10}}
  - {name: doc, validation: {file_exists: true, file_extension: [.md, .txt]}}
  - {name: bad, default: w1, validation: {pattern: "^v"}}
  - {name: hidden, secret: true, default: w1, validation: {pattern: "^v"}}
  - {name: broken, validation: {pattern: "a(b"}}
states: {initial: z, z: {type: terminal}}
)",
                                                 "f.yaml", context);
  ASSERT_EQ(loaded.workflow->inputs.size(), 6U);
  const std::vector<WorkflowInput>& inputs = loaded.workflow->inputs;
  EXPECT_TRUE(inputs[0].required);
  EXPECT_EQ(inputs[0].default_value, "v1");
  EXPECT_EQ(inputs[0].validation.pattern, "^v");
  EXPECT_EQ(inputs[0].validation.values, (std::vector<std::string>{"v1", "1.10"}));
  EXPECT_EQ(inputs[0].validation.position, (Position{"f.yaml", 3, 58}));
  EXPECT_EQ(inputs[1].validation.min, -1);
  EXPECT_EQ(inputs[1].validation.max, 16);
  EXPECT_TRUE(inputs[2].validation.file_exists);
  EXPECT_EQ(inputs[2].validation.file_extensions, (std::vector<std::string>{".md", ".txt"}));
  EXPECT_EQ(inputs[3].default_value, std::nullopt);
  ASSERT_EQ(loaded.findings.size(), 3U);
  EXPECT_EQ(loaded.findings[0].error.field, "inputs[3].default");
  EXPECT_EQ(loaded.findings[1].error.message.find("w1"), std::string::npos) << loaded.findings[1].error.message;
  EXPECT_EQ(loaded.findings[2].error.message.substr(0, 25), "the pattern is not valid:");
}

TEST(WorkflowLoader, FindingsTellStateFieldAndHint) {
  const LoadedWorkflow loaded = LoadWorkflowText(
      "name: x\nstates:\n  initial: a\n  a:\n    type: agent\n    provider: claude\n    prompt: hi\n"
      "    mcp_proxy: {enable: true, intercept_builtin: false}\n    on_success: z\n  z: {type: terminal}\n",
      "f.yaml", Offline());
  EXPECT_EQ(OnlyError(loaded), (Error{"USER.MCP_PROXY.UNKNOWN_KEY", "unknown key 'intercept_builtin'",
                                      "did you mean 'intercept_builtins'?", Position{"f.yaml", 8, 31}, "a",
                                      "mcp_proxy.intercept_builtin"}));
}

TEST(WorkflowLoader, FindingsOfAnAliasedMapAreToldOncePerState) {
  const LoadedWorkflow loaded = LoadWorkflowText(
      "name: x\nstates:\n  initial: a\n"
      "  a: {type: agent, provider: claude, prompt: hi, options: &o {env: {A: [1], B: [1]}}, on_success: b}\n"
      "  b: {type: agent, provider: claude, prompt: hi, options: *o, on_success: z}\n  z: {type: terminal}\n",
      "f.yaml", Offline());
  EXPECT_EQ(loaded.findings.size(), 4U);
}

TEST(WorkflowLoader, TheEnvironmentMayHoldTheEndpoint) {
  const char* text =
      "name: x\nstates:\n  initial: a\n  a: {type: agent, provider: openai_compatible, prompt: hi, on_success: z}\n"
      "  z: {type: terminal}\n";
  EXPECT_EQ(LoadWorkflowText(text, "f.yaml", Offline()).findings.size(), 2U);
  ValidationContext set;
  set.environment = [](const std::string&) -> std::optional<std::string> { return "http://localhost"; };
  EXPECT_TRUE(LoadWorkflowText(text, "f.yaml", set).Runnable());
}

TEST(WorkflowLoader, TheConfigurationMayHoldTheEndpoint) {
  const char* text =
      "name: x\nstates:\n  initial: a\n"
      "  a: {type: agent, provider: openai_compatible, prompt: hi, options: {max_tokens: 9}, on_success: z}\n"
      "  z: {type: terminal}\n";
  const std::map<std::string, ProviderConfig> providers = {
      {"openai_compatible", {"", {{"base_url", "http://localhost"}, {"model", "m"}, {"max_completion_tokens", 5}}}}};
  ValidationContext context = Offline();
  EXPECT_EQ(LoadWorkflowText(text, "f.yaml", context).findings.size(), 2U);
  context.providers = &providers;
  EXPECT_EQ(LoadWorkflowText(text, "f.yaml", context).findings.size(), 0U);
}

TEST(WorkflowLoader, ValuesOfTheWrongKindAreToldWithTheirKey) {
  const LoadedWorkflow loaded = LoadWorkflowText(
      "name: x\nstates:\n  initial: a\n  a:\n    type: step\n    command: ls\n    continue_on_error: 1\n"
      "    timeout: -1\n    retry: {max_attempts: 0, backoff: never}\n    on_success: z\n  z: {type: terminal}\n",
      "f.yaml", Offline());
  std::string messages;
  for (const Finding& finding : loaded.findings) messages += finding.error.message + "\n";
  EXPECT_EQ(messages,
            "continue_on_error must be true or false, but is a number\n"
            "timeout '-1' must not be negative\n"
            "retry.max_attempts must be an integer from 1 to 100\n"
            "retry.backoff 'never' is not one of constant, linear, exponential\n");
  EXPECT_EQ(OnlyError(LoadWorkflowText("- a\n", "f.yaml", Offline())).message,
            "the document must be a map, but is a list");
}

std::string Chain(int states) {
  std::string text = "name: x\nstates:\n  initial: s0\n";
  for (int i = 0; i < states; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "  s" + n + ": {type: step, command: 'echo {{.states.s" + n + ".Output}}', on_success: s" + next + "}\n";
  }
  return text;
}

// A file full of mistakes must not take minutes: no order checks beyond 1000 states.
TEST(WorkflowLoader, ManyStatesAreCheckedInTime) {
  const std::string end = "  s999: {type: terminal}\n";
  EXPECT_EQ(LoadWorkflowText(Chain(999) + end, "f.yaml", Offline()).findings.size(), 999U);
  const LoadedWorkflow loaded = LoadWorkflowText(Chain(10'000), "f.yaml", Offline());
  EXPECT_EQ(OnlyError(loaded).message, "there is no state 's10000'");
}

}  // namespace
}  // namespace awf
