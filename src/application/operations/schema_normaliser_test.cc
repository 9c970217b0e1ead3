#include "application/operations/schema_normaliser.h"

#include <gtest/gtest.h>

#include "application/operations/schema_rules_for_tests.h"
#include "domain/parse_json.h"

namespace awf {
namespace {

json::object Parsed(const std::string& text) { return ParseJson(text).value().as_object(); }

// The schema as text, or the error. What was made is right for all clients, and stays as it is.
std::string Made(const json::object& schema, std::vector<std::string>* warnings = nullptr) {
  const auto normalised = NormaliseSchema(schema);
  if (!normalised) return normalised.error();
  EXPECT_EQ(FaultOfSent(normalised->schema), "");
  const auto again = NormaliseSchema(normalised->schema);
  EXPECT_EQ(again.value().schema, normalised->schema);
  EXPECT_TRUE(again->warnings.empty());
  if (warnings != nullptr) *warnings = normalised->warnings;
  return json::serialize(normalised->schema);
}

std::string Made(const std::string& text) { return Made(Parsed(text)); }

// Of a property x with that schema.
std::string Property(const std::string& text, std::vector<std::string>* warnings = nullptr) {
  const std::string made = Made(Parsed(R"({"type":"object","properties":{"x":)" + text + "}}"), warnings);
  const std::string before = R"({"type":"object","properties":{"x":)";
  if (!made.starts_with(before)) return made;
  return made.substr(before.size(), made.size() - before.size() - 2);
}

struct Row {
  const char* name;
  std::string before, after;
};

class PropertyTest : public testing::TestWithParam<Row> {};

TEST_P(PropertyTest, BecomesWhatAllTake) { EXPECT_EQ(Property(GetParam().before), GetParam().after); }

INSTANTIATE_TEST_SUITE_P(
    Rows, PropertyTest,
    testing::Values(
        Row{"Plain", R"({"type":"string","description":"d"})", R"({"type":"string","description":"d"})"},
        Row{"ArrayWithoutItems", R"({"type":"array"})", R"({"type":"array","items":{"type":"string"}})"},
        Row{"ArrayOfAnything", R"({"type":"array","items":true})", R"({"type":"array","items":{"type":"string"}})"},
        Row{"NestedArray", R"({"type":"array","items":{"type":"array"}})",
            R"({"type":"array","items":{"type":"array","items":{"type":"string"}}})"},
        Row{"ImpliedArray", R"({"items":{"type":"integer"}})", R"({"type":"array","items":{"type":"integer"}})"},
        Row{"Tuple", R"({"type":"array","items":[{"type":"string"},{"type":"integer"}]})",
            R"json({"type":"array","description":"items: [{\"type\":\"string\"},{\"type\":\"integer\"}]","items":{"type":"string"}})json"},
        Row{"ObjectWithoutProperties", R"({"type":"object"})", R"({"type":"object","properties":{}})"},
        Row{"ImpliedObject", R"({"properties":{"a":{}}})", R"({"type":"object","properties":{"a":{}}})"},
        Row{"TypeList", R"({"type":["string","null"]})", R"({"type":"string"})"},
        Row{"TypesOfNumbers", R"({"type":["integer","number"]})", R"({"type":"number"})"},
        Row{"SeveralTypes", R"({"type":["string","integer","null"]})", R"({"description":"type: string or integer"})"},
        Row{"OnlyNull", R"({"type":"null"})", "{}"}, Row{"OtherWords", R"({"type":"int64"})", R"({"type":"integer"})"},
        Row{"Double", R"({"type":"double"})", R"({"type":"number"})"},
        Row{"Bool", R"({"type":"bool"})", R"({"type":"boolean"})"}, Row{"True", "true", "{}"},
        Row{"False", "false", "{}"}, Row{"Const", R"({"const":"a"})", R"({"type":"string","enum":["a"]})"},
        Row{"ConstNumber", R"({"type":"integer","const":5})", R"({"type":"integer","description":"always 5"})"},
        Row{"Enum", R"({"enum":["a","b","a",null]})", R"({"type":"string","enum":["a","b"]})"},
        Row{"EnumOfNumbers", R"({"type":"integer","enum":[2,8,16],"description":"bits"})",
            R"json({"type":"integer","description":"bits (one of: 2, 8, 16)"})json"},
        Row{"EnumOfWordsForNumbers", R"({"type":"integer","enum":["1","2"]})",
            R"json({"type":"integer","description":"one of: \"1\", \"2\""})json"},
        Row{"EnumWithAnEmptyWord", R"({"enum":["","a"]})", R"json({"description":"one of: \"\", \"a\""})json"},
        Row{"EmptyEnum", R"({"type":"string","enum":[]})", R"({"type":"string"})"},
        Row{"Format", R"({"type":"string","format":"uri","description":"where"})",
            R"json({"type":"string","description":"where (format: uri)"})json"},
        Row{"Rules", R"({"type":"string","pattern":"^a","maxLength":5,"default":"b"})",
            R"json({"type":"string","description":"pattern: ^a; maxLength: 5; default: \"b\""})json"},
        Row{"Bounds", R"({"type":"integer","minimum":1,"maximum":9,"exclusiveMinimum":0})",
            R"json({"type":"integer","description":"exclusiveMinimum: 0","minimum":1,"maximum":9})json"},
        Row{"BoundsOfWords", R"({"type":"integer","minimum":"1"})", R"({"type":"integer"})"},
        Row{"Title", R"({"type":"string","title":"T"})", R"({"type":"string","description":"T"})"},
        Row{"Extras", R"({"type":"object","additionalProperties":false,"$comment":"c","x-a":1,"examples":[1]})",
            R"({"type":"object","properties":{}})"},
        Row{"Optional", R"({"anyOf":[{"type":"integer"},{"type":"null"}],"default":null})",
            R"({"type":"integer","description":"default: null"})"},
        Row{"Alternatives", R"({"oneOf":[{"type":"integer"},{"type":"array"},{"type":"null"}]})",
            R"({"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"string"}}]})"},
        Row{"AlternativesOfAnything", R"({"anyOf":[{"type":"integer"},{}]})", "{}"},
        Row{"AllOf", R"({"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}}}]})",
            R"({"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["a"]})"},
        Row{"NestedRequired", R"({"properties":{"b":{},"a":{}},"required":["b","a","b"]})",
            R"({"type":"object","properties":{"b":{},"a":{}},"required":["a","b"]})"},
        Row{"RuleOfAnObject", R"({"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]})",
            R"({"type":"object","description":"at least one of these is needed: a, or b","properties":{"a":{},"b":{}}})"},
        Row{"UnknownType", R"({"type":"file"})", "'x' has the unknown type \"file\""},
        Row{"EmptyType", R"({"type":""})", "'x' has the unknown type \"\""},
        Row{"TypeThatIsNoWord", R"({"type":5})", "'x' has a type that is no word"},
        Row{"RequiredUnknown", R"({"type":"object","required":["a"]})", "'x' requires 'a', which it lacks"},
        Row{"RequiredFlag", R"({"type":"object","required":true})", "'x' has a 'required' that is no list of names"},
        Row{"RequiredNumbers", R"({"type":"object","required":[1]})", "'x' has a 'required' that is no list of names"},
        Row{"NoSchema", R"("string")", "'x' is no schema, but \"string\""},
        Row{"PropertiesOfAList", R"({"type":"object","properties":[]})", "'x' has properties that are no object"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(SchemaNormaliser, TheRootIsAPlainObject) {
  EXPECT_EQ(Made("{}"), R"({"type":"object","properties":{}})");
  EXPECT_EQ(Made(R"({"$schema":"x","title":"T","properties":{"a":{"type":"string"}},"required":["a"]})"),
            R"({"type":"object","description":"T","properties":{"a":{"type":"string"}},"required":["a"]})");
  EXPECT_EQ(Made(R"({"type":["object","null"]})"), R"({"type":"object","properties":{}})");
  EXPECT_EQ(Made(R"({"type":"string"})"), "the schema must be of type object");
  EXPECT_EQ(Made(R"({"type":["object","array"]})"), "the schema must be of type object");
  EXPECT_EQ(Made(R"({"type":"object","required":["model"]})"), "the schema requires 'model', which it lacks");
}

TEST(SchemaNormaliser, RulesOfTheRootAreTold) {
  EXPECT_EQ(
      Made(R"({"type":"object","properties":{"a":{},"c":{}},
               "anyOf":[{"required":["a"]},{"properties":{"b":{"type":"integer"}},"required":["c","b"]}]})"),
      R"({"type":"object","description":"at least one of these is needed: a, or b and c","properties":{"a":{},"c":{},"b":{"type":"integer"}}})");
  EXPECT_EQ(
      Made(R"({"oneOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}}}]})"),
      R"({"type":"object","description":"exactly one of these is needed: a, or none","properties":{"a":{},"b":{}}})");
  std::vector<std::string> warnings;
  EXPECT_EQ(
      Made(Parsed(R"({"properties":{"a":{}},"not":{"required":["a"]},"if":{},"then":false})"), &warnings),
      R"json({"type":"object","description":"not: {\"required\":[\"a\"]}; if: {}; then: false","properties":{"a":{}}})json");
  EXPECT_EQ(warnings, (std::vector<std::string>{"the schema: 'not' was dropped", "the schema: 'if' was dropped",
                                                "the schema: 'then' was dropped"}));
}

TEST(SchemaNormaliser, ReferencesAreInlined) {
  EXPECT_EQ(
      Made(R"({"properties":{"a":{"$ref":"#/$defs/n~1m","description":"own"},"b":{"$ref":"#/$defs/n~1m"}},
               "$defs":{"n/m":{"type":"object","properties":{"q":{"$ref":"#/definitions/s"}},"description":"theirs"}},
               "definitions":{"s":{"const":"x"}}})"),
      R"({"type":"object","properties":{"a":{"type":"object","description":"own","properties":{"q":{"type":"string","enum":["x"]}}},"b":{"type":"object","description":"theirs","properties":{"q":{"type":"string","enum":["x"]}}}}})");
  EXPECT_EQ(Made(R"({"$ref":"#/$defs/a","$defs":{"a":{"properties":{"x":{}}}}})"),
            R"({"type":"object","properties":{"x":{}}})");
  EXPECT_EQ(Made(R"({"properties":{"a":{"$ref":"#/list/1"}},"list":[{},{"type":"string"}]})"),
            R"({"type":"object","properties":{"a":{"type":"string"}}})");
}

TEST(SchemaNormaliser, ReferencesThatLeadNowhereAreRefused) {
  for (const char* reference : {"https://example.org/x.json", "other.json#/a", ""}) {
    const std::string shown = "\"" + std::string(reference) + "\"";
    EXPECT_EQ(Property("{\"$ref\":" + shown + "}"), "'x' refers to " + shown + ", out of the schema");
  }
  EXPECT_EQ(Property(R"({"$ref":5})"), "'x' refers to 5, out of the schema");
  for (const char* reference : {"#/nope", "#name", "#/properties/x/0", "#/properties/"}) {
    const std::string shown = "\"" + std::string(reference) + "\"";
    EXPECT_EQ(Property("{\"$ref\":" + shown + "}"), "'x' refers to " + shown + ", which is not there");
  }
}

TEST(SchemaNormaliser, ReferencesInACircleEnd) {
  const std::string error = "has references deeper than 16, or to themselves";
  EXPECT_EQ(Property(R"({"$ref":"#/properties/x"})"), "'x' " + error);
  EXPECT_TRUE(Property(R"({"$ref":"#"})").ends_with(error));
  EXPECT_TRUE(Property(R"({"type":"array","items":{"$ref":"#/properties/x"}})").ends_with(error));
  EXPECT_TRUE(Made(R"({"allOf":[{"$ref":"#"}]})").ends_with(error));
  EXPECT_TRUE(Property(R"({"anyOf":[{"type":"string"},{"$ref":"#/properties/x"}]})").ends_with(error));
}

TEST(SchemaNormaliser, SixteenReferencesAreFollowed) {
  const auto chain = [](int length) {
    json::object definitions{{"d0", {{"type", "string"}}}};
    for (int i = 1; i < length; ++i)
      definitions["d" + std::to_string(i)] = {{"$ref", "#/$defs/d" + std::to_string(i - 1)}};
    const std::string first = "#/$defs/d" + std::to_string(length - 1);
    return Made(json::object{{"properties", {{"x", {{"$ref", first}}}}}, {"$defs", definitions}});
  };
  EXPECT_EQ(chain(16), R"({"type":"object","properties":{"x":{"type":"string"}}})");
  EXPECT_EQ(chain(17), "'x' has references deeper than 16, or to themselves");
}

// Ten levels, each of ten references to the next: ten thousand million places.
TEST(SchemaNormaliser, WhatGrowsWithoutEndIsRefused) {
  json::object definitions{{"d0", {{"type", "string"}}}};
  for (int i = 1; i <= 10; ++i) {
    json::object properties;
    for (int k = 0; k < 10; ++k) properties["p" + std::to_string(k)] = {{"$ref", "#/$defs/d" + std::to_string(i - 1)}};
    definitions["d" + std::to_string(i)] = {{"properties", properties}};
  }
  const std::string made = Made(json::object{{"$ref", "#/$defs/d10"}, {"$defs", definitions}});
  EXPECT_TRUE(made.ends_with("is too large, or refers to too much")) << made;
  json::array many(20'000, json::value("a"));
  EXPECT_EQ(Made(json::object{{"properties", {{"x", {{"enum", many}}}}}}), "'x' is too large");
  EXPECT_EQ(Made(json::object{{"properties", {{"x", {{"not", std::string(20'000'000, 'a')}}}}}}), "'x' is too large");
}

TEST(SchemaNormaliser, DepthIsBounded) {
  const auto nested = [](int levels) {
    json::value schema{{"type", "string"}};
    for (int i = 0; i < levels - 1; ++i) schema = {{"type", "array"}, {"items", std::move(schema)}};
    return json::object{{"properties", {{"x", std::move(schema)}}}};
  };
  EXPECT_TRUE(Made(nested(32)).starts_with(R"({"type":"object")"));
  EXPECT_TRUE(Made(nested(33)).ends_with("nests deeper than 32"));
  json::value all{{"type", "object"}};
  for (int i = 0; i < 200; ++i) all = {{"allOf", json::array{std::move(all)}}};
  EXPECT_EQ(Made(all.as_object()), "the schema nests deeper than 32");
}

TEST(SchemaNormaliser, LongTextsAreCut) {
  const std::string made = Property("{\"type\":\"string\",\"description\":\"" + std::string(5000, 'd') + "\"}");
  EXPECT_EQ(made, R"({"type":"string","description":")" + std::string(2047, 'd') + "\"}");
  const std::string note = Property("{\"type\":\"string\",\"pattern\":\"" + std::string(5000, 'p') + "\"}");
  EXPECT_EQ(note, R"({"type":"string","description":"pattern: )" + std::string(300, 'p') + "…\"}");
}

TEST(SchemaNormaliser, WarningsNameWhatWasDropped) {
  std::vector<std::string> warnings;
  Property(R"({"properties":{"since":{"type":"string","format":"date"},"tags":{"items":{"enum":[1]}}}})", &warnings);
  EXPECT_EQ(warnings, (std::vector<std::string>{"'x.since': 'format' was dropped", "'x.tags[]': 'enum' was dropped"}));
  Property(R"({"type":"object","additionalProperties":false})", &warnings);
  EXPECT_TRUE(warnings.empty());
  json::object properties;
  for (int i = 0; i < 500; ++i) properties["p" + std::to_string(i)] = {{"format", "date"}};
  Made(json::object{{"properties", properties}}, &warnings);
  EXPECT_EQ(warnings.size(), 100U);
}

}  // namespace
}  // namespace awf
