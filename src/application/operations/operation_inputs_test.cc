#include "application/operations/operation_inputs.h"

#include <gtest/gtest.h>

#include <limits>

#include "domain/parse_json.h"

namespace awf {
namespace {

Operation Declared() {
  Operation operation{"op", "", {}, {}};
  for (const char* type : {"string", "integer", "number", "boolean", "array", "object"})
    operation.inputs.push_back({std::string(1, type[0]), type, false, {}, {}, {}});
  operation.inputs.push_back({"any", "", false, {}, {}, {}});
  operation.inputs.push_back({"url", "string", false, {}, {}, "url"});
  operation.inputs.push_back({"mail", "string", false, {}, {}, "email"});
  return operation;
}

std::string Fault(const Operation& operation, const json::object& inputs) {
  const auto checked = CheckOperationInputs(operation, inputs);
  return checked ? "" : checked.error();
}

std::string Fault(const char* inputs) { return Fault(Declared(), ParseJson(inputs).value().as_object()); }

TEST(OperationInputs, WhatFitsPasses) {
  for (const char* inputs : {"{}", R"({"s":""})", R"({"i":-5})", R"({"i":18446744073709551615})", R"({"i":2.0})",
                             R"({"n":1.5})", R"({"n":3})", R"({"b":false})", R"({"a":[1,"x",null,[true]]})",
                             R"({"o":{"k":[1]}})", R"({"any":[1]})", R"({"s":null,"i":null,"nope":null})"})
    EXPECT_EQ(Fault(inputs), "") << inputs;
}

TEST(OperationInputs, EachTypeRefusesTheOthers) {
  EXPECT_EQ(Fault(R"({"s":5})"), "invalid arguments: 's' must be a string, got 5");
  EXPECT_EQ(Fault(R"({"i":"5"})"), "invalid arguments: 'i' must be an integer, got \"5\"");
  EXPECT_EQ(Fault(R"({"i":2.5})"), "invalid arguments: 'i' must be an integer, got 2.5");
  EXPECT_EQ(Fault(R"({"n":true})"), "invalid arguments: 'n' must be a number, got true");
  EXPECT_EQ(Fault(R"({"b":"true"})"), "invalid arguments: 'b' must be true or false, got \"true\"");
  EXPECT_EQ(Fault(R"({"a":{}})"), "invalid arguments: 'a' must be an array, got an object");
  EXPECT_EQ(Fault(R"({"o":[]})"), "invalid arguments: 'o' must be an object, got an array");
}

TEST(OperationInputs, AllFaultsAreToldAtOnce) {
  Operation operation = Declared();
  operation.inputs[0].required = operation.inputs[1].required = true;
  EXPECT_EQ(Fault(operation, ParseJson(R"({"i":null,"b":1,"ann":1,"whatever":2})").value().as_object()),
            "invalid arguments: 's' is required; 'i' is required; 'b' must be true or false, got 1; "
            "unknown argument 'ann' (did you mean 'any'?); unknown argument 'whatever'");
  const auto faults = FaultsOfInputs(operation, {{"s", "x"}, {"i", 1}, {"ann", 2}});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].path, "ann");
  EXPECT_EQ(faults[0].message, "unknown argument 'ann'");
  EXPECT_EQ(faults[0].hint, "did you mean 'any'?");
}

TEST(OperationInputs, NothingDeclaredTakesEverything) {
  EXPECT_EQ(Fault(Operation{"op", "", {}, {}}, {{"a", 1}, {"b", json::array{nullptr}}}), "");
}

TEST(OperationInputs, NumbersThatNoDoubleHoldsAreRefused) {
  const double infinite = std::numeric_limits<double>::infinity();
  const Operation bare{"op", "", {}, {}};
  EXPECT_EQ(Fault(bare, {{"x", infinite}}), "invalid arguments: 'x' is out of the range of numbers");
  EXPECT_EQ(Fault(bare, {{"x", {{"list", {1, json::value{{"y", -infinite}}}}}}}),
            "invalid arguments: 'x.list[1].y' is out of the range of numbers");
  EXPECT_EQ(Fault(Declared(), {{"i", infinite}}).find("invalid arguments: 'i' must be an integer, got inf"), 0U);
}

TEST(OperationInputs, UrlsAndAddresses) {
  for (const char* url : {"http://x", "https://example.org:8080/a?b=c#d", "git+ssh://u@h/x"})
    EXPECT_EQ(Fault(Declared(), {{"url", url}}), "") << url;
  for (const char* url :
       {"", "example.org", "://x", "http://", "file:///etc/x", "1http://x", "ht tp://x", "http://x y", "http://x\n"})
    EXPECT_NE(Fault(Declared(), {{"url", url}}).find("'url' must be a URL, scheme://host/path"), std::string::npos)
        << url;
  for (const char* mail : {"a@b", "first.last+tag@example.org"}) EXPECT_EQ(Fault(Declared(), {{"mail", mail}}), "");
  for (const char* mail : {"", "a", "@b", "a@", "a@b@c", "a b@c", "a@b\t"})
    EXPECT_NE(Fault(Declared(), {{"mail", mail}}).find("'mail' must be an e-mail address, got"), std::string::npos);
}

TEST(OperationInputs, UnknownTypesAndManyFaults) {
  const Operation odd{"op", "", {{"f", "file", false, {}, {}, {}}}, {}};
  EXPECT_EQ(Fault(odd, {{"f", "x"}}), "invalid arguments: 'f' is declared with the unknown type 'file'");
  EXPECT_EQ(Fault(odd, {}), "");
  json::object many;
  for (int i = 0; i < 100; ++i) many["f" + std::to_string(i)] = i;
  const std::string fault = Fault(odd, many);
  EXPECT_TRUE(fault.ends_with("; and 80 more")) << fault;
}

}  // namespace
}  // namespace awf
