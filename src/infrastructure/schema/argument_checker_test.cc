#include "infrastructure/schema/argument_checker.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

using Transform = ArgumentAlias::Transform;

ToolDefinition ReadLike() {
  ToolDefinition tool;
  tool.name = "Read";
  tool.input_schema = json::parse(R"({"type":"object","properties":{"path":{"type":"string"},
    "offset":{"type":"integer"},"limit":{"type":"integer"}},"required":["path"]})")
                          .as_object();
  tool.rules.aliases = {{"file_path", "path", Transform::kCopy},
                        {"file", "path", Transform::kCopy},
                        {"start_line", "offset", Transform::kCopy},
                        {"end_line", "limit", Transform::kEndToCount}};
  tool.rules.ignored = {"description", "pages"};
  return tool;
}

ToolDefinition GrepLike() {
  ToolDefinition tool;
  tool.name = "Grep";
  tool.input_schema = json::parse(R"({"type":"object","properties":{"pattern":{"type":"string"},
    "case_insensitive":{"type":"boolean"},"replace_all":{"type":"boolean"},
    "output_mode":{"type":"string","enum":["content","files_with_matches","count"]},
    "timeout":{"type":"integer","minimum":1,"maximum":600000},"ratio":{"type":"number"}},"required":["pattern"]})")
                          .as_object();
  tool.rules.aliases = {{"case_sensitive", "case_insensitive", Transform::kNegate},
                        {"-i", "case_insensitive", Transform::kCopy},
                        {"replaceAll", "replace_all", Transform::kCopy},
                        {"timeout_seconds", "timeout", Transform::kSecondsToMs},
                        {"-A", "after", Transform::kCopy}};
  tool.rules.hidden = json::parse(R"({"after":{"type":"integer"}})").as_object();
  return tool;
}

ToolDefinition Nested() {
  ToolDefinition tool;
  tool.name = "demo_make";
  tool.source = "plugin:demo";
  tool.input_schema = json::parse(R"({"type":"object","properties":{
    "labels":{"type":"array","items":{"type":"string"}},
    "filter":{"type":"object","properties":{"name":{"type":"string"},"depth":{"type":"integer","minimum":0},
      "tags":{"type":"array","items":{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}}},
      "required":["name"]}}})")
                          .as_object();
  return tool;
}

// The checked arguments, or the sentence, as one text.
std::string Checked(const ToolDefinition& tool, std::string_view arguments) {
  const auto checked = SchemaArgumentChecker().Check(tool, json::parse(arguments).as_object());
  return checked ? json::serialize(*checked) : checked.error();
}

struct Example {
  std::string_view arguments, expected;
};

class ReadArguments : public testing::TestWithParam<Example> {};
TEST_P(ReadArguments, AreChecked) { EXPECT_EQ(Checked(ReadLike(), GetParam().arguments), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    All, ReadArguments,
    testing::Values(
        Example{R"({"path":"a"})", R"({"path":"a"})"},
        Example{R"({"limit":2,"path":"a"})", R"({"path":"a","limit":2})"},
        // Integers as models write them.
        Example{R"({"path":"a","limit":2.0})", R"({"path":"a","limit":2})"},
        Example{R"({"path":"a","limit":"2"})", R"({"path":"a","limit":2})"},
        Example{R"({"path":"a","limit":" 2 "})", R"({"path":"a","limit":2})"},
        Example{R"({"path":"a","limit":"-2"})", R"({"path":"a","limit":-2})"},
        Example{R"({"path":"a","limit":9223372036854775807})", R"({"path":"a","limit":9223372036854775807})"},
        Example{R"({"path":"a","limit":2.5})", "invalid arguments: 'limit' must be an integer, got 2.5"},
        Example{R"({"path":"a","limit":"12px"})", R"(invalid arguments: 'limit' must be an integer, got "12px")"},
        Example{R"({"path":"a","limit":""})", R"(invalid arguments: 'limit' must be an integer, got "")"},
        Example{R"({"path":"a","limit":true})", "invalid arguments: 'limit' must be an integer, got true"},
        Example{R"({"path":"a","limit":9223372036854775808})",
                "invalid arguments: 'limit' must be an integer, got 9223372036854775808"},
        Example{R"({"path":"a","limit":1e30})", "invalid arguments: 'limit' must be an integer, got 1e+30"},
        Example{R"({"path":"a","limit":"9223372036854775808"})",
                R"(invalid arguments: 'limit' must be an integer, got "9223372036854775808")"},
        Example{R"({"path":"a","limit":[1]})", "invalid arguments: 'limit' must be an integer, got an array"},
        // null is absent.
        Example{R"({"path":"a","limit":null,"offset":null})", R"({"path":"a"})"},
        Example{R"({"path":null})", "invalid arguments: 'path' is required"},
        Example{R"({"path":"a","other":null})", R"({"path":"a"})"},
        // Strings are strings.
        Example{R"({"path":123})", "invalid arguments: 'path' must be a string, got 123"},
        Example{R"({"path":{"a":1}})",
                "invalid arguments: 'path' must be a string, got an object (serialise it to JSON text first)"},
        // Aliases.
        Example{R"({"file_path":"a"})", R"({"path":"a"})"},
        Example{R"({"file":"b","file_path":"a"})", R"({"path":"a"})"},
        Example{R"({"file_path":"x","path":"a"})", R"({"path":"a"})"},
        Example{R"({"file_path":7,"path":"a"})", R"({"path":"a"})"},
        Example{R"({"file_path":"x","path":null})", R"({"path":"x"})"},
        Example{R"({"file_path":5})", "invalid arguments: 'file_path' must be a string, got 5"},
        Example{R"({"path":"a","start_line":5,"end_line":9})", R"({"path":"a","offset":5,"limit":5})"},
        Example{R"({"path":"a","end_line":3})", R"({"path":"a","limit":3})"},
        Example{R"({"path":"a","end_line":"3","offset":0})", R"({"path":"a","offset":0,"limit":3})"},
        Example{R"({"path":"a","end_line":9,"limit":1})", R"({"path":"a","limit":1})"},
        Example{R"({"path":"a","start_line":5,"end_line":4})",
                "invalid arguments: 'end_line' must be at least 5, got 4"},
        // Ignored and unknown ones.
        Example{R"({"path":"a","pages":{"x":1},"description":7})", R"({"path":"a"})"},
        Example{R"({"path":"a","PATH":"b"})", "invalid arguments: unknown argument 'PATH' (did you mean path?)"},
        Example{R"({"path":"a","file_pat":"b"})",
                "invalid arguments: unknown argument 'file_pat' (did you mean path?)"},
        Example{R"({"path":"a","zzz":1})", "invalid arguments: unknown argument 'zzz'"},
        Example{R"({"path":"a","z\nz":1})", "invalid arguments: unknown argument 'z?z'"},
        // All faults in one sentence.
        Example{R"({"limit":"12px","limt":1})",
                R"(invalid arguments: 'path' is required; 'limit' must be an integer, got "12px"; )"
                R"(unknown argument 'limt' (did you mean limit?))"}));

class GrepArguments : public testing::TestWithParam<Example> {};
TEST_P(GrepArguments, AreChecked) { EXPECT_EQ(Checked(GrepLike(), GetParam().arguments), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    All, GrepArguments,
    testing::Values(
        Example{R"({"pattern":"a","replace_all":"True"})", R"({"pattern":"a","replace_all":true})"},
        Example{R"({"pattern":"a","replace_all":"FALSE"})", R"({"pattern":"a","replace_all":false})"},
        Example{R"({"pattern":"a","replace_all":1})", "invalid arguments: 'replace_all' must be true or false, got 1"},
        Example{R"({"pattern":"a","replaceAll":"yes"})",
                R"(invalid arguments: 'replaceAll' must be true or false, got "yes")"},
        Example{R"({"pattern":"a","replace_al":true})",
                "invalid arguments: unknown argument 'replace_al' (did you mean replace_all?)"},
        Example{R"({"pattern":"a","case_sensitive":true})", R"({"pattern":"a","case_insensitive":false})"},
        Example{R"({"pattern":"a","case_sensitive":"false"})", R"({"pattern":"a","case_insensitive":true})"},
        Example{R"({"pattern":"a","case_sensitive":true,"case_insensitive":true})",
                R"({"pattern":"a","case_insensitive":true})"},
        Example{R"({"pattern":"a","-i":true})", R"({"pattern":"a","case_insensitive":true})"},
        Example{R"({"pattern":"a","output_mode":"count"})", R"({"pattern":"a","output_mode":"count"})"},
        Example{R"({"pattern":"a","output_mode":"lines"})",
                "invalid arguments: 'output_mode' must be content, files_with_matches or count, got \"lines\""},
        Example{R"({"pattern":"a","timeout":0})", "invalid arguments: 'timeout' must be at least 1, got 0"},
        Example{R"({"pattern":"a","timeout":99999999})", R"({"pattern":"a","timeout":600000})"},
        Example{R"({"pattern":"a","timeout_seconds":5})", R"({"pattern":"a","timeout":5000})"},
        Example{R"({"pattern":"a","timeout_seconds":0})",
                "invalid arguments: 'timeout_seconds' must be at least 1, got 0"},
        Example{R"({"pattern":"a","timeout_seconds":9223372036854775807})", R"({"pattern":"a","timeout":600000})"},
        Example{R"({"timeout":0.5,"ratio":true,"after":-2.5e10})",
                "invalid arguments: 'pattern' is required; 'timeout' must be an integer, got 0.5; 'ratio' must be a "
                "number, got true"},
        Example{R"({"pattern":"a","after":"2"})", R"({"pattern":"a","after":2})"},
        Example{R"({"pattern":"a","-A":2})", R"({"pattern":"a","after":2})"},
        Example{R"({"pattern":"a","afte":2})", "invalid arguments: unknown argument 'afte'"},  // hidden stays hidden
        Example{R"({"pattern":"a","ratio":"0.5"})", R"({"pattern":"a","ratio":5E-1})"},
        Example{R"({"pattern":"a","ratio":18446744073709551615})", R"({"pattern":"a","ratio":18446744073709551615})"},
        Example{R"({"pattern":"a","ratio":"nan"})", R"(invalid arguments: 'ratio' must be a number, got "nan")"}));

class NestedArguments : public testing::TestWithParam<Example> {};
TEST_P(NestedArguments, AreChecked) { EXPECT_EQ(Checked(Nested(), GetParam().arguments), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    All, NestedArguments,
    testing::Values(
        Example{"{}", "{}"}, Example{R"({"labels":["a","b"]})", R"({"labels":["a","b"]})"},
        Example{R"({"labels":"a"})", R"(invalid arguments: 'labels' must be an array, got "a")"},
        Example{R"({"labels":["a",1,null]})",
                "invalid arguments: 'labels[1]' must be a string, got 1; 'labels[2]' must be a string, got null"},
        Example{R"({"filter":{"name":"x","depth":"3","more":[1]}})", R"({"filter":{"name":"x","depth":3,"more":[1]}})"},
        Example{R"({"filter":{"name":"x","depth":null}})", R"({"filter":{"name":"x"}})"},
        Example{R"({"filter":{"depth":-1}})",
                "invalid arguments: 'filter.name' is required; 'filter.depth' must be at least 0, got -1"},
        Example{R"({"filter":{"name":"x","tags":[{"on":"true"},{}]}})",
                "invalid arguments: 'filter.tags[1].on' is required"},
        Example{R"({"filter":[]})", "invalid arguments: 'filter' must be an object, got an array"}));

TEST(ArgumentChecker, AToolWithoutDeclaredArgumentsTakesEverything) {
  ToolDefinition tool;
  tool.input_schema = json::parse(R"({"type":"object","properties":{}})").as_object();
  EXPECT_EQ(Checked(tool, R"({"a":1,"b":{"c":null}})"), R"({"a":1,"b":{"c":null}})");
}

TEST(ArgumentChecker, LongListsOfFaultsAndLongNamesAreCut) {
  json::object arguments{{"path", "a"}};
  for (int i = 0; i < 1000; ++i) arguments["unknown_" + std::to_string(i)] = 1;
  arguments[std::string(1 << 20, 'x')] = 1;
  const auto checked = SchemaArgumentChecker().Check(ReadLike(), arguments);
  ASSERT_FALSE(checked);
  EXPECT_TRUE(checked.error().ends_with("; and 981 more")) << checked.error();
  EXPECT_LT(checked.error().size(), 2000U);

  const auto value = Checked(ReadLike(), R"({"path":"a","limit":")" + std::string(1000, 'y') + "\"}");
  EXPECT_EQ(value, "invalid arguments: 'limit' must be an integer, got \"" + std::string(80, 'y') + "…\"");
}

}  // namespace
}  // namespace awf
