#include "application/language/template.h"

#include <gtest/gtest.h>

#include "application/language/template_evaluator.h"
#include "application/language/template_fixture_for_tests.h"

namespace awf {
namespace {

TEST(Template, LeavesTextAlone) {
  EXPECT_EQ(Rendered(""), "");
  EXPECT_EQ(Rendered("plain { } }} $x .y | text"), "plain { } }} $x .y | text");
  EXPECT_EQ(Rendered("ünïcode"), "ünïcode");
}

TEST(Template, ResolvesReferences) {
  EXPECT_EQ(Rendered("Hi {{.inputs.name}}!"), "Hi Ann!");
  EXPECT_EQ(Rendered("{{ inputs.name }} {{$.inputs.name}} {{captures.version}} {{.workflow.ID}}"), "Ann Ann 1.2 r1");
  EXPECT_EQ(Rendered("{{.states.my-state.Output}} {{states.my-state.Output}}"), "dashed dashed");
  EXPECT_EQ(Rendered("{{.states.one.Response.a.b}}"), R"([1,"x",2])");
  EXPECT_EQ(Rendered("{{.inputs.count}} {{.inputs.flag}} {{.inputs.ratio}} {{.inputs.nothing}}"), "3 true 1.1 null");
  EXPECT_EQ(Rendered("{{.env.HOME}} {{env.HOME}}{{.env.BLANK}}"), "/home/ann /home/ann");
}

TEST(Template, TakesWholeNamespacesButEnvAndStates) {
  EXPECT_EQ(Rendered("{{.workflow}} {{json captures}}"), R"({"ID":"r1","Name":"wf"} {"version":"1.2"})");
  EXPECT_EQ(Rendered("{{range $k, $v := .workflow}}{{$k}}={{$v};{{end}}"), "PARSE 40 unexpected '}' in an action");
  EXPECT_EQ(Rendered("{{range $k, $v := workflow}}{{$k}}={{$v}};{{end}}"), "ID=r1;Name=wf;");
  EXPECT_EQ(Rendered("{{.states.my-state}}"), R"({"Output":"dashed"})");
  EXPECT_EQ(Rendered("{{ .env }}"), "PARSE 3 'env' needs a name behind it");
  EXPECT_EQ(Rendered("{{ json $.states }}"), "PARSE 8 'states' needs a name behind it");
  EXPECT_EQ(Rendered("{{ . }}"), "PARSE 3 '.' alone is a value inside range and with only");
  EXPECT_EQ(Rendered("{{ $ }}"), "PARSE 3 '$' needs a name behind it");
}

TEST(Template, TellsWhatIsMissing) {
  EXPECT_EQ(Rendered("a {{.inputs.nobody}}"), "FAULT 4 'inputs.nobody' has no value");
  EXPECT_EQ(Rendered("{{.states.two.Output}}"), "FAULT 2 state 'two' has not run");
  EXPECT_EQ(Rendered("{{.states.one.Response.x.y}}"),
            "FAULT 2 'states.one.Response.x.y' has no value: there is no 'states.one.Response.x'");
  EXPECT_EQ(Rendered("{{.states.one.JSON.x.y}}"),
            "FAULT 2 'states.one.JSON.x.y' has no value: 'states.one.JSON' is null");
  EXPECT_EQ(Rendered("{{.inputs.name.first}}"), "FAULT 2 'inputs.name.first' has no value: 'inputs.name' is text");
  EXPECT_EQ(Rendered("{{.elsewhere.x}}"), "FAULT 2 'elsewhere' is not there");
  EXPECT_EQ(Rendered("{{.loop.Item}}"), "FAULT 2 'loop' is not there: it is in the bodies of loops only");
  EXPECT_EQ(Rendered("{{.error.Code}}"), "FAULT 2 'error' is not there: it is in messages and hooks of failures only");
  EXPECT_EQ(Rendered("{{.awf.run_dir}}"), "FAULT 2 'awf' is not there");
  EXPECT_EQ(Rendered("{{.env.NO_SUCH}}"), "FAULT 2 environment variable 'NO_SUCH' is not set");
  EXPECT_EQ(Rendered("{{.env.HOME.x}}"), "FAULT 2 'env.HOME' is text and has no 'x'");
  EXPECT_EQ(Rendered("{{(fromJson `{}`).a}}"), "FAULT 2 '(…).a' has no value");
  EXPECT_EQ(Rendered("{{$x := .inputs.map}}{{$x.c.d}}"), "FAULT 23 '$x.c.d' has no value: there is no '$x.c'");
  EXPECT_EQ(Rendered("{{$x := .inputs.name}}{{$x.c}}"), "FAULT 24 '$x.c' has no value: '$x' is text");
  EXPECT_EQ(Rendered("{{with .inputs.map}}{{.c}}{{end}}"), "FAULT 22 '.c' has no value");
  EXPECT_EQ(Rendered("{{with .inputs.name}}{{.c}}{{end}}"), "FAULT 23 '.c' has no value: '.' is text");
}

TEST(Template, MissingValuesAreFaultsInConditionsToo) {
  const std::string fault = "'inputs.nobody' has no value";
  EXPECT_EQ(Rendered("{{if .inputs.nobody}}{{end}}"), "FAULT 5 " + fault);
  EXPECT_EQ(Rendered("{{with .inputs.nobody}}{{end}}"), "FAULT 7 " + fault);
  EXPECT_EQ(Rendered("{{range .inputs.nobody}}{{end}}"), "FAULT 8 " + fault);
  EXPECT_EQ(Rendered("{{not .inputs.nobody}}"), "FAULT 6 " + fault);
  EXPECT_EQ(Rendered("{{and .inputs.nobody true}}"), "FAULT 6 " + fault);
  EXPECT_EQ(Rendered("{{or false .inputs.nobody}}"), "FAULT 11 " + fault);
}

TEST(Template, FaultsCarryCodesAndHints) {
  const auto missing = Template::Parse("{{.states.two.Output}}")->Render(TemplateTestScope());
  EXPECT_EQ(missing.error().code, "EXECUTION.TEMPLATE.UNDEFINED");
  EXPECT_EQ(missing.error().hint, "give a value for that case with default");
  const auto dot = Template::Parse("{{with 1}}{{.inputs.name}}{{end}}")->Render(TemplateTestScope());
  EXPECT_EQ(dot.error().hint, "inside range and with the dot is another value; write $.inputs");
  const auto malformed = Template::Parse("{{if}}");
  EXPECT_EQ(malformed.error().code, "WORKFLOW.VALIDATION.TEMPLATE_SYNTAX");
  EXPECT_EQ(Template::Parse("{{lower}}").error().hint, "write lower TEXT");
}

TEST(Template, NamesTheRightSpellingOfAWrongCase) {
  EXPECT_EQ(Rendered("{{.states.one.output}}"),
            "FAULT 2 'states.one.output' has no value: 'output' is written 'Output'");
  EXPECT_EQ(Rendered("{{.states.my-state.exitCode}}"),
            "FAULT 2 'states.my-state.exitCode' has no value: 'exitCode' is written 'ExitCode'");
  EXPECT_EQ(Rendered("{{.workflow.id}}"), "FAULT 2 'workflow.id' has no value: 'id' is written 'ID'");
  EXPECT_EQ(Rendered("{{.workflow.startedAt}}"),
            "FAULT 2 'workflow.startedAt' has no value: 'startedAt' is written 'StartedAt'");
  EXPECT_EQ(Rendered("{{.inputs.Name}}"), "FAULT 2 'inputs.Name' has no value: 'Name' is written 'name'");
  EXPECT_EQ(Rendered("{{.Inputs.name}}"), "FAULT 2 'Inputs' is not there: it is written 'inputs'");
}

TEST(Template, DefaultTakesWhatIsMissingOrEmpty) {
  EXPECT_EQ(Rendered(R"({{default "v" .inputs.nobody}} {{.states.two.Output | default "none"}})"), "v none");
  EXPECT_EQ(Rendered(R"({{default "v" .env.NO_SUCH}} {{env.BLANK | default "v"}} {{default "v" .env.HOME}})"),
            "v v /home/ann");
  EXPECT_EQ(Rendered(R"({{default "v" .inputs.empty}} {{default "v" .inputs.nothing}})"), "v v");
  EXPECT_EQ(Rendered(R"({{default "v" .inputs.name}} {{default 1 .inputs.count}} {{default true false}})"),
            "Ann 3 false");
  EXPECT_EQ(Rendered(R"({{default "v" .loop.Item}} {{default "v" .states.one.JSON.a}})"), "v v");
  EXPECT_EQ(Rendered(R"({{range .inputs.people}}{{.age | default 0}}{{end}})"), "00");
  EXPECT_EQ(Rendered(R"({{$x := .inputs.map}}{{default "v" $x.z}})"), "v");
  EXPECT_EQ(Rendered(R"({{default "v" (index .inputs.map "z")}} {{default "v" (index .inputs.list 9)}})"), "v v");
  EXPECT_EQ(Rendered(R"({{default "v" (fromJson "{}").a}})"), "v");
  EXPECT_EQ(Rendered(R"({{default (default "w" .inputs.nobody) .inputs.empty}})"), "w");
}

TEST(Template, DefaultProvidesForNothingElse) {
  EXPECT_EQ(Rendered(R"({{default "v" (lower .inputs.nobody)}})"), "FAULT 21 'inputs.nobody' has no value");
  EXPECT_EQ(Rendered(R"({{default "v" (and .inputs.nobody)}})"), "FAULT 19 'inputs.nobody' has no value");
  EXPECT_EQ(Rendered(R"({{default .inputs.nobody "v"}})"), "FAULT 10 'inputs.nobody' has no value");
  EXPECT_EQ(Rendered(R"({{default "v" .elsewhere.x}})"), "FAULT 14 'elsewhere' is not there");
  EXPECT_EQ(Rendered(R"({{default "v" (index .inputs.list "a")}})"),
            "FAULT 15 'index' needs a whole number as index, not text");
}

TEST(Template, EvaluateKeepsTheTypeOfASingleAction) {
  const auto value = [](std::string_view text) { return *Template::Parse(text)->Evaluate(TemplateTestScope()); };
  EXPECT_EQ(value("{{.inputs.count}}"), json::value(3));
  EXPECT_EQ(value("{{ .inputs.nums }}"), json::value({1, 2, 3}));
  EXPECT_EQ(value("{{.inputs.nothing}}"), json::value(nullptr));
  EXPECT_EQ(value("{{eq 1 1}}"), json::value(true));
  EXPECT_EQ(value(R"({{.inputs.csv | split ","}})"), json::value({"a", "b", "c"}));
  EXPECT_EQ(value("{{.inputs.count}} "), json::value("3 "));
  EXPECT_EQ(value("{{if true}}{{.inputs.count}}{{end}}"), json::value("3"));
  EXPECT_EQ(value("text"), json::value("text"));
  EXPECT_EQ(value(""), json::value(""));
  EXPECT_EQ(Template::Parse("{{.inputs.x}}")->Evaluate(TemplateTestScope()).error().offset, 2U);
  EXPECT_EQ(Template::Parse("a{{.inputs.x}}")->Evaluate(TemplateTestScope()).error().offset, 3U);
}

TEST(Template, IsLimited) {
  EXPECT_EQ(Rendered("{{" + std::string(200, '(') + "1" + std::string(200, ')') + "}}"),
            "PARSE 103 parentheses are nested deeper than 100 levels");
  std::string pipeline = "{{.inputs.name";
  for (int i = 0; i < 1000; ++i) pipeline += "|lower";
  EXPECT_EQ(Rendered(pipeline + "}}"), "ann");
  EXPECT_EQ(Rendered(pipeline + "|lower}}"), "PARSE 6015 more than 1000 function calls in one action");
  std::string nested;
  for (int i = 0; i < 101; ++i) nested += "{{if 1}}";
  EXPECT_EQ(Rendered(nested), "PARSE 802 if, range and with are nested deeper than 100 levels");
  std::string chain = "{{if 0}}";
  for (int i = 0; i < 1000; ++i) chain += "{{else if 0}}";
  EXPECT_EQ(Rendered(chain + "{{else}}end{{end}}"), "end");
}

TEST(Template, BoundsWorkAndOutput) {
  const std::string steps = "the template takes more than 10000000 steps";
  const std::string megabyte = R"({{$x := printf "%1000000s" "x"}})";
  EXPECT_EQ(Rendered(megabyte + "{{range 4000}}{{$y := len $x}}{{end}}"), "FAULT 54 " + steps);
  EXPECT_EQ(Rendered(megabyte + "{{range 100}}{{$x}}{{end}}"), "FAULT 47 the text becomes longer than 64 MiB");
  EXPECT_EQ(Rendered(megabyte + "{{range 100}}{{$x = print $x $x}}{{end}}"), "FAULT 52 'print' makes more than 64 MiB");
  EXPECT_EQ(Rendered("{{$x := `\\\\\\\\`}}{{range 100}}{{$x = json $x}}{{end}}"),
            "FAULT 36 'json' makes more than 64 MiB");
}

TEST(Template, CountsNodesCallsIterationsAndText) {
  const auto steps = [](const char* text) {
    const auto parsed = Template::Parse(text);
    const Scope scope = TemplateTestScope();
    std::int64_t most = 0;
    while (!TemplateEvaluator(scope, most).Render(parsed->nodes())) ++most;
    return most;
  };
  EXPECT_EQ(steps(""), 0);
  EXPECT_EQ(steps("text"), 1);
  EXPECT_EQ(steps("{{.inputs.name}} {{lower .inputs.name}}"), 4);
  EXPECT_EQ(steps("{{range 5}}{{end}}"), 6);
  EXPECT_EQ(steps("{{range .inputs.list}}x{{end}}"), 5);
  EXPECT_EQ(steps("{{range .inputs.map}}x{{end}}"), 7);  // its keys are sorted
  EXPECT_EQ(steps("{{if true}}a{{else}}b{{end}}"), 2);
  EXPECT_EQ(steps(R"({{printf "%512s" "x" | len}})"), 7);  // two calls, 512 bytes made and taken
}

}  // namespace
}  // namespace awf
