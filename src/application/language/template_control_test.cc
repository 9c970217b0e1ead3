// if, with, range, variables, and what the parser refuses.
#include <gtest/gtest.h>

#include "application/language/template_fixture_for_tests.h"

namespace awf {
namespace {

TEST(TemplateControl, IfTakesTheFirstTrueBranch) {
  EXPECT_EQ(Rendered("{{if .inputs.flag}}a{{else}}b{{end}}"), "a");
  EXPECT_EQ(Rendered("{{if .inputs.empty}}a{{else if eq .inputs.count 3}}b{{else}}c{{end}}"), "b");
  EXPECT_EQ(Rendered("{{if false}}a{{else if 0}}b{{else}}c{{end}}-{{if nil | not}}{{end}}"),
            "PARSE 49 nil can only be an argument");
  EXPECT_EQ(Rendered("{{if .states.one.ExitCode}}failed{{else}}ok{{end}}"), "ok");
  EXPECT_EQ(Rendered("{{if true}}\n{{- .inputs.name -}}\n{{end}}"), "Ann");
  // A branch that is not taken may name what is not there.
  EXPECT_EQ(Rendered("{{if false}}{{.inputs.nobody}}{{else}}x{{end}}"), "x");
}

TEST(TemplateControl, WithMakesItsValueTheDot) {
  EXPECT_EQ(Rendered("{{with .inputs.map}}{{.a}}{{.b}}{{$.inputs.name}}{{inputs.name}}{{end}}"), "12AnnAnn");
  EXPECT_EQ(Rendered("{{with .inputs.none}}a{{else}}{{.inputs.name}}{{end}}"), "Ann");
  EXPECT_EQ(Rendered("{{with .inputs.none}}a{{else with .inputs.name}}{{.}}{{end}}"), "Ann");
  EXPECT_EQ(Rendered("{{with .inputs.map}}{{with .a}}{{.}}{{end}}{{.b}}{{end}}{{.inputs.name}}"), "12Ann");
}

TEST(TemplateControl, RangeGoesOverListsObjectsAndNumbers) {
  EXPECT_EQ(Rendered("{{range .inputs.list}}<{{.}}>{{end}}"), "<a><b>");
  EXPECT_EQ(Rendered("{{range $i, $v := .inputs.list}}{{$i}}{{$v}}{{end}}"), "0a1b");
  EXPECT_EQ(Rendered("{{range $k, $v := .inputs.map}}{{$k}}{{$v}}{{end}}"), "a1b2");
  EXPECT_EQ(Rendered("{{range .inputs.count}}{{.}}{{end}}{{range 2.0}}{{.}}{{end}}"), "01201");
  EXPECT_EQ(Rendered("{{range .inputs.none}}a{{else}}{{.inputs.name}}{{end}}{{range .inputs.nothing}}{{else}}b{{end}}"),
            "Annb");
  EXPECT_EQ(Rendered("{{range .inputs.people}}{{.name}}{{range .tags}}({{.}}){{else}}-{{end}}{{end}}"), "Bo(x)Cy-");
  EXPECT_EQ(Rendered("{{range $k, $v := inputs}}{{if eq $k `name`}}{{$v}}{{end}}{{end}}"), "Ann");
  EXPECT_EQ(Rendered("{{ range .inputs.name }}{{end}}"), "FAULT 9 cannot range over text");
  EXPECT_EQ(Rendered("{{ range .inputs.flag }}{{end}}"), "FAULT 9 cannot range over a boolean");
  EXPECT_EQ(Rendered("{{range 1.5}}{{end}}"), "FAULT 8 cannot range over a number");
  EXPECT_EQ(Rendered("{{range $i, $v := 3}}{{end}}"), "FAULT 18 cannot set two variables while ranging over a number");
}

TEST(TemplateControl, BreakAndContinueActOnTheInnermostRange) {
  EXPECT_EQ(Rendered("{{range .inputs.nums}}{{if eq . 2}}{{continue}}{{end}}{{.}}{{end}}"), "13");
  EXPECT_EQ(Rendered("{{range .inputs.nums}}{{if eq . 2}}{{break}}{{end}}{{.}}{{end}}!"), "1!");
  EXPECT_EQ(Rendered("{{range .inputs.map}}{{.}}{{break}}{{end}}{{range 3}}{{.}}{{break}}{{end}}"), "10");
  EXPECT_EQ(Rendered("{{range 2}}{{range $.inputs.list}}{{.}}{{break}}{{end}};{{end}}"), "a;a;");
  EXPECT_EQ(Rendered("{{break}}"), "PARSE 2 'break' stands outside of a range");
  EXPECT_EQ(Rendered("{{range 2}}{{else}}{{continue}}{{end}}"), "PARSE 21 'continue' stands outside of a range");
  EXPECT_EQ(Rendered("{{range 2}}{{break 1}}{{end}}"), "PARSE 19 nothing can stand behind 'break'");
}

TEST(TemplateControl, VariablesLiveInTheirScope) {
  EXPECT_EQ(Rendered("{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}"), "21");
  EXPECT_EQ(Rendered("{{$x := 1}}{{range 3}}{{$x = .}}{{end}}{{$x}}"), "2");
  EXPECT_EQ(Rendered("{{$all := ``}}{{range .inputs.list}}{{$all = print $all .}}{{end}}{{$all}}"), "ab");
  EXPECT_EQ(Rendered("{{if $x := 0}}{{else if $y := 2}}{{$x}}{{$y}}{{end}}"), "02");
  EXPECT_EQ(Rendered("{{with $x := .inputs.map}}{{$x.a}}{{end}}"), "1");
  EXPECT_EQ(Rendered("{{range $v := .inputs.none}}{{else}}{{$v}}{{end}}"), "[]");
  EXPECT_EQ(Rendered("{{range 2}}{{$y := .}}{{end}}{{$y}}"), "PARSE 31 there is no variable '$y' here");
  EXPECT_EQ(Rendered("{{if $x := 1}}{{end}}{{ $x }}"), "PARSE 24 there is no variable '$x' here");
  EXPECT_EQ(Rendered("{{if 0}}{{$x := 1}}{{else}}{{$x}}{{end}}"), "PARSE 29 there is no variable '$x' here");
  EXPECT_EQ(Rendered("{{ $x = 1 }}"), "PARSE 3 there is no variable '$x' to set here");
  EXPECT_EQ(Rendered("{{$i := 0}}{{range $i, $v = .inputs.list}}{{end}}"),
            "PARSE 23 there is no variable '$v' to set here");
}

TEST(TemplateControl, VariablesAreSetAtTheBeginOfAnActionOnly) {
  const std::string only = " only a variable at the begin of an action can be set";
  EXPECT_EQ(Rendered("{{.inputs.name := 1}}"), "PARSE 15" + only);
  EXPECT_EQ(Rendered("{{$x := 1}}{{$x.a = 1}}"), "PARSE 18" + only);
  EXPECT_EQ(Rendered("{{($x := 3) | print}}"), "PARSE 6" + only);
  EXPECT_EQ(Rendered("{{print $x := 3}}"), "PARSE 11" + only);
  EXPECT_EQ(Rendered("{{$ := 1}}"), "PARSE 2 '$' is the root and cannot be set");
  EXPECT_EQ(Rendered("{{$x, $y := .inputs.map}}"), "PARSE 6 only range sets two variables");
  EXPECT_EQ(Rendered("{{range $x, $y, $z := .inputs.map}}{{end}}"), "PARSE 16 range sets no more than two variables");
  EXPECT_EQ(Rendered("{{$x :=}}"), "PARSE 7 something is missing before '}}'");
  EXPECT_EQ(Rendered("{{range $x, := .inputs.map}}{{end}}"), "PARSE 12" + only);
}

TEST(TemplateControl, BlocksMustBeWhole) {
  EXPECT_EQ(Rendered("a{{if 1}}b"), "PARSE 3 this 'if' is never closed with {{end}}");
  EXPECT_EQ(Rendered("{{range 1}}{{with 1}}{{end}}"), "PARSE 2 this 'range' is never closed with {{end}}");
  EXPECT_EQ(Rendered("{{with 1}}{{else}}"), "PARSE 2 this 'with' is never closed with {{end}}");
  EXPECT_EQ(Rendered("a{{end}}"), "PARSE 3 'end' belongs to no if, range or with");
  EXPECT_EQ(Rendered("{{if 1}}{{end}}{{else}}"), "PARSE 17 'else' belongs to no if, range or with");
  EXPECT_EQ(Rendered("{{if 1}}{{else}}{{else}}{{end}}"), "PARSE 18 this 'else' comes behind the last one of its 'if'");
  EXPECT_EQ(Rendered("{{if 1}}{{else}}{{else if 2}}{{end}}"),
            "PARSE 18 this 'else' comes behind the last one of its 'if'");
  EXPECT_EQ(Rendered("{{range 1}}{{else if 1}}{{end}}"), "PARSE 18 'else if' cannot follow 'range'");
  EXPECT_EQ(Rendered("{{with 1}}{{else if 1}}{{end}}"), "PARSE 17 'else if' cannot follow 'with'");
  EXPECT_EQ(Rendered("{{if 1}}{{else with 1}}{{end}}"), "PARSE 15 'else with' cannot follow 'if'");
  EXPECT_EQ(Rendered("{{if 1}}{{end 1}}"), "PARSE 14 nothing can stand behind 'end'");
  EXPECT_EQ(Rendered("{{if 1}}{{else 1}}{{end}}"), "PARSE 15 nothing can stand behind 'else'");
  for (const char* word : {"if", "with", "range"}) {
    EXPECT_EQ(Rendered("{{ " + std::string(word) + " }}{{end}}"),
              "PARSE 3 '" + std::string(word) + "' needs a value behind it");
  }
  EXPECT_EQ(Rendered("{{print if}}"), "PARSE 8 'if' must be the first word of its action");
}

TEST(TemplateControl, RefusesByName) {
  for (const char* word : {"define", "template", "block"}) {
    EXPECT_EQ(Rendered("{{" + std::string(word) + " \"x\"}}"), "PARSE 2 '" + std::string(word) + "' is not supported");
  }
  EXPECT_EQ(Rendered("{{call .inputs.name}}"), "PARSE 2 'call' is not supported: no value is a function");
  EXPECT_EQ(Rendered("{{.inputs.name.Method 1}}"), "PARSE 22 unexpected operand");
  EXPECT_EQ(Rendered("{{html .inputs.name}}"), "FAULT 2 there is no function 'html'");
}

TEST(TemplateControl, TrimsAndIgnoresComments) {
  EXPECT_EQ(Rendered("a  {{- .inputs.name -}}  \n b"), "aAnnb");
  EXPECT_EQ(Rendered("a {{.inputs.name -}} b"), "a Annb");
  EXPECT_EQ(Rendered("a {{/* note }} */}} b"), "a  b");
  EXPECT_EQ(Rendered("a {{- /* note */ -}} b"), "ab");
  EXPECT_EQ(Rendered("{{-3}}"), "-3");
  EXPECT_EQ(Rendered("{{/* open"), "PARSE 0 this comment is never closed");
  EXPECT_EQ(Rendered("{{/* a */ .inputs.name}}"), "PARSE 2 a comment must fill its whole action: {{/* … */}}");
}

TEST(TemplateControl, KnowsLiterals) {
  EXPECT_EQ(Rendered(R"({{"a\t\"b\"\u00e9\x41\101\U0001F600"}})"),
            "a\t\"b\"\xC3\xA9"
            "AA\xF0\x9F\x98\x80");
  EXPECT_EQ(Rendered("{{`raw \\n }}`}}"), "raw \\n }}");
  EXPECT_EQ(Rendered("{{1}} {{-2}} {{+3}} {{1.50}} {{1e3}} {{0x1F}} {{'a'}} {{1_000}} {{017}} {{true}} {{false}}"),
            "1 -2 3 1.5 1000 31 97 1000 15 true false");
  EXPECT_EQ(Rendered("{{\"\\xe9\"}}"), "é");  // a character: text is UTF-8
  EXPECT_EQ(Rendered(R"({{"open}})"), "PARSE 2 this string is never closed");
  EXPECT_EQ(Rendered("{{`open}}"), "PARSE 2 this raw string is never closed");
  for (const char* text : {R"({{"\q"}})", R"({{"\ud800"}})", R"({{"\'"}})", R"({{"\400"}})", R"({{"\x4"}})"}) {
    EXPECT_EQ(Rendered(text), "PARSE 3 unknown escape in a string");
  }
  for (const char* text : {"{{'ab'}}", "{{''}}", "{{'a", R"({{'\"'}})", "{{'\xff'}}"}) {
    EXPECT_EQ(Rendered(text), "PARSE 2 a character constant holds one character, as 'a'");
  }
  for (const char* number : {"1x", "08", "0x", "0b12", "1__0", "1_", "1e", "1i", "1e400", "0x1.8", "1.2.3"}) {
    EXPECT_EQ(Rendered("{{" + std::string(number) + "}}"), "PARSE 2 '" + std::string(number) + "' is not a number");
  }
  EXPECT_EQ(Rendered("{{99999999999999999999}}"),
            "PARSE 2 the number '99999999999999999999' does not fit into 64 bits");
  EXPECT_EQ(Rendered("{{nil}}"), "PARSE 2 nil can only be an argument");
}

TEST(TemplateControl, PointsAtSyntaxErrors) {
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
  EXPECT_EQ(Rendered("{{ print \"a\"\"b\" }}"), "PARSE 12 a space is missing here");
  EXPECT_EQ(Rendered("{{ .inputs.name & x }}"), "PARSE 16 unexpected '&' in an action");
  EXPECT_EQ(Rendered("{{ ü }}"), "PARSE 3 unexpected 'ü' in an action");
  EXPECT_EQ(Rendered("{{ \xff }}"), "PARSE 3 unexpected '\xff' in an action");
}

}  // namespace
}  // namespace awf
