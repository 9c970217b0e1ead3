// The arguments of a plugin's tool: what the checker lets through and coerces, by the schemas made of its operation.
#include <gtest/gtest.h>

#include "application/operations/operation_schema.h"
#include "infrastructure/schema/argument_checker.h"

namespace awf {
namespace {

ToolDefinition ToolOf(const std::vector<std::string>& types) {
  Operation operation{"op", "", {}, {}};
  for (const std::string& type : types) operation.inputs.push_back({type, type, false, {}, {}, {}});
  auto schema = SchemaOf(operation).value();
  ToolDefinition tool;
  tool.name = "demo_op";
  tool.input_schema = std::move(schema.sent);
  tool.rules.checked = std::move(schema.checked);
  return tool;
}

std::string Checked(const ToolDefinition& tool, std::string_view arguments) {
  const auto checked = SchemaArgumentChecker().Check(tool, json::parse(arguments).as_object());
  return checked ? json::serialize(*checked) : checked.error();
}

TEST(PluginArguments, ArraysAndObjectsPassAsTheyCome) {
  const ToolDefinition tool = ToolOf({"array", "object"});
  for (const char* arguments : {R"({"array":[1,"2",null,[true],{"k":null}]})", R"({"array":[]})",
                                R"({"object":{"a":null,"b":"5","c":[1]}})", R"({"object":{}})"})
    EXPECT_EQ(Checked(tool, arguments), arguments);
  EXPECT_EQ(Checked(tool, R"({"array":{}})"), "invalid arguments: 'array' must be an array, got an object");
  EXPECT_EQ(Checked(tool, R"({"object":[]})"), "invalid arguments: 'object' must be an object, got an array");
}

TEST(PluginArguments, IntegersOfBothSignsKeepTheirValue) {
  const ToolDefinition tool = ToolOf({"integer"});
  const struct {
    const char *given, *taken;
  } rows[] = {{"9223372036854775807", "9223372036854775807"},
              {"-9223372036854775808", "-9223372036854775808"},
              {"9223372036854775808", "9223372036854775808"},
              {"18446744073709551615", "18446744073709551615"},
              {"\"18446744073709551615\"", "18446744073709551615"},
              {"1e19", "10000000000000000000"},
              {"2.0", "2"},
              {"\" 5 \"", "5"}};
  for (const auto& row : rows)
    EXPECT_EQ(Checked(tool, std::string("{\"integer\":") + row.given + "}"),
              std::string("{\"integer\":") + row.taken + "}");
  EXPECT_EQ(Checked(tool, R"({"integer":18446744073709551616})"),
            "invalid arguments: 'integer' must be an integer, got 18446744073709551616");
  EXPECT_EQ(Checked(tool, R"({"integer":-1e19})").find("invalid arguments: 'integer' must be"), 0U);
  EXPECT_EQ(Checked(tool, R"({"integer":2.5})"), "invalid arguments: 'integer' must be an integer, got 2.5");
}

TEST(PluginArguments, NumbersInTextKeepTheirDigits) {
  const ToolDefinition tool = ToolOf({"number", "bool"});
  EXPECT_EQ(Checked(tool, R"({"number":"18446744073709551615","bool":"True"})"),
            R"({"number":18446744073709551615,"bool":true})");
  EXPECT_EQ(Checked(tool, R"({"number":18446744073709551615})"), R"({"number":18446744073709551615})");
}

TEST(PluginArguments, WhatIsNotDeclaredPassesOnlyWhereNothingIs) {
  EXPECT_EQ(Checked(ToolOf({}), R"({"x":[1,null],"y":{"z":"1"}})"), R"({"x":[1,null],"y":{"z":"1"}})");
  EXPECT_EQ(Checked(ToolOf({"string"}), R"({"strin":"x"})"),
            "invalid arguments: unknown argument 'strin' (did you mean string?)");
}

// Others than plugins count with int64.
TEST(PluginArguments, NoIntegerBeyondInt64WithoutAMaximumThatSaysSo) {
  ToolDefinition tool = ToolOf({"integer"});
  tool.rules.checked.clear();
  EXPECT_EQ(Checked(tool, R"({"integer":9223372036854775808})"),
            "invalid arguments: 'integer' must be an integer, got 9223372036854775808");
  tool.rules.checked = {{"integer", {{"type", "integer"}, {"minimum", 3}, {"maximum", 9223372036854775810U}}}};
  EXPECT_EQ(Checked(tool, R"({"integer":9223372036854775811})"), R"({"integer":9223372036854775810})");
  EXPECT_EQ(Checked(tool, R"({"integer":9223372036854775809})"), R"({"integer":9223372036854775809})");
  EXPECT_EQ(Checked(tool, R"({"integer":2})"), "invalid arguments: 'integer' must be at least 3, got 2");
}

}  // namespace
}  // namespace awf
