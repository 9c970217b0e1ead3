// The cases of tests/interop/go_templates against what Go's text/template made of them, with the differences that are
// wanted. What Go refuses must be refused here, where is not compared.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "application/language/template.h"

namespace awf {
namespace {

struct Difference {
  const char* text;  // the template of the case
  const char* ours;  // "= " and the output, or "! " and the message
  const char* reason;
};

constexpr const char* kJsonText = "lists and objects print as JSON";
constexpr const char* kNull = "null prints as null, never as <nil> or <no value>";
constexpr const char* kMissing = "what is missing is a fault, never the text <no value>";
constexpr const char* kPlainFloats = "floats print as in JSON: an exponent only below 1e-6 and from 1e21 on";
constexpr const char* kJsonNumbers =
    "JSON has one kind of numbers: integers and floats compare and stand in for each other";
constexpr const char* kNoRoot = "the root is no value: env and states cannot be taken as a whole";
constexpr const char* kLenientComment = "white space around a comment does no harm";
constexpr const char* kEmptyStage = "a pipe without a function behind it is a mistake";
constexpr const char* kSetting = "variables are set at the begin of an action only, and $ is the root";
constexpr const char* kPrintfFaults = "printf reports what Go writes into the text as %!…";
constexpr const char* kPrintsAll = "%s prints any value as the template would";
constexpr const char* kFewerVerbs = "printf knows the verbs that JSON values need";
constexpr const char* kNotOurs = "not part of the language";

constexpr Difference kDifferences[] = {
    {"{{.inputs.deep.x.y}}", R"(= [{"k":"v0"},{"k":"v1"}])", kJsonText},
    {"{{.inputs.list}}", R"(= ["a","b","c"])", kJsonText},
    {"{{.inputs.obj}}", R"(= {"b":2,"a":1,"c":3})", kJsonText},
    {"{{(.inputs.deep).x.y}}", R"(= [{"k":"v0"},{"k":"v1"}])", kJsonText},
    {"{{with .inputs.deep}}{{.x.y}}{{end}}", R"(= [{"k":"v0"},{"k":"v1"}])", kJsonText},
    {"{{$x := .inputs.deep}}{{$x.x.y}}", R"(= [{"k":"v0"},{"k":"v1"}])", kJsonText},
    {"{{index .inputs.list}}", R"(= ["a","b","c"])", kJsonText},
    {"{{print .inputs.list}}", R"(= ["a","b","c"])", kJsonText},
    {"{{print .inputs.obj}}", R"(= {"b":2,"a":1,"c":3})", kJsonText},
    {R"({{printf "%v" .inputs.list}})", R"(= ["a","b","c"])", kJsonText},
    {R"({{printf "%s" .inputs.list}})", R"(= ["a","b","c"])", kJsonText},
    {R"({{printf "%v" .inputs.obj}})", R"(= {"b":2,"a":1,"c":3})", kJsonText},
    {"{{.inputs.nothing}}", "= null", kNull},
    {"{{print nil}}", "= null", kNull},
    {"{{and .inputs.nothing 1}}", "= null", kNull},
    {R"({{print .inputs.nothing "a"}})", "= nulla", kNull},
    {R"({{printf "%v" nil}})", "= null", kNull},
    {"{{.inputs.missing}}", "! 'inputs.missing' has no value", kMissing},
    {"{{.inputs.deep.q.y}}", "! 'inputs.deep.q.y' has no value: there is no 'inputs.deep.q'", kMissing},
    {"{{with .inputs.deep}}{{.inputs.name}}{{end}}", "! '.inputs.name' has no value: there is no '.inputs'", kMissing},
    {"{{$x := .inputs.obj}}{{$x.z}}", "! '$x.z' has no value", kMissing},
    {R"({{index .inputs.obj "zz"}})", "! 'index' found no key 'zz'", kMissing},
    {"{{.inputs.big}}", "= 1000000", kPlainFloats},
    {"{{1e6}}", "= 1000000", kPlainFloats},
    {"{{0.00001}}", "= 0.00001", kPlainFloats},
    {"{{print .inputs.big}}", "= 1000000", kPlainFloats},
    {R"({{printf "%v" .inputs.big}})", "= 1000000", kPlainFloats},
    {"{{eq 1 1.0}}", "= true", kJsonNumbers},
    {"{{lt 1 1.5}}", "= true", kJsonNumbers},
    {"{{index .inputs.list 1.0}}", "= b", kJsonNumbers},
    {R"({{printf "%d" 1.0}})", "= 1", kJsonNumbers},
    {R"({{printf "%f" 3}})", "= 3.000000", kJsonNumbers},
    {"{{$}}", "! '$' needs a name behind it", kNoRoot},
    {"{{.}}", "! '.' alone is a value inside range and with only", kNoRoot},
    {R"({{index $ "inputs"}})", "! '$' needs a name behind it", kNoRoot},
    {"{{ /* a */ }}", "= ", kLenientComment},
    {"{{print|}}", "! something is missing before '}}'", kEmptyStage},
    {"{{print 1 |}}", "! something is missing before '}}'", kEmptyStage},
    {"{{($x := 3) | print}}", "! only a variable at the begin of an action can be set", kSetting},
    {"{{$ := 1}}", "! '$' is the root and cannot be set", kSetting},
    {R"({{printf "%d" "a"}})", "! 'printf' needs a whole number for '%d', not text", kPrintfFaults},
    {R"({{printf "%d" 1.5}})", "! 'printf' needs a whole number for '%d', not 1.5", kPrintfFaults},
    {R"({{printf "%t" 1}})", "! 'printf' needs a boolean for '%t', not 1", kPrintfFaults},
    {R"({{printf "%t" "true"}})", "! 'printf' needs a boolean for '%t', not text", kPrintfFaults},
    {R"({{printf "%x" true}})", "! 'printf' needs text or a whole number for '%x', not a boolean", kPrintfFaults},
    {R"({{printf "%q" true}})", "! 'printf' needs text or a whole number for '%q', not a boolean", kPrintfFaults},
    {R"({{printf "%z" 1}})", "! 'printf' does not know the verb '%z'", kPrintfFaults},
    {R"({{printf "%d"}})", "! 'printf' has no argument for '%d'", kPrintfFaults},
    {R"({{printf "%d %d" 1}})", "! 'printf' has no argument for '%d'", kPrintfFaults},
    {R"({{printf "%d" 1 2}})", "! 'printf' has 1 argument too many for its format", kPrintfFaults},
    {R"({{printf "%"}})", "! 'printf' got a format that ends within '%'", kPrintfFaults},
    {R"({{printf "a%"}})", "! 'printf' got a format that ends within '%'", kPrintfFaults},
    {R"({{printf "%!" 1}})", "! 'printf' does not know the verb '%!'", kPrintfFaults},
    {R"({{printf "%*d" "a" 3}})", "! 'printf' needs a whole number for '*'", kPrintfFaults},
    {R"({{printf "%d" nil}})", "! 'printf' needs a whole number for '%d', not null", kPrintfFaults},
    {R"({{printf "%p" 1}})", "! 'printf' does not know the verb '%p'", kPrintfFaults},
    {R"({{printf "%s" 3}})", "= 3", kPrintsAll},
    {R"({{printf "%s" true}})", "= true", kPrintsAll},
    {R"({{printf "%s" nil}})", "= null", kPrintsAll},
    {R"({{printf "%x" 1.5}})", "! 'printf' needs text or a whole number for '%x', not 1.5", kFewerVerbs},
    {R"({{printf "%[2]d %[1]d" 1 2}})", "! 'printf' does not know the verb '%['", kFewerVerbs},
    {R"({{printf "%d" .inputs.nums}})", "! 'printf' needs a whole number for '%d', not a list", kFewerVerbs},
    {R"({{printf "%q" .inputs.list}})", "! 'printf' needs text or a whole number for '%q', not a list", kFewerVerbs},
    {R"({{printf "%#v" "a"}})", "! 'printf' does not know '#' with 'v'", kFewerVerbs},
    {R"({{printf "%T" 1}})", "! 'printf' does not know the verb '%T'", kFewerVerbs},
    {R"({{define "x"}}{{end}})", "! 'define' is not supported", kNotOurs},
    {R"({{block "x" .}}{{end}})", "! 'block' is not supported", kNotOurs},
    {"{{1i}}", "! '1i' is not a number", kNotOurs},
    {R"({{html "<a>"}})", "! there is no function 'html'", kNotOurs},
    {R"({{js "'"}})", "! there is no function 'js'", kNotOurs},
    {R"({{urlquery "a b"}})", "! there is no function 'urlquery'", kNotOurs},
};

std::vector<json::object> Lines(const std::string& name) {
  const char* source = std::getenv("AWF_SOURCE_DIR");
  std::ifstream file((source == nullptr ? "" : std::string(source)) + "/tests/interop/go_templates/" + name);
  std::vector<json::object> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line).as_object());
  return lines;
}

std::string Ours(const json::object& test) {
  const auto parsed = Template::Parse(test.at("template").as_string());
  if (!parsed) return "! " + parsed.error().message;
  Scope scope;
  scope.Set("inputs", test.at("data").as_object());
  const auto rendered = parsed->Render(scope);
  return rendered ? "= " + *rendered : "! " + rendered.error().message;
}

TEST(TemplateLikeGo, RendersAsRecorded) {
  std::map<std::string, const Difference*> differences;
  for (const Difference& difference : kDifferences) {
    EXPECT_TRUE(differences.emplace(difference.text, &difference).second) << difference.text;
  }
  const auto cases = Lines("cases.jsonl"), recorded = Lines("recorded.jsonl");
  ASSERT_EQ(cases.size(), recorded.size());
  ASSERT_GE(cases.size(), 220U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(cases[i].at("name"), recorded[i].at("name"));
    const std::string text(cases[i].at("template").as_string());
    const json::value* output = recorded[i].if_contains("output");
    const std::string go = output == nullptr ? "!" : "= " + std::string(output->as_string());
    const std::string ours = Ours(cases[i]);
    const bool same = output == nullptr ? ours.starts_with('!') : ours == go;
    const auto difference = differences.find(text);
    if (difference == differences.end()) {
      EXPECT_TRUE(same) << cases[i].at("name") << ": " << text << "\n  Go: " << go << "\n  ours: " << ours;
      continue;
    }
    EXPECT_EQ(ours, difference->second->ours) << text << ": " << difference->second->reason;
    EXPECT_FALSE(same) << text << " is no difference";
    differences.erase(difference);
  }
  for (const auto& [text, difference] : differences) ADD_FAILURE() << "there is no case " << text;
}

}  // namespace
}  // namespace awf
