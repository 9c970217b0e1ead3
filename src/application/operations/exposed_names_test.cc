#include "application/operations/exposed_names.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

std::string Added(ExposedNames& names, std::string_view plugin, std::string_view operation) {
  const auto name = names.Add(plugin, operation);
  return name ? *name : name.error().code + ": " + name.error().message;
}

TEST(ExposedNames, KeepsNamesApart) {
  ExposedNames names;
  EXPECT_EQ(Added(names, "k8s-prod", "get"), "k8s-prod_get");
  EXPECT_EQ(Added(names, "k8s_prod", "get"),
            "USER.MCP_PROXY.NAME_COLLISION: the tools k8s-prod_get and k8s_prod_get have one name for clients that "
            "take '-' for '_' or ignore case");
  EXPECT_EQ(Added(names, "K8S-prod", "Get").substr(0, 29), "USER.MCP_PROXY.NAME_COLLISION");
  EXPECT_EQ(Added(names, "a_b", "c"), "a_b_c");
  EXPECT_EQ(Added(names, "a", "b_c"),
            "USER.MCP_PROXY.NAME_COLLISION: two tools would be named a_b_c: operation 'c' of plugin 'a_b' and "
            "operation 'b_c' of plugin 'a'");
  EXPECT_EQ(Added(names, "a_b", "c"), "USER.MCP_PROXY.NAME_COLLISION: operation 'c' of plugin 'a_b' is exposed twice");
  EXPECT_EQ(Added(names, "a_b", "d"), "a_b_d");
}

TEST(ExposedNames, RefusesWhatIsNoName) {
  ExposedNames names;
  EXPECT_EQ(Added(names, "demo", "calendar.list"),
            "USER.MCP_PROXY.INVALID_NAME: operation 'calendar.list' of plugin 'demo': 'demo_calendar.list' cannot be "
            "the name of a tool: it holds '.', allowed are letters, digits, '_' and '-'");
}

TEST(UnknownOperation, NamesTheNearestAndAll) {
  const std::vector<Operation> operations = {{"list", "", {}, {}}, {"create_issue", "", {}, {}}};
  const Error error = UnknownOperation("forge", "create-isue", operations);
  EXPECT_EQ(error.code, "USER.MCP_PROXY.UNKNOWN_OPERATION");
  EXPECT_EQ(error.message, "plugin 'forge' has no operation 'create-isue'; it has create_issue, list");
  EXPECT_EQ(error.hint, "did you mean 'create_issue'?");
  EXPECT_EQ(UnknownOperation("forge", "x", {}).message, "plugin 'forge' has no operation 'x'; it has none at all");
  std::vector<Operation> many;
  for (int i = 100; i < 140; ++i) many.push_back({"o" + std::to_string(i), "", {}, {}});
  EXPECT_TRUE(UnknownOperation("forge", "x", many).message.ends_with(", o128, o129 and 10 more"));
}

}  // namespace
}  // namespace awf
