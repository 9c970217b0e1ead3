// What findings about plugins say; where they stand is told by tests/fixtures/workflows.
#include "application/validation/plugin_checker.h"

#include <gtest/gtest.h>

#include "application/validation/test_catalogue.h"
#include "application/validation/test_workflows.h"

namespace awf {
namespace {

class PluginCheckerTest : public testing::Test {
 protected:
  using Entry = std::pair<std::string, std::vector<std::string>>;

  // The exposed operations of entry I stand in line 10 + I, from column 20 on; the plugin in column 5.
  static AgentState Agent(const std::vector<Entry>& entries) {
    AgentState agent;
    agent.mcp_proxy.emplace();
    agent.mcp_proxy->enable = true;
    for (const auto& [plugin, operations] : entries) {
      const std::size_t line = 10 + agent.mcp_proxy->plugin_tools.size();
      PluginToolsEntry entry{plugin, {}, {"x.yaml", line, 5}};
      for (const std::string& operation : operations)
        entry.expose.push_back({operation, {"x.yaml", line, 20 + entry.expose.size()}});
      agent.mcp_proxy->plugin_tools.push_back(std::move(entry));
    }
    return agent;
  }

  void Check(const std::vector<Entry>& entries) { checker_.Check(state_, Agent(entries)); }

  void Step(std::string plugin, std::string operation, json::object inputs) {
    OperationState step;
    step.plugin = std::move(plugin);
    step.operation = std::move(operation);
    step.position = {"x.yaml", 1, 1};
    step.inputs = std::move(inputs);
    std::size_t line = 1;
    for (const auto& [name, value] : step.inputs) {
      step.input_positions[std::string(name)] = {"x.yaml", ++line, 2};
      if (!value.is_string() && !value.is_structured()) step.input_sources[std::string(name)] = "as spelt";
    }
    checker_.Check(state_, step);
  }

  // "line:column field code: message (hint)", and the list is empty again.
  std::vector<std::string> Found() {
    std::vector<std::string> lines;
    for (const Finding& finding : findings_) {
      const Error& error = finding.error;
      EXPECT_EQ(error.step, "s");
      lines.push_back((finding.severity == Severity::kWarning ? "W " : "") + std::to_string(error.position.line) + ":" +
                      std::to_string(error.position.column) + " " + error.field + " " + error.code + ": " +
                      error.message + (error.hint.empty() ? "" : " (" + error.hint + ")"));
    }
    findings_.clear();
    return lines;
  }

  FakeCatalogue catalogue_;
  std::vector<Finding> findings_;
  State state_ = [] {
    State state;
    state.name = "s";
    return state;
  }();
  PluginChecker checker_{catalogue_, findings_};
};

using Lines = std::vector<std::string>;

TEST_F(PluginCheckerTest, WhatIsThereIsFine) {
  Check({{"k8s", {"get", "list"}}, {"forge", {"list"}}, {"k8s", {"top"}}});
  Check({{"k8s", {"get"}}});  // another step may expose the same
  EXPECT_EQ(Found(), Lines());
  EXPECT_EQ(catalogue_.asked.at("k8s"), 1);
}

TEST_F(PluginCheckerTest, AProxyThatIsOffWantsNothing) {
  AgentState agent = Agent({{"nope", {"x"}}});
  agent.mcp_proxy->enable = false;
  checker_.Check(state_, agent);
  agent.mcp_proxy.reset();
  checker_.Check(state_, agent);
  EXPECT_EQ(Found(), Lines());
}

TEST_F(PluginCheckerTest, UnknownOperationsNameTheNearest) {
  Check({{"k8s", {"gte", "get", "delete"}}});
  EXPECT_EQ(Found(),
            (Lines{"10:20 mcp_proxy.plugin_tools[0].expose[0] USER.MCP_PROXY.UNKNOWN_OPERATION: plugin 'k8s' has no "
                   "operation 'gte'; it has get, list, top (did you mean 'get'?)",
                   "10:22 mcp_proxy.plugin_tools[0].expose[2] USER.MCP_PROXY.UNKNOWN_OPERATION: plugin 'k8s' has no "
                   "operation 'delete'; it has get, list, top"}));
}

TEST_F(PluginCheckerTest, ErrorsOfPluginsAreToldOncePerPlace) {
  Check({{"off", {"x", "y"}}, {"nope", {"x"}}, {"off", {"z"}}});
  EXPECT_EQ(Found(),
            (Lines{"10:5 mcp_proxy.plugin_tools[0].plugin EXECUTION.PLUGIN.DISABLED: plugin 'off' is disabled (awf "
                   "plugin enable off)",
                   "11:5 mcp_proxy.plugin_tools[1].plugin USER.MCP_PROXY.UNKNOWN_PLUGIN: plugin 'nope' not found in "
                   ".awf/plugins",
                   "12:5 mcp_proxy.plugin_tools[2].plugin EXECUTION.PLUGIN.DISABLED: plugin 'off' is disabled (awf "
                   "plugin enable off)"}));
  Step("nope", "x", {});
  EXPECT_EQ(Found(), Lines{"1:1 operation USER.MCP_PROXY.UNKNOWN_PLUGIN: plugin 'nope' not found in .awf/plugins"});
  EXPECT_EQ(catalogue_.asked.at("nope"), 1);
}

TEST_F(PluginCheckerTest, WhatIsNotKnownIsWarnedOfOncePerPlugin) {
  Check({{"later", {"x", "y"}}, {"later", {"z"}}});
  Step("later", "x", {{"anything", 1}});
  EXPECT_EQ(Found(), Lines{"W 10:5 mcp_proxy.plugin_tools[0].plugin USER.MCP_PROXY.UNKNOWN_OPERATION: the operations "
                           "of plugin 'later' are not known: it has never been started (awf plugin lock writes them "
                           "down)"});
}

TEST_F(PluginCheckerTest, WarningsOfASchemaAreToldOncePerOperation) {
  catalogue_.plugins["loose"] = {
      FakeCatalogue::Op("find", {{"what", "", true, {}, {}, {}}, {"where", "string", false, {}, {}, "path"}})};
  Check({{"loose", {"find"}}});
  Check({{"k8s", {"get"}}, {"loose", {"find"}}});
  Step("loose", "find", {{"what", "x"}});
  EXPECT_EQ(Found(), (Lines{"W 10:20 mcp_proxy.plugin_tools[0].expose[0] EXECUTION.PLUGIN.INIT: plugin 'loose': input "
                            "'what' of operation 'find' has no type (the plugin has to declare it in another way)",
                            "W 10:20 mcp_proxy.plugin_tools[0].expose[0] EXECUTION.PLUGIN.INIT: plugin 'loose': input "
                            "'where' of operation 'find' asks for the validation 'path', which is not made (the plugin "
                            "has to declare it in another way)"}));
}

TEST_F(PluginCheckerTest, NamesCollide) {
  Check({{"a_b", {"c"}}, {"a", {"b_c"}}});
  EXPECT_EQ(Found(), Lines{"11:20 mcp_proxy.plugin_tools[1].expose[0] USER.MCP_PROXY.NAME_COLLISION: two tools would "
                           "be named a_b_c: operation 'c' of plugin 'a_b' and operation 'b_c' of plugin 'a' (expose "
                           "only one of them)"});
  Check({{"k8s-prod", {"get"}}, {"k8s_prod", {"get"}}});
  EXPECT_EQ(Found(), Lines{"11:20 mcp_proxy.plugin_tools[1].expose[0] USER.MCP_PROXY.NAME_COLLISION: the tools "
                           "k8s-prod_get and k8s_prod_get have one name for clients that take '-' for '_' or ignore "
                           "case (expose only one of them)"});
  Check({{"k8s", {"get", "get"}}, {"k8s", {"get"}}});
  EXPECT_EQ(Found(), (Lines{"10:21 mcp_proxy.plugin_tools[0].expose[1] USER.MCP_PROXY.NAME_COLLISION: operation 'get' "
                            "of plugin 'k8s' is exposed twice (expose only one of them)",
                            "11:20 mcp_proxy.plugin_tools[1].expose[0] USER.MCP_PROXY.NAME_COLLISION: operation 'get' "
                            "of plugin 'k8s' is exposed twice (expose only one of them)"}));
  // Whether it is there or not.
  Check({{"later", {"x", "X"}}});
  const Lines found = Found();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[1].find("10:21 mcp_proxy.plugin_tools[0].expose[1] USER.MCP_PROXY.NAME_COLLISION"),
            std::string::npos);
}

TEST_F(PluginCheckerTest, NamesThatModelsRefuse) {
  Check({{"a", {"_x", "cal.list", "New Tool", std::string(60, 'n')}}});
  const Lines found = Found();
  ASSERT_EQ(found.size(), 4U);
  const char* reasons[] = {"it holds '__'", "it holds '.', allowed", "it holds ' ', allowed",
                           "it has 62 characters, allowed are 48"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NE(found[i].find("USER.MCP_PROXY.INVALID_NAME: operation '"), std::string::npos) << found[i];
    EXPECT_NE(found[i].find(reasons[i]), std::string::npos) << found[i];
  }
  Step("a", "cal.list", {});  // which is no tool
  EXPECT_EQ(Found(), Lines());
}

TEST_F(PluginCheckerTest, SchemasThatCannotBeOffered) {
  const std::string why =
      " EXECUTION.PLUGIN.INIT: plugin 'odd': input 'where' of operation 'read' has the type "
      "'file'; types are string, integer, number, boolean, array, object (the plugin has to "
      "declare it in another way)";
  Check({{"odd", {"read"}}});
  EXPECT_EQ(Found(), Lines{"10:20 mcp_proxy.plugin_tools[0].expose[0]" + why});
  Step("odd", "read", {});
  EXPECT_EQ(Found(), Lines{"1:1 operation" + why});
}

TEST_F(PluginCheckerTest, InputsOfAStepAreThoseDeclared) {
  Step("forge", "create_issue", {{"title", "t"}, {"labels", {1, "x"}}, {"number", 5}, {"due", "http://x"}});
  Step("forge", "create_issue", {{"title", 5}, {"due", nullptr}});
  Step("bare", "anything", {{"x", 1}, {"y", json::object()}});
  EXPECT_EQ(Found(), Lines());
  Step("forge", "create_issue", {{"tilte", "t"}, {"number", "five"}, {"labels", json::object()}, {"due", "soon"}});
  const std::string at = "operation forge.create_issue: ";
  EXPECT_EQ(
      Found(),
      (Lines{"1:1 inputs.title WORKFLOW.PARSE.MISSING_FIELD: " + at + "'title' is required",
             "4:2 inputs.labels WORKFLOW.PARSE.INVALID_VALUE: " + at + "'labels' must be an array, got an object",
             "3:2 inputs.number WORKFLOW.PARSE.INVALID_VALUE: " + at + "'number' must be an integer, got \"five\"",
             "5:2 inputs.due WORKFLOW.PARSE.INVALID_VALUE: " + at + "'due' must be a URL, scheme://host/path",
             "2:2 inputs.tilte WORKFLOW.PARSE.INVALID_VALUE: " + at +
                 "unknown argument 'tilte' (did you mean 'title'?)"}));
  Step("forge", "create_issue", {{"title", nullptr}});
  EXPECT_EQ(Found(), Lines{"2:2 inputs.title WORKFLOW.PARSE.INVALID_VALUE: " + at + "'title' is required"});
  Step("forge", "creat_issue", {{"x", 1}});
  EXPECT_EQ(Found(), Lines{"1:1 operation USER.MCP_PROXY.UNKNOWN_OPERATION: plugin 'forge' has no operation "
                           "'creat_issue'; it has create_issue, list (did you mean 'create_issue'?)"});
}

TEST_F(PluginCheckerTest, OfTemplatesOnlyTheNameIsKnown) {
  const json::value text("{{.inputs.x}}");
  Step("forge", "create_issue",
       {{"title", text}, {"number", text}, {"due", text}, {"open", text}, {"labels", {1, {{"k", text}}}}});
  EXPECT_EQ(Found(), Lines());
  Step("forge", "create_issue", {{"title", "t"}, {"numbr", text}});
  EXPECT_EQ(Found(), Lines{"3:2 inputs.numbr WORKFLOW.PARSE.INVALID_VALUE: operation forge.create_issue: unknown "
                           "argument 'numbr' (did you mean 'number'?)"});
}

// The nearest name is looked for as long as it is cheap. Names that are too long for it count, but take no time.
TEST_F(PluginCheckerTest, HintsAreLeftOutWhereTheyWouldTakeLong) {
  std::vector<Operation>& operations = catalogue_.plugins["big"];
  for (int i = 0; i < 2000; ++i) operations.push_back(FakeCatalogue::Op("o" + std::to_string(i)));
  std::vector<std::string> wrong(101, std::string(257, 'x'));
  wrong.front() = wrong.back() = "p7";
  Check({{"big", wrong}});
  std::vector<std::string> hints;
  for (const Finding& finding : findings_) {
    if (finding.error.message.starts_with("plugin 'big' has no operation 'p7'; it has o0, o1,"))
      hints.push_back(finding.error.hint);
  }
  EXPECT_EQ(hints, (std::vector<std::string>{"did you mean 'o7'?", ""}));
}

}  // namespace
}  // namespace awf
