#include "application/operations/tool_name.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

std::string ErrorFor(std::string_view plugin, std::string_view operation) {
  const auto name = OperationToolName(plugin, operation);
  return name ? "no error, but " + *name : name.error();
}

TEST(OperationToolName, JoinsPluginAndOperation) {
  EXPECT_EQ(OperationToolName("k8s-prod", "get_Pods2"), "k8s-prod_get_Pods2");
  const std::string longest(kLongestToolName - 2, 'o');
  EXPECT_EQ(OperationToolName("p", longest), "p_" + longest);
}

TEST(OperationToolName, SaysWhichCharacterIsAtFault) {
  const std::string allowed = ", allowed are letters, digits, '_' and '-'";
  EXPECT_EQ(ErrorFor("demo", "calendar.list"),
            "'demo_calendar.list' cannot be the name of a tool: it holds '.'" + allowed);
  EXPECT_EQ(ErrorFor("demo", "New Tool"), "'demo_New Tool' cannot be the name of a tool: it holds ' '" + allowed);
  EXPECT_EQ(ErrorFor("demo", "größe"), "'demo_größe' cannot be the name of a tool: it holds 'ö'" + allowed);
  EXPECT_EQ(ErrorFor("demo", "a\nb"), "'demo_a?b' cannot be the name of a tool: it holds a line feed" + allowed);
  EXPECT_EQ(ErrorFor("demo", "a\tb"), "'demo_a?b' cannot be the name of a tool: it holds a tab" + allowed);
  EXPECT_EQ(ErrorFor("demo", "a\xFF"), "'demo_a\uFFFD' cannot be the name of a tool: it holds '\uFFFD'" + allowed);
}

TEST(OperationToolName, SaysWhichLengthIsAtFault) {
  EXPECT_EQ(ErrorFor("demo", std::string(60, 'x')),
            "'demo_" + std::string(60, 'x') + "' cannot be the name of a tool: it has 65 characters, allowed are 48");
  EXPECT_EQ(ErrorFor("p", std::string(200, 'x')),
            "'p_" + std::string(98, 'x') + "…' cannot be the name of a tool: it has 202 characters, allowed are 48");
  EXPECT_EQ(ErrorFor("p", ""), "'p_' cannot be the name of a tool: the operation has no name");
}

TEST(OperationToolName, RefusesTwoUnderscores) {
  EXPECT_EQ(ErrorFor("a_", "b"), "'a__b' cannot be the name of a tool: it holds '__'");
  EXPECT_EQ(ErrorFor("a", "_x"), "'a__x' cannot be the name of a tool: it holds '__'");
  EXPECT_EQ(ErrorFor("a", "x__y"), "'a_x__y' cannot be the name of a tool: it holds '__'");
}

TEST(CollisionKey, IsWhatEveryClientsMappingLeaves) {
  EXPECT_EQ(CollisionKey("K8s-Prod_Get"), "k8s_prod_get");
  EXPECT_EQ(CollisionKey("k8s_prod_get"), "k8s_prod_get");
  EXPECT_NE(CollisionKey("k8sprod_get"), CollisionKey("k8s_prod_get"));
}

}  // namespace
}  // namespace awf
