#include "infrastructure/mcp/serve_config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "domain/test_folder.h"

namespace awf {
namespace {

ServeConfig SomeConfig() {
  ServeConfig config;
  config.socket = "/run/awf/x/channel";
  config.token = "0123456789abcdef";
  config.tools.root = "/project/\xFF dir";
  config.tools.sandbox = {SandboxMode::kStrict, true, {"/w"}, {"/r1", "/r2"}, false};
  config.tools.budget = {1, 2, 3, 4};
  config.tools.env = {{"A"}, {"B", "C"}};
  config.tools.secret_names = {"MY_KEY"};
  config.tools.environment = {"PATH=/bin", "BYTES=\xED\xA0\x80\x01\n\"", "EMPTY="};
  config.tools.private_folder = "/run/awf/x";
  config.tools.max_timeout_ms = 1234;
  config.tools.deadline = SteadyClock::time_point(std::chrono::milliseconds(987'654'321));
  config.intercept_builtins = false;
  ForwardedTool tool;
  tool.definition.name = "forge_create";
  tool.definition.description = "creates\n";
  tool.definition.input_schema =
      json::parse(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})").as_object();
  tool.definition.source = "plugin:forge";
  tool.definition.rules.aliases = {{"count", "n", ArgumentAlias::Transform::kCopy},
                                   {"till", "n", ArgumentAlias::Transform::kEndToCount}};
  tool.definition.rules.hidden = json::parse(R"({"quiet":{"type":"boolean"}})").as_object();
  tool.definition.rules.ignored = {"wait_for_previous"};
  tool.definition.rules.checked = json::parse(R"({"n":{"type":"number","minimum":0.1}})").as_object();
  tool.plugin = "forge";
  tool.operation = "create";
  config.plugin_tools = {tool};
  config.instructions = "Be \"good\".\n";
  config.content = true;
  config.tools.trace = {"0af7651916cd43dd8448eb211c80319c", false, "vendor=1"};
  config.step_span_id = "b7ad6b7169203331";
  return config;
}

TEST(ServeConfig, GoesThereAndBack) {
  const ServeConfig config = SomeConfig();
  const auto back = DecodeServeConfig(EncodeServeConfig(config), "f");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->socket, config.socket);
  EXPECT_EQ(back->token, config.token);
  EXPECT_EQ(back->tools.root, config.tools.root);
  EXPECT_EQ(back->tools.sandbox.mode, SandboxMode::kStrict);
  EXPECT_TRUE(back->tools.sandbox.explicit_mode);
  EXPECT_EQ(back->tools.sandbox.write, config.tools.sandbox.write);
  EXPECT_EQ(back->tools.sandbox.read, config.tools.sandbox.read);
  EXPECT_FALSE(back->tools.sandbox.network);
  EXPECT_EQ(back->tools.budget.characters, 1U);
  EXPECT_EQ(back->tools.budget.bytes, 2U);
  EXPECT_EQ(back->tools.budget.error, 3U);
  EXPECT_EQ(back->tools.budget.lines, 4U);
  EXPECT_EQ(back->tools.env.pass, config.tools.env.pass);
  EXPECT_EQ(back->tools.env.drop, config.tools.env.drop);
  EXPECT_EQ(back->tools.secret_names, config.tools.secret_names);
  EXPECT_EQ(back->tools.environment, config.tools.environment);
  EXPECT_EQ(back->tools.private_folder, config.tools.private_folder);
  EXPECT_EQ(back->tools.max_timeout_ms, 1234);
  EXPECT_EQ(back->tools.deadline, config.tools.deadline);
  EXPECT_FALSE(back->intercept_builtins);
  ASSERT_EQ(back->plugin_tools.size(), 1U);
  const ForwardedTool& tool = back->plugin_tools[0];
  EXPECT_EQ(tool.plugin, "forge");
  EXPECT_EQ(tool.operation, "create");
  EXPECT_EQ(tool.definition.name, "forge_create");
  EXPECT_EQ(tool.definition.description, "creates\n");
  EXPECT_EQ(tool.definition.input_schema, config.plugin_tools[0].definition.input_schema);
  EXPECT_EQ(tool.definition.source, "plugin:forge");
  ASSERT_EQ(tool.definition.rules.aliases.size(), 2U);
  EXPECT_EQ(tool.definition.rules.aliases[1].name, "till");
  EXPECT_EQ(tool.definition.rules.aliases[1].canonical, "n");
  EXPECT_EQ(tool.definition.rules.aliases[1].transform, ArgumentAlias::Transform::kEndToCount);
  EXPECT_EQ(tool.definition.rules.hidden, config.plugin_tools[0].definition.rules.hidden);
  EXPECT_EQ(tool.definition.rules.checked, config.plugin_tools[0].definition.rules.checked);
  EXPECT_EQ(tool.definition.rules.ignored, std::vector<std::string>{"wait_for_previous"});
  EXPECT_EQ(back->instructions, config.instructions);
  EXPECT_TRUE(back->content);
  EXPECT_EQ(back->tools.trace.trace_id, config.tools.trace.trace_id);
  EXPECT_FALSE(back->tools.trace.sampled);
  EXPECT_EQ(back->tools.trace.trace_state, "vendor=1");
  EXPECT_EQ(back->step_span_id, config.step_span_id);
}

TEST(ServeConfig, NoDeadlineIsNull) {
  ServeConfig config = SomeConfig();
  config.tools.deadline.reset();
  const std::string text = EncodeServeConfig(config);
  EXPECT_NE(text.find("\"deadline_ms\":null"), std::string::npos);
  EXPECT_EQ(DecodeServeConfig(text, "f")->tools.deadline, std::nullopt);
}

// The text of SomeConfig with one piece replaced.
std::string Changed(std::string_view from, std::string_view to) {
  std::string text = EncodeServeConfig(SomeConfig());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Error FaultOf(const std::string& text) {
  const auto config = DecodeServeConfig(text, "serve.json");
  EXPECT_FALSE(config);
  return config ? Error{} : config.error();
}

TEST(ServeConfig, UnknownKeysAreErrorsWithPositionAndHint) {
  const Error error = FaultOf(Changed("\"socket\":", "\n  \"sockets\":1,\"socket\":"));
  EXPECT_EQ(error.code, "USER.INPUT.INVALID_FORMAT");
  EXPECT_EQ(error.message, "unknown key 'sockets'");
  EXPECT_EQ(error.hint, "Did you mean socket?");
  EXPECT_EQ(error.position, (Position{"serve.json", 2, 3}));
  EXPECT_EQ(error.field, "sockets");
}

TEST(ServeConfig, UnknownKeysInsideAreFoundToo) {
  const Error error = FaultOf(Changed("\"explicit\":", "\n\"x\":[{\"y\":\"},]\"}],\n \"explcit\":"));
  EXPECT_EQ(error.message, "missing key 'tools.sandbox.explicit'");
  EXPECT_EQ(error.position.line, 1U);  // of the object that lacks it
  const Error unknown = FaultOf(Changed("\"explicit\":", "\n\"x\":[{\"y\":\"},]\"}],\n \"explicit\":"));
  EXPECT_EQ(unknown.message, "unknown key 'tools.sandbox.x'");
  EXPECT_EQ(unknown.position, (Position{"serve.json", 2, 1}));
}

TEST(ServeConfig, MissingKeysAreErrors) {
  EXPECT_EQ(FaultOf("{}").message, "missing key 'version'");
  EXPECT_EQ(FaultOf("{}").position, (Position{"serve.json", 1, 1}));
  EXPECT_EQ(FaultOf(Changed("\"token\":\"0123456789abcdef\",", "")).message, "missing key 'token'");
}

TEST(ServeConfig, WrongValuesAreErrorsAtTheirKey) {
  Error error = FaultOf(Changed("\"network\":false", "\n\"network\":0"));
  EXPECT_EQ(error.message, "'tools.sandbox.network' must be true or false");
  EXPECT_EQ(error.position, (Position{"serve.json", 2, 1}));
  EXPECT_EQ(FaultOf(Changed("\"strict\"", "\"loose\"")).message,
            "'tools.sandbox.mode' must be workspace-write, read-only, strict or off");
  EXPECT_EQ(FaultOf(Changed("\"max_timeout_ms\":1234", "\"max_timeout_ms\":-1")).message,
            "'tools.max_timeout_ms' must be an integer of 0 or more");
  EXPECT_EQ(FaultOf(Changed("[\"MY_KEY\"]", "[7]")).message, "'tools.secret_names' must be a list of strings");
  EXPECT_EQ(FaultOf(Changed("\"version\":1", "\"version\":2")).message, "'version' must be 1");
  EXPECT_EQ(FaultOf(Changed("\"root\":\"/", "\"root\":\"")).message, "'tools.root' must be an absolute path");
  EXPECT_EQ(FaultOf(Changed("987654321", "9223372036854775807")).message,
            "'tools.deadline_ms' must be milliseconds of the monotonic clock, or null");
}

TEST(ServeConfig, FaultsOfPluginToolsAreFoundWhereTheyStand) {
  Error error = FaultOf(Changed("\"operation\":\"create\"", "\n \"operation\":7"));
  EXPECT_EQ(error.message, "'plugin_tools.0.operation' must be a string");
  EXPECT_EQ(error.position, (Position{"serve.json", 2, 2}));
  EXPECT_EQ(error.field, "plugin_tools.0.operation");
  error = FaultOf(Changed("\"end_to_count\"", "\"sideways\""));
  EXPECT_EQ(error.message,
            "'plugin_tools.0.rules.aliases.1.transform' must be copy, negate, seconds_to_ms or end_to_count");
  EXPECT_EQ(FaultOf(Changed("\"plugin\":\"forge\"", "\"plugins\":1")).message, "missing key 'plugin_tools.0.plugin'");
  error = FaultOf(Changed("\"operation\":\"create\"", "\"operation\":\"create\",\"operatin\":1"));
  EXPECT_EQ(error.message, "unknown key 'plugin_tools.0.operatin'");
  EXPECT_EQ(error.hint, "Did you mean operation?");
  EXPECT_EQ(FaultOf(Changed("\"hidden\":{", "\"hidden\":1,\"x\":{")).message,
            "'plugin_tools.0.rules.hidden' must be an object");
  EXPECT_EQ(FaultOf(Changed("\"plugin_tools\":[", "\"plugin_tools\":[7,")).message,
            "'plugin_tools' must be a list of objects");
}

TEST(ServeConfig, SchemasMayNestDeeplyAndNoToolsAreAnEmptyList) {
  ServeConfig config = SomeConfig();
  json::object schema;
  for (int i = 0; i < 60; ++i) schema = {{"items", schema}};
  config.plugin_tools[0].definition.input_schema = schema;
  const auto back = DecodeServeConfig(EncodeServeConfig(config), "f");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->plugin_tools[0].definition.input_schema, schema);
  config.plugin_tools.clear();
  const std::string text = EncodeServeConfig(config);
  EXPECT_NE(text.find("\"plugin_tools\":[]"), std::string::npos);
  EXPECT_TRUE(DecodeServeConfig(text, "f")->plugin_tools.empty());
}

TEST(ServeConfig, WhatIsNoJsonIsAnErrorWithPosition) {
  EXPECT_EQ(FaultOf("").position, (Position{"serve.json", 1, 1}));
  EXPECT_EQ(FaultOf("[]").message, "the configuration must be an object");
  const Error error = FaultOf("{\n \"a\": nope}");
  EXPECT_EQ(error.message.substr(0, 14), "not valid JSON");
  EXPECT_EQ(error.position.line, 2U);
}

class LoadServeConfigTest : public testing::Test {
 protected:
  void Write(const std::string& text, mode_t mode) {
    std::ofstream(path_) << text;
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }

  const TestFolder folder_;
  const std::filesystem::path path_ = folder_ / "serve.json";
};

TEST_F(LoadServeConfigTest, ReadsAPrivateFile) {
  Write(EncodeServeConfig(SomeConfig()), 0600);
  const auto config = LoadServeConfig(path_);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->token, "0123456789abcdef");
}

TEST_F(LoadServeConfigTest, RefusesAFileThatOthersMayRead) {
  Write(EncodeServeConfig(SomeConfig()), 0644);
  const auto config = LoadServeConfig(path_);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, "SYSTEM.IO.READ_FAILED");
  EXPECT_NE(config.error().message.find("0600"), std::string::npos);
}

TEST_F(LoadServeConfigTest, RefusesWhatIsMissingOrNoFile) {
  EXPECT_NE(LoadServeConfig(path_).error().message.find("No such file"), std::string::npos);
  EXPECT_NE(LoadServeConfig(folder_).error().message.find("not a regular file"), std::string::npos);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NE(LoadServeConfig(path_).error().message.find("not a regular file"), std::string::npos);
}

TEST_F(LoadServeConfigTest, NamesTheFileInPositions) {
  Write("{}", 0600);
  EXPECT_EQ(LoadServeConfig(path_).error().position, (Position{path_.string(), 1, 1}));
}

}  // namespace
}  // namespace awf
