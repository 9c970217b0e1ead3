#include "application/operations/operation_schema.h"

#include <gtest/gtest.h>

#include "application/operations/schema_rules_for_tests.h"
#include "domain/utf8.h"

namespace awf {
namespace {

Operation With(std::vector<OperationInput> inputs) { return {"get", "", std::move(inputs), {}}; }

OperationInput Input(std::string name, std::string type) {
  return {std::move(name), std::move(type), false, {}, {}, {}};
}

// The schema that is sent, or the error.
std::string Sent(const Operation& operation, std::vector<std::string>* warnings = nullptr) {
  const auto made = SchemaOf(operation);
  if (!made) return made.error();
  EXPECT_EQ(FaultOfSent(made->sent), "");
  if (warnings != nullptr) *warnings = made->warnings;
  return json::serialize(made->sent);
}

std::string Described(const Operation& operation, std::string_view input) {
  const auto made = SchemaOf(operation);
  return std::string(made.value().sent.at("properties").at(input).at("description").as_string());
}

TEST(OperationSchema, EachTypeHasItsForm) {
  EXPECT_EQ(Sent(With({Input("s", "string"), Input("i", "integer"), Input("n", "number"), Input("b", "boolean"),
                       Input("a", "array"), Input("o", "object")})),
            R"({"type":"object","properties":{"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},)"
            R"("b":{"type":"boolean"},"a":{"type":"array","items":{"type":"string"}},)"
            R"("o":{"type":"object","properties":{}}}})");
  EXPECT_EQ(Sent(With({Input("i", "int"), Input("j", "int64"), Input("f", "float"), Input("d", "double"),
                       Input("b", "bool")})),
            R"({"type":"object","properties":{"i":{"type":"integer"},"j":{"type":"integer"},"f":{"type":"number"},)"
            R"("d":{"type":"number"},"b":{"type":"boolean"}}})");
}

TEST(OperationSchema, NoInputsAreAnEmptyObject) { EXPECT_EQ(Sent(With({})), R"({"type":"object","properties":{}})"); }

TEST(OperationSchema, WhatIsCheckedIsWiderThanWhatIsSent) {
  const auto made = SchemaOf(
      With({Input("a", "array"), Input("o", "object"), Input("i", "int"), Input("s", "string"), Input("n", "number")}));
  ASSERT_TRUE(made);
  EXPECT_EQ(json::serialize(made->checked),
            R"({"a":{"type":"array"},"o":{"type":"object"},"i":{"type":"integer","maximum":18446744073709551615}})");
}

TEST(OperationSchema, RequiredIsSorted) {
  Operation operation = With({Input("b", "string"), Input("c", "string"), Input("a", "string")});
  operation.inputs[0].required = operation.inputs[2].required = true;
  EXPECT_EQ(json::serialize(SchemaOf(operation)->sent.at("required")), R"(["a","b"])");
}

TEST(OperationSchema, DefaultsAndValidationsAreTold) {
  const struct {
    const char *type, *given, *told;
  } defaults[] = {{"integer", "5", "default: 5"},
                  {"integer", "18446744073709551615", "default: 18446744073709551615"},
                  {"number", "0.1", "default: 0.1"},
                  {"boolean", "false", "default: false"},
                  {"string", "GET", "default: \"GET\""},
                  {"array", "[1, \"a\"]", "default: [1,\"a\"]"},
                  {"object", "{\"k\": null}", "default: {\"k\":null}"}};
  for (const auto& row : defaults) {
    Operation operation = With({Input("x", row.type)});
    operation.inputs[0].default_value = row.given;
    std::vector<std::string> warnings;
    Sent(operation, &warnings);
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(Described(operation, "x"), row.told);
  }
  Operation operation = With({Input("u", "string"), Input("m", "string")});
  operation.inputs[0].description = "Where to look";
  operation.inputs[0].validation = "url";
  operation.inputs[0].default_value = "http://x";
  operation.inputs[1].validation = "email";
  EXPECT_EQ(Described(operation, "u"), "Where to look (a URL; default: \"http://x\")");
  EXPECT_EQ(Described(operation, "m"), "an e-mail address");
}

TEST(OperationSchema, WhatCannotBeUsedIsWarnedOf) {
  const struct {
    const char *type, *given, *warning;
  } defaults[] = {{"integer", "5.5", "has a default that is not an integer: \"5.5\""},
                  {"integer", "5 ", "has a default that is not an integer: \"5 \""},
                  {"number", "1e999", "has a default that is not a number: \"1e999\""},
                  {"number", "inf", "has a default that is not a number: \"inf\""},
                  {"boolean", "yes", "has a default that is not true or false: \"yes\""},
                  {"array", "{}", "has a default that is not an array: \"{}\""},
                  {"object", "{", "has a default that is not an object: \"{\""}};
  for (const auto& row : defaults) {
    Operation operation = With({Input("x", row.type)});
    operation.inputs[0].default_value = row.given;
    std::vector<std::string> warnings;
    EXPECT_EQ(Sent(operation, &warnings).find("default"), std::string::npos);
    EXPECT_EQ(warnings, std::vector<std::string>{"input 'x' of operation 'get' " + std::string(row.warning)});
  }
  Operation operation = With({Input("x", "")});
  operation.inputs[0].validation = "regex";
  std::vector<std::string> warnings;
  EXPECT_EQ(Sent(operation, &warnings), R"({"type":"object","properties":{"x":{}}})");
  EXPECT_EQ(warnings, (std::vector<std::string>{"input 'x' of operation 'get' has no type",
                                                "input 'x' of operation 'get' asks for the validation 'regex', "
                                                "which is not made"}));
}

TEST(OperationSchema, WhatCannotBeOfferedIsRefused) {
  EXPECT_EQ(Sent(With({Input("f", "file")})),
            "input 'f' of operation 'get' has the type 'file'; types are string, integer, number, boolean, array, "
            "object");
  EXPECT_EQ(Sent(With({Input("f", "String")})),
            "input 'f' of operation 'get' has the type 'String'; types are string, integer, number, boolean, array, "
            "object");
  EXPECT_EQ(Sent(With({Input("a", "string"), Input("b", "string"), Input("a", "integer")})),
            "input 'a' of operation 'get' is declared twice");
  for (const std::string& name : {std::string(), std::string("a b"), std::string("ä"), std::string(65, 'n')}) {
    EXPECT_EQ(Sent(With({Input(name, "string")})),
              "input '" + name +
                  "' of operation 'get' has no name that models take: 1 to 64 letters, digits, '_', "
                  "'-' and '.'");
  }
  EXPECT_TRUE(SchemaOf(With({Input(std::string(64, 'n'), "string")})));
}

TEST(OperationDescription, TellsWhatComesBack) {
  Operation operation{"get", "", {}, {}};
  EXPECT_EQ(DescriptionOf(operation, "k8s"), "get operation of plugin k8s");
  operation.outputs = {{"name", "string", "of the pod"}, {"age", "", ""}, {"labels", "array", ""}};
  const std::string outputs = "Returns a JSON object with fields: name (string): of the pod; age; labels (array)";
  EXPECT_EQ(DescriptionOf(operation, "k8s"), "get operation of plugin k8s. " + outputs);
  operation.description = "Gets it.\n";
  EXPECT_EQ(DescriptionOf(operation, "k8s"), "Gets it. " + outputs);
}

TEST(OperationDescription, StaysUnderTwoKibibytes) {
  Operation operation{"get", std::string(1023, 'd') + "é" + std::string(1022, 'd'), {}, {}};
  EXPECT_EQ(DescriptionOf(operation, "p"), operation.description);
  operation.description += "d";
  EXPECT_EQ(DescriptionOf(operation, "p").size(), 2047U);
  EXPECT_TRUE(DescriptionOf(operation, "p").ends_with("d…"));
  operation.description = std::string(2045, 'd') + "\xFF\x01";
  const std::string cut = DescriptionOf(operation, "p");
  EXPECT_LE(cut.size(), 2047U);
  EXPECT_TRUE(IsValidUtf8(cut));
}

}  // namespace
}  // namespace awf
