#include "infrastructure/builtins/builtin_tool_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "infrastructure/builtins/tool_fixture_for_tests.h"
#include "infrastructure/regex/re2_regex.h"

namespace awf::builtins {
namespace {

using ::testing::ElementsAre;

class BuiltinToolProviderTest : public ::testing::Test {
 protected:
  ToolResult Call(std::string_view tool, const json::object& arguments) {
    return provider.Call(ToolCall{"0123456789abcdef", tool, arguments, {}, {}});
  }

  const Re2Compiler compiler;
  TestWorkspace folder;
  const ToolSettings settings = folder.Settings();
  BuiltinToolProvider provider{settings, std::make_shared<CommandChild>(CommandChildOptions{}), compiler};
};

TEST_F(BuiltinToolProviderTest, OffersTheSixToolsInThisOrder) {
  std::vector<std::string> names;
  for (const ToolDefinition& tool : provider.Tools()) {
    names.push_back(tool.name);
    EXPECT_EQ(tool.source, kBuiltinSource);
    EXPECT_FALSE(tool.description.empty()) << tool.name;
    EXPECT_LT(tool.description.size(), 2048U) << tool.name;
    EXPECT_TRUE(tool.annotations.read_only.has_value()) << tool.name;
  }
  EXPECT_THAT(names, ElementsAre("Read", "Write", "Edit", "Bash", "Glob", "Grep"));
}

TEST_F(BuiltinToolProviderTest, SchemasArePlainRootObjectsOfDeclaredProperties) {
  for (const ToolDefinition& tool : provider.Tools()) {
    const json::object& schema = tool.input_schema;
    EXPECT_EQ(schema.at("type"), "object") << tool.name;
    const json::object& properties = schema.at("properties").as_object();
    for (const auto& required : schema.at("required").as_array())
      EXPECT_TRUE(properties.contains(required.as_string())) << tool.name;
    for (const auto& property : properties) {
      EXPECT_TRUE(property.value().at("type").is_string()) << tool.name;
      EXPECT_FALSE(property.value().as_object().contains("default")) << tool.name;
    }
    for (const ArgumentAlias& alias : tool.rules.aliases) {
      EXPECT_TRUE(properties.contains(alias.canonical) || tool.rules.hidden.contains(alias.canonical))
          << tool.name << ' ' << alias.name;
      EXPECT_FALSE(properties.contains(alias.name)) << tool.name << ' ' << alias.name;
    }
  }
}

TEST_F(BuiltinToolProviderTest, CallsReachTheirTool) {
  EXPECT_EQ(TextOf(Call("Write", {{"path", "a.txt"}, {"content", "one\n"}})), "Wrote 4 bytes to a.txt (created).");
  EXPECT_EQ(TextOf(Call("Edit", {{"path", "a.txt"}, {"old_string", "one"}, {"new_string", "two"}})),
            "Edited a.txt: 1 replacement (line 1).");
  EXPECT_EQ(TextOf(Call("Read", {{"path", "a.txt"}})), "1\ttwo");
  EXPECT_EQ(TextOf(Call("Glob", {{"pattern", "*.txt"}})), "a.txt");
  EXPECT_EQ(TextOf(Call("Grep", {{"pattern", "two"}})), "a.txt\n1:two");
  const ToolResult unknown = Call("Rm", {});
  EXPECT_TRUE(unknown.is_error);
  EXPECT_EQ(TextOf(unknown), "Unknown tool Rm.");
}

}  // namespace
}  // namespace awf::builtins
