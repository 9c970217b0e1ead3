#include "application/template.h"

#include <gtest/gtest.h>

#include "application/template_functions.h"

namespace awf {
namespace {

json::object Scope() {
  return json::parse(R"({
    "inputs": {"name": "Ann", "empty": "", "count": 3, "flag": true, "list": "a, b ,c", "nothing": null,
               "ratio": 1.1, "quoted": "it's"},
    "states": {"one": {"Output": "  out\n", "Response": {"a": {"b": [1, "x", 2.0]}}},
               "my-state": {"Output": "dashed"}}})")
      .as_object();
}

std::string Rendered(std::string_view text) {
  const auto parsed = Template::Parse(text);
  if (!parsed) return "PARSE " + std::to_string(parsed.error().offset) + " " + parsed.error().message;
  const auto rendered = parsed->Render(Scope());
  if (!rendered) return "FAULT " + std::to_string(rendered.error().offset) + " " + rendered.error().message;
  return *rendered;
}

TEST(Template, LeavesTextAlone) {
  EXPECT_EQ(Rendered(""), "");
  EXPECT_EQ(Rendered("plain { } }} $x .y | text"), "plain { } }} $x .y | text");
  EXPECT_EQ(Rendered("ünïcode"), "ünïcode");
}

TEST(Template, ResolvesReferences) {
  EXPECT_EQ(Rendered("Hi {{.inputs.name}}!"), "Hi Ann!");
  EXPECT_EQ(Rendered("{{ inputs.name }}"), "Ann");
  EXPECT_EQ(Rendered("{{.states.my-state.Output}}"), "dashed");
  EXPECT_EQ(Rendered("{{.states.one.Response.a.b}}"), R"([1,"x",2])");
  EXPECT_EQ(Rendered("{{.inputs.count}} {{.inputs.flag}} {{.inputs.ratio}} {{.inputs.nothing}}"), "3 true 1.1 null");
}

TEST(Template, TellsWhatIsMissing) {
  EXPECT_EQ(Rendered("a {{.inputs.nobody}}"), "FAULT 4 'inputs.nobody' has no value");
  EXPECT_EQ(Rendered("{{.states.two.Output}}"), "FAULT 2 state 'two' has not run");
  EXPECT_EQ(Rendered("{{.states.one.Response.x.y}}"),
            "FAULT 2 'states.one.Response.x.y' has no value: there is no 'states.one.Response.x'");
  EXPECT_EQ(Rendered("{{.elsewhere.x}}"), "FAULT 2 'elsewhere' is not there");
  EXPECT_EQ(Template::Parse("{{.states.two.Output}}")->Render(Scope()).error().code, "EXECUTION.TEMPLATE.UNDEFINED");
}

TEST(Template, TrimsAndIgnoresComments) {
  EXPECT_EQ(Rendered("a  {{- .inputs.name -}}  \n b"), "aAnnb");
  EXPECT_EQ(Rendered("a {{.inputs.name -}} b"), "a Annb");
  EXPECT_EQ(Rendered("a {{- .inputs.name}} b"), "aAnn b");
  EXPECT_EQ(Rendered("a {{/* note }} */}} b"), "a  b");
  EXPECT_EQ(Rendered("a {{- /* note */ -}} b"), "ab");
  EXPECT_EQ(Rendered("{{-3}}"), "-3");
  EXPECT_EQ(Rendered("{{/* open"), "PARSE 0 this comment is never closed");
  EXPECT_EQ(Rendered("{{/* a */ .inputs.name}}"), "PARSE 2 a comment must fill its whole action: {{/* … */}}");
}

TEST(Template, KnowsLiterals) {
  EXPECT_EQ(Rendered(R"({{"a\t\"b\"\u00e9\x41\U0001F600"}})"),
            "a\t\"b\"\xC3\xA9"
            "A\xF0\x9F\x98\x80");
  EXPECT_EQ(Rendered("{{`raw \\n }}`}}"), "raw \\n }}");
  EXPECT_EQ(Rendered("{{1}} {{-2}} {{+3}} {{1.50}} {{1e3}} {{0x1F}} {{true}} {{false}}"),
            "1 -2 3 1.5 1000 31 true false");
  EXPECT_EQ(Rendered(R"({{"open}})"), "PARSE 2 this string is never closed");
  EXPECT_EQ(Rendered("{{`open}}"), "PARSE 2 this raw string is never closed");
  EXPECT_EQ(Rendered(R"({{"\q"}})"), "PARSE 3 unknown escape in a string");
  EXPECT_EQ(Rendered(R"({{"\ud800"}})"), "PARSE 3 unknown escape in a string");
  EXPECT_EQ(Rendered("{{'c'}}"), "PARSE 2 character constants are not supported");
  EXPECT_EQ(Rendered("{{1x}}"), "PARSE 2 '1x' is not a number");
  EXPECT_EQ(Rendered("{{99999999999999999999}}"), "1e+20");
  EXPECT_EQ(Rendered("{{nil}}"), "PARSE 2 nil can only be an argument");
}

TEST(Template, CallsFunctions) {
  EXPECT_EQ(Rendered("{{escape .inputs.quoted}} {{escape .inputs.name}} {{escape .inputs.empty}}"),
            "'it'\\''s' Ann ''");
  EXPECT_EQ(Rendered("{{.states.one.Output | trimSpace | upper}}"), "OUT");
  EXPECT_EQ(Rendered(R"({{.inputs.list | split "," | join "+"}})"), "a+b+c");
  EXPECT_EQ(Rendered(R"({{split "," .inputs.list}} {{split "," .inputs.empty}})"), R"(["a","b","c"] [])");
  EXPECT_EQ(Rendered(R"({{json .inputs.quoted}} {{json .inputs.ratio}} {{json .states.one.Response}})"),
            R"("it's" 1.1 {"a":{"b":[1,"x",2]}})");
  EXPECT_EQ(Rendered(R"({{(fromJson `{"a":{"b":7}}`).a.b}})"), "7");
  EXPECT_EQ(Rendered(R"({{replace "a" "bb" "banana"}} {{"Öl" | lower}})"), "bbbnbbnbb Öl");
  EXPECT_EQ(
      Rendered(R"({{contains "nn" .inputs.name}} {{hasPrefix "B" .inputs.name}} {{.inputs.name | hasSuffix "n"}})"),
      "true false true");
  EXPECT_EQ(Rendered("{{indent 2 \"a\\nb\"}}"), "  a\n  b");
  EXPECT_EQ(Rendered(R"({{upper (replace "n" "m" (lower .inputs.name))}})"), "AMM");
}

TEST(Template, DefaultTakesWhatIsMissingOrEmpty) {
  EXPECT_EQ(Rendered(R"({{default "v" .inputs.nobody}} {{.states.two.Output | default "none"}})"), "v none");
  EXPECT_EQ(Rendered(R"({{default "v" .inputs.empty}} {{default "v" .inputs.nothing}})"), "v v");
  EXPECT_EQ(Rendered(R"({{default "v" .inputs.name}} {{default 1 .inputs.count}} {{default true false}})"),
            "Ann 3 false");
  EXPECT_EQ(Rendered(R"({{default "v" (lower .inputs.nobody)}})"), "FAULT 21 'inputs.nobody' has no value");
}

TEST(Template, FunctionsRefuseWhatTheyCannotTake) {
  EXPECT_EQ(Rendered(R"({{join "," .inputs.list}})"), "FAULT 2 'join' needs a list");
  EXPECT_EQ(Rendered(R"({{split "" .inputs.list}})"), "FAULT 2 'split' got an empty separator");
  EXPECT_EQ(Rendered("{{fromJson .inputs.list}}"), "FAULT 2 'fromJson' got text that is not JSON");
  EXPECT_EQ(Rendered("{{indent -1 .inputs.list}}"), "FAULT 2 'indent' needs a number of spaces from 0 to 1000");
  EXPECT_EQ(Rendered(R"({{replace "" "x" .inputs.list}})"), "FAULT 2 'replace' got nothing to replace");
  EXPECT_EQ(Rendered("{{lower}}"), "PARSE 2 function 'lower' does not take 0 arguments");
  EXPECT_EQ(Rendered(R"({{.inputs.name | lower "x"}})"), "PARSE 17 function 'lower' does not take 2 arguments");
  EXPECT_EQ(Rendered("{{nosuch .inputs.name}}"), "FAULT 2 there is no function 'nosuch'");
}

TEST(Template, RefusesByName) {
  for (const char* word : {"if", "else", "end", "range", "with", "break", "continue"}) {
    EXPECT_EQ(Rendered("{{" + std::string(word) + " .inputs.name}}"),
              "PARSE 2 '" + std::string(word) + "' is not supported yet");
  }
  for (const char* word : {"define", "template", "block"}) {
    EXPECT_EQ(Rendered("{{" + std::string(word) + " \"x\"}}"), "PARSE 2 '" + std::string(word) + "' is not supported");
  }
  for (const char* word : {"readFile", "and", "or", "not", "eq", "len", "index", "printf"}) {
    EXPECT_EQ(Rendered("{{" + std::string(word) + " \"x\"}}"),
              "PARSE 2 function '" + std::string(word) + "' is not supported yet");
  }
  EXPECT_EQ(Rendered("{{$x := 1}}"), "PARSE 2 variable '$x' is not supported yet");
  EXPECT_EQ(Rendered("{{.}}"), "PARSE 2 '.' alone is not supported yet");
}

TEST(Template, PointsAtSyntaxErrors) {
  EXPECT_EQ(Rendered("abc {{ .inputs.name"), "PARSE 4 this action is never closed with '}}'");
  EXPECT_EQ(Rendered("{{ .inputs.name {{ }}"), "PARSE 0 this action is never closed with '}}'");
  EXPECT_EQ(Rendered("{{ }}"), "PARSE 0 an action must not be empty");
  EXPECT_EQ(Rendered("{{ .inputs.name | }}"), "PARSE 18 something is missing before '}}'");
  EXPECT_EQ(Rendered("{{ | lower }}"), "PARSE 3 unexpected '|'");
  EXPECT_EQ(Rendered("{{ (lower .inputs.name }}"), "PARSE 3 this parenthesis is never closed");
  EXPECT_EQ(Rendered("{{ lower .inputs.name) }}"), "PARSE 21 unexpected ')'");
  EXPECT_EQ(Rendered("{{ .inputs.name .inputs.count }}"), "PARSE 16 unexpected operand");
  EXPECT_EQ(Rendered("{{ .inputs.name | .inputs.count }}"), "PARSE 18 what stands behind '|' must be a function");
  EXPECT_EQ(Rendered("{{ join \",\", .inputs.list }}"), "PARSE 11 unexpected ','");
  EXPECT_EQ(Rendered("{{ lower upper .inputs.name }}"), "PARSE 9 put the call of 'upper' in parentheses");
  EXPECT_EQ(Rendered("{{ inputs }}"), "PARSE 3 'inputs' needs a name behind it");
  EXPECT_EQ(Rendered("{{ .inputs.name & x }}"), "PARSE 16 unexpected '&' in an action");
  EXPECT_EQ(Rendered("{{ ü }}"), "PARSE 3 unexpected 'ü' in an action");
}

TEST(Template, IsLimited) {
  EXPECT_EQ(Rendered("{{" + std::string(200, '(') + "1" + std::string(200, ')') + "}}"),
            "PARSE 103 parentheses are nested deeper than 100 levels");
  std::string pipeline = "{{.inputs.name";
  for (int i = 0; i < 1001; ++i) pipeline += "|lower";
  EXPECT_EQ(Rendered(pipeline + "}}"), "PARSE 6015 more than 1000 function calls in one action");
  std::string growing = "{{\"aaaaaaaaaa\"";
  for (int i = 0; i < 10; ++i) growing += "|replace \"a\" \"aaaaaaaaaa\"";
  EXPECT_TRUE(Rendered(growing + "}}").ends_with("'replace' makes more than 64 MiB"));
}

TEST(TemplateFunctions, EscapeOnlyWhenNeeded) {
  EXPECT_EQ(ShellEscaped("a/b-c_d.e:f=g@h%i+j,k0"), "a/b-c_d.e:f=g@h%i+j,k0");
  EXPECT_EQ(ShellEscaped(""), "''");
  EXPECT_EQ(ShellEscaped("$(rm -rf /)"), "'$(rm -rf /)'");
  EXPECT_EQ(ShellEscaped("~"), "'~'");
  EXPECT_EQ(ShellEscaped("a\nb"), "'a\nb'");
}

TEST(TemplateFunctions, WriteShortJson) {
  EXPECT_EQ(CompactJson(json::value(0.1)), "0.1");
  EXPECT_EQ(CompactJson(json::value(1e300)), "1e+300");
  EXPECT_EQ(CompactJson(json::parse(R"({"k\n":[null,true,-1,18446744073709551615,"\u0001"]})")),
            R"({"k\n":[null,true,-1,18446744073709551615,"\u0001"]})");
}

}  // namespace
}  // namespace awf
