#include "application/tools/plugin_tool_adapter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "application/tools/test_operation_provider.h"

namespace awf {
namespace {

Operation Op(std::string name, std::vector<OperationInput> inputs = {}) {
  return {std::move(name), {}, std::move(inputs), {}};
}

std::shared_ptr<FakeOperations> Plugin(std::string name, std::vector<Operation> operations) {
  return std::make_shared<FakeOperations>(std::move(name), std::move(operations));
}

std::string Text(const ToolResult& result) { return std::get<TextContent>(result.content.at(0)).text; }

class PluginToolAdapterTest : public testing::Test {
 protected:
  std::shared_ptr<PluginToolAdapter> Adapter(const std::vector<std::string>& operations = {"add", "list"}) {
    return PluginToolAdapter::Make(plugin_, operations, settings_).value();
  }
  ToolResult Call(std::string_view tool, const json::object& arguments) {
    return Adapter()->Call({"00f067aa0ba902b7", tool, arguments, deadline_, stop_.get_token()});
  }

  std::shared_ptr<FakeOperations> plugin_ =
      Plugin("demo", {Op("list"), Op("add", {{"a", "integer", true, "", "first", ""},
                                             {"tags", "array", false, "", "", ""},
                                             {"where", "string", false, "", "", "url"}})});
  ToolSettings settings_;
  Deadline deadline_ = SteadyClock::now() + std::chrono::hours(1);
  std::stop_source stop_;
};

TEST_F(PluginToolAdapterTest, OffersOperationsAsTools) {
  const std::vector<ToolDefinition> tools = Adapter()->Tools();
  ASSERT_EQ(tools.size(), 2U);
  EXPECT_EQ(tools[0].name, "demo_add");
  EXPECT_EQ(tools[0].source, "plugin:demo");
  EXPECT_EQ(tools[0].description, "add operation of plugin demo");
  EXPECT_EQ(json::serialize(tools[0].input_schema),
            R"({"type":"object","properties":{"a":{"type":"integer","description":"first"},)"
            R"("tags":{"type":"array","items":{"type":"string"}},"where":{"type":"string","description":"a URL"}},)"
            R"("required":["a"]})");
  EXPECT_EQ(json::serialize(tools[0].rules.checked),
            R"({"a":{"type":"integer","maximum":18446744073709551615},"tags":{"type":"array"}})");
  const Annotations& hints = tools[0].annotations;
  EXPECT_FALSE(hints.read_only || hints.destructive || hints.idempotent || hints.open_world);
  EXPECT_EQ(tools[1].name, "demo_list");
  EXPECT_EQ(json::serialize(tools[1].input_schema), R"({"type":"object","properties":{}})");
}

TEST_F(PluginToolAdapterTest, CallsTheOperation) {
  settings_.trace = {"4bf92f3577b34da6a3ce929d0e0e4736", true, "v=1"};
  int calls = 0;
  plugin_->on_call = [&](const OperationCall& call) {
    ++calls;
    EXPECT_EQ(call.id, "00f067aa0ba902b7");
    EXPECT_EQ(call.operation, "add");
    EXPECT_EQ(json::serialize(call.inputs), R"({"a":18446744073709551615,"tags":[1,{"k":null}]})");
    EXPECT_EQ(call.deadline, deadline_);
    EXPECT_FALSE(call.cancelled.stop_requested());
    stop_.request_stop();
    EXPECT_TRUE(call.cancelled.stop_requested());
    EXPECT_EQ(call.traceparent, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    EXPECT_EQ(call.tracestate, "v=1");
    OperationResult result;
    result.success = true;
    result.data = {{"sum", 3}};
    result.rpc = RpcRecord{"s", "Execute", 0, {}, {}};
    return result;
  };
  const ToolResult result =
      Call("demo_add", {{"a", 18446744073709551615U}, {"tags", {1, json::value{{"k", nullptr}}}}});
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(Text(result), R"({"sum":3})");
  EXPECT_EQ(result.fields.rpc->method, "Execute");
}

TEST_F(PluginToolAdapterTest, WithoutATraceNothingIsPassedOn) {
  plugin_->on_call = [&](const OperationCall& call) {
    EXPECT_EQ(call.traceparent + call.tracestate, "");
    return OperationResult{};
  };
  EXPECT_TRUE(Call("demo_list", {{"any", {1, 2}}}).is_error);
}

TEST_F(PluginToolAdapterTest, BadInputsNeverReachThePlugin) {
  plugin_->on_call = [](const OperationCall&) {
    ADD_FAILURE() << "called";
    return OperationResult{};
  };
  const ToolResult result = Call("demo_add", {{"a", "5"}, {"where", "nowhere"}, {"tag", 1}});
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(Text(result),
            "invalid arguments: 'a' must be an integer, got \"5\"; 'where' must be a URL, scheme://host/path; "
            "unknown argument 'tag' (did you mean 'tags'?)");
  EXPECT_TRUE(result.fields.invalid_arguments);
  plugin_->on_call = [](const OperationCall&) { return OperationResult{}; };
  EXPECT_FALSE(Call("demo_list", {}).fields.invalid_arguments);
}

TEST_F(PluginToolAdapterTest, ResultsKeepToTheBudget) {
  settings_.budget = {.characters = 200, .bytes = 200, .error = 100};
  plugin_->on_call = [](const OperationCall&) {
    OperationResult result;
    result.success = true;
    result.output = std::string(1000, 'x');
    return result;
  };
  const ToolResult result = Call("demo_list", {});
  EXPECT_TRUE(result.fields.truncated);
  EXPECT_LE(Text(result).size(), 200U);
}

TEST_F(PluginToolAdapterTest, MakeRefusesWhatCannotBeOffered) {
  const auto error = [&](const std::vector<std::string>& operations) {
    return PluginToolAdapter::Make(plugin_, operations, settings_).error();
  };
  EXPECT_EQ(error({"lists"}).code, "USER.MCP_PROXY.UNKNOWN_OPERATION");
  EXPECT_EQ(error({"lists"}).message, "plugin 'demo' has no operation 'lists'; it has add, list");
  EXPECT_EQ(error({"lists"}).hint, "did you mean 'list'?");
  EXPECT_EQ(error({"list", "add", "list"}).code, "USER.MCP_PROXY.NAME_COLLISION");
  plugin_ = Plugin("demo", {Op("a.b"), Op("f", {{"x", "file", false, "", "", ""}})});
  EXPECT_EQ(error({"a.b"}).code, "USER.MCP_PROXY.INVALID_NAME");
  EXPECT_EQ(error({"f"}).code, "EXECUTION.PLUGIN.INIT");
  EXPECT_EQ(error({"f"}).message,
            "plugin demo: input 'x' of operation 'f' has the type 'file'; types are string, integer, number, "
            "boolean, array, object");
  plugin_ = Plugin("demo", {Op("f", {{"x", "", false, "", "", ""}})});
  EXPECT_EQ(Adapter({"f"})->warnings(), std::vector<std::string>{"input 'x' of operation 'f' has no type"});
}

PluginToolsEntry Entry(std::string plugin, std::size_t line, std::vector<std::string> operations) {
  PluginToolsEntry entry{std::move(plugin), {}, {"w.yaml", line, 3}};
  for (std::string& operation : operations)
    entry.expose.push_back({std::move(operation), {"w.yaml", line, 10 + entry.expose.size()}});
  return entry;
}

class MakePluginToolsTest : public testing::Test {
 protected:
  Error ErrorOf(std::vector<PluginToolsEntry> entries) {
    proxy_.plugin_tools = std::move(entries);
    return MakePluginTools(proxy_, providers_, {}).error();
  }

  McpProxySettings proxy_;
  std::vector<std::shared_ptr<OperationProvider>> providers_ = {
      Plugin("a_b", {Op("c"), Op("d")}), Plugin("a", {Op("b_c"), Op("x"), Op("y")}), Plugin("k8s-prod", {Op("get")}),
      Plugin("k8s_prod", {Op("get")})};
};

TEST_F(MakePluginToolsTest, EntriesOfOnePluginAreTakenTogether) {
  proxy_.plugin_tools = {Entry("a", 1, {"x"}), Entry("a_b", 2, {"d"}), Entry("a", 3, {"y"})};
  const auto adapters = MakePluginTools(proxy_, providers_, {});
  ASSERT_TRUE(adapters);
  std::vector<std::string> names;
  for (const auto& adapter : *adapters)
    for (const ToolDefinition& tool : adapter->Tools()) names.push_back(tool.source + " " + tool.name);
  EXPECT_EQ(names, (std::vector<std::string>{"plugin:a a_x", "plugin:a a_y", "plugin:a_b a_b_d"}));
}

TEST_F(MakePluginToolsTest, CollisionsAreFoundAtTheLaterPlace) {
  for (const Error& error : {ErrorOf({Entry("a_b", 1, {"d", "c"}), Entry("a", 2, {"x", "b_c"})}),
                             ErrorOf({Entry("a", 1, {"x"}), Entry("a", 2, {"y", "x"})})}) {
    EXPECT_EQ(error.code, "USER.MCP_PROXY.NAME_COLLISION");
    EXPECT_EQ(error.position, (Position{"w.yaml", 2, 11}));
    EXPECT_EQ(error.field, "mcp_proxy.plugin_tools");
  }
  const Error folded = ErrorOf({Entry("k8s-prod", 1, {"get"}), Entry("k8s_prod", 2, {"get"})});
  EXPECT_EQ(folded.code, "USER.MCP_PROXY.NAME_COLLISION");
  EXPECT_EQ(folded.position, (Position{"w.yaml", 2, 10}));
}

TEST_F(MakePluginToolsTest, UnknownThingsAreFoundAtTheirPlace) {
  const Error operation = ErrorOf({Entry("a", 1, {"x", "z"})});
  EXPECT_EQ(operation.code, "USER.MCP_PROXY.UNKNOWN_OPERATION");
  EXPECT_EQ(operation.position, (Position{"w.yaml", 1, 11}));
  const Error plugin = ErrorOf({Entry("a", 1, {"x"}), Entry("b", 2, {"x"})});
  EXPECT_EQ(plugin.code, "USER.MCP_PROXY.UNKNOWN_PLUGIN");
  EXPECT_EQ(plugin.position, (Position{"w.yaml", 2, 3}));
}

TEST_F(PluginToolAdapterTest, CallsRunAtTheSameTime) {
  std::atomic<int> inside = 0;
  plugin_->on_call = [&](const OperationCall&) {
    ++inside;
    const auto end = SteadyClock::now() + std::chrono::seconds(30);
    while (inside < 2 && SteadyClock::now() < end) std::this_thread::yield();
    EXPECT_EQ(inside, 2);
    OperationResult result;
    result.success = true;
    return result;
  };
  const auto adapter = Adapter();
  const json::object none;
  std::jthread other([&] { adapter->Call({"a", "demo_list", none, {}, {}}); });
  adapter->Call({"b", "demo_list", none, {}, {}});
}

}  // namespace
}  // namespace awf
