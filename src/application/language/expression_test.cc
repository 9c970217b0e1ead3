#include "application/language/expression.h"

#include <gtest/gtest.h>

#include "application/language/expression_for_tests.h"

namespace awf::expression_tests {
namespace {

TEST(Expression, ReadsNames) {
  Check({{"inputs.name", R"("Ann")"},
         {".inputs.name", R"("Ann")"},
         {"inputs['name']", R"("Ann")"},
         {"inputs.map.k", R"("v")"},
         {"inputs.map['my-key']", "7"},
         {"states.build.Output", R"("42")"},
         {".states.build.Output", R"("42")"},
         {"states.my-state.Stderr", R"("bad")"},
         {".states.my-state.Stderr", R"("bad")"},
         {"states['my-state'].Stderr", R"("bad")"},
         {"states[inputs.which].ExitCode", "0"},
         {"states.build.ExitCode", "0"},
         {"states.build.Status", R"("success")"},
         {"states.build.Duration", R"("1.5s")"},
         {"states.build.Attempts", "2"},
         {"states.my-state.Error", R"("exit status 2")"},
         {"states.my-state.ErrorCode", R"("EXECUTION.COMMAND.FAILED")"},
         {"states.ask.Response.ok", "true"},
         {"states.ask.JSON[1].file", R"("b.cc")"},
         {"states.ask.TokensInput", "1200"},
         {"states.ask.TokensOutput", "34"},
         {"states.ask.TokensUsed", "1234"},
         {"states.ask.TokensEstimated", "false"},
         {"loop.Index", "1"},
         {"env.HOME", R"("/home/ann")"},
         {"env['HOME']", R"("/home/ann")"},
         {"env[upper('home')]", R"("/home/ann")"},
         {"len(inputs)", "9"},
         {"'build' in states", "true"},
         {"'other' in states", "false"},
         {"inputs.big", "18446744073709551615"}});
}

TEST(Expression, WhatIsNotThereReadsAsNull) {
  Check({{"states.other.Output", "null"},
         {"states.other.JSON.a[0].b", "null"},
         {"states.other", "null"},
         {"states.build.Response", "null"},
         {"states.ask.Response.nothing.at.all", "null"},
         {"states.ask.Response.items[1].n", R"("x")"},
         {"states.ask.Response.items[2]", "null"},
         {"states.ask.Response.items[-1].n", R"("x")"},
         {"states.ask.Response.items[-3]", "null"},
         {"inputs.nobody", "null"},
         {"inputs.nobody.at.all", "null"},
         {"env.NOT_SET", "null"},
         {"null.x", "null"},
         {"inputs.list[3]", "null"},
         {"{'a': 1}['b']", "null"}});
}

TEST(Expression, IndexesWhatHoldsValues) {
  Check({{"[1, 2][0]", "1"},
         {"[1, 2] [1.0]", "2"},
         {"{'a': [5]}['a'][0]", "5"},
         {"{'a': {'b': 6}}.a.b", "6"},
         {"(inputs).name", R"("Ann")"},
         {"inputs.map['K' == 'k' ? 'x' : 'k']", R"("v")"},
         {"inputs.name.first", "FAULT 0 text has no key 'first'"},
         {"inputs.list.x", "FAULT 0 a list has no key 'x'"},
         {"inputs.list[0].x", "FAULT 14 text has no key 'x'"},
         {"5['a']", "FAULT 1 a number has no key 'a'"},
         {"'abc'[0]", "FAULT 5 text cannot be indexed by a number"},
         {"inputs.map[0]", "FAULT 10 an object cannot be indexed by a number"},
         {"inputs.list[0.5]", "FAULT 11 a list cannot be indexed by a number"},
         {"inputs.list[states.other.ExitCode]", "FAULT 11 a list cannot be indexed by null"},
         {"inputs.list[true]", "FAULT 11 a list cannot be indexed by a boolean"}});
}

TEST(Expression, CallsFunctions) {
  Check({{"len('Grüße')", "5"},
         {"len('')", "0"},
         {"len([1, 2])", "2"},
         {"len({'a': 1})", "1"},
         {"len(states.ask.JSON) > 1", "true"},
         {"lower('ABc 1Ü')", R"("abc 1Ü")"},
         {"upper('abC')", R"("ABC")"},
         {"trim(' \n a b\t')", R"("a b")"},
         {"int('42')", "42"},
         {"int(' -7\n')", "-7"},
         {"int('+3')", "3"},
         {"int(3.9)", "3"},
         {"int(-3.9)", "-3"},
         {"int(5)", "5"},
         {"int(states.build.Output) + 1", "43"},
         {"lower(trim(' A '))", R"("a")"},
         {"len (\n'ab')", "2"},
         {"int('3.5')", "FAULT 0 'int' got text that spells no whole number"},
         {"int('')", "FAULT 0 'int' got text that spells no whole number"},
         {"int('+-3')", "FAULT 0 'int' got text that spells no whole number"},
         {"int('9223372036854775808')", "FAULT 0 'int' got a number that does not fit into 64 bits"},
         {"int(1e30)", "FAULT 0 'int' got a number that does not fit into 64 bits"},
         {"int(inputs.big)", "FAULT 0 'int' got a number that does not fit into 64 bits"},
         {"int(true)", "FAULT 0 'int' needs text or a number, not a boolean"},
         {"int(null)", "FAULT 0 'int' needs text or a number, not null"},
         {"1 + len(5)", "FAULT 4 'len' needs text, a list or an object, not a number"},
         {"len(null)", "FAULT 0 'len' needs text, a list or an object, not null"},
         {"lower(1)", "FAULT 0 'lower' needs text, not a number"},
         {"upper([])", "FAULT 0 'upper' needs text, not a list"},
         {"trim(null)", "FAULT 0 'trim' needs text, not null"},
         {"length('a')", "FAULT 0 there is no function 'length'"},
         {"len()", "PARSE 0 function 'len' takes one value, not 0"},
         {"len(1, 2)", "PARSE 0 function 'len' takes one value, not 2"}});
}

TEST(Expression, TellsUnknownNames) {
  Check({{"done", "FAULT 0 there is no 'done'"},
         {"1 == input.name", "FAULT 5 there is no 'input'"},
         {"error.Message", "FAULT 0 there is no 'error' here"},
         {"captures", "FAULT 0 there is no 'captures' here"},
         {"env", "FAULT 0 'env' needs a name behind it"}});
  EXPECT_EQ(HintOf("done"), "write it in quotes if it is meant as text: 'done'");
  EXPECT_EQ(HintOf("input.name"), "did you mean 'inputs'?");
  EXPECT_EQ(HintOf("Inputs.name"), "did you mean 'inputs'?");
  EXPECT_EQ(HintOf("lenn('a')"), "did you mean 'len'?");
  EXPECT_EQ(HintOf("'1' < 2"), "int(…) makes a number of text");
  EXPECT_EQ(HintOf("states.other.ExitCode + 1"),
            "a state that has not run and a key that is not there read as null; == null tests for that");
}

TEST(Expression, MakesAtMost64MiB) {
  Scope scope = TestScope();
  scope.Set("inputs", {{"long", std::string(40U << 20, 'x')}});
  EXPECT_EQ(Evaluated("inputs.long endsWith 'x'", scope), "true");
  EXPECT_EQ(Evaluated("len(inputs.long + inputs.long)", scope), "FAULT 16 '+' makes more than 64 MiB");
  EXPECT_EQ(Evaluated("len([inputs.long, inputs.long])", scope), "FAULT 18 the expression makes more than 64 MiB");
  EXPECT_EQ(Evaluated("trim(inputs.long) == trim(inputs.long)", scope),
            "FAULT 21 the expression makes more than 64 MiB");
}

TEST(Expression, TestsConditions) {
  const auto tested = [](std::string_view text) {
    const auto result = TestExpressionText(text, TestScope());
    return result ? (*result ? "true" : "false") : Told("FAULT", result.error());
  };
  EXPECT_EQ(tested("true"), "true");
  EXPECT_EQ(tested("states.build.ExitCode == 1"), "false");
  EXPECT_EQ(tested("inputs.count + 1"), "FAULT 13 the condition gives a number, not true or false");
  EXPECT_EQ(tested(" 'true'"), "FAULT 1 the condition gives text, not true or false");
  EXPECT_EQ(tested("states.other.JSON.ok"), "FAULT 0 the condition gives null, not true or false");
  EXPECT_EQ(tested("x: {{.inputs.count}}"), "FAULT 3 the rendered expression 'x: 3': unexpected ':' (at byte 1)");
  EXPECT_EQ(tested("{{.inputs.count}}"), "FAULT 0 the condition gives a number, not true or false");
  EXPECT_EQ(tested("{{.inputs.flag}}"), "true");
  EXPECT_EQ(tested("not {{.inputs.flag}} or '{{.states.build.Output}}' == '42'"), "true");
  const auto fault = TestExpressionText("1", TestScope());
  EXPECT_EQ(fault.error().code, "EXECUTION.EXPRESSION.FAILED");
  EXPECT_EQ(fault.error().hint, "compare it with something: == 'text', != null");
}

TEST(Expression, RendersTemplatesFirst) {
  const auto evaluated = [](std::string_view text) {
    const auto value = EvaluateExpressionText(text, TestScope());
    return value ? CompactJson(*value) : value.error().code + " " + Told("at", value.error());
  };
  EXPECT_EQ(evaluated("states.build.Output"), R"("42")");
  EXPECT_EQ(evaluated("{{.states.build.Output}} + 1"), "43");
  EXPECT_EQ(evaluated("{{json .inputs.list}}"), R"(["a",2,null])");
  EXPECT_EQ(evaluated(" {{.states.ask.JSON}}\n"), R"([{"file":"a.cc"},{"file":"b.cc"}])");
  EXPECT_EQ(evaluated("{{.states.ask.JSON}}[0].file"), R"("a.cc")");
  EXPECT_EQ(evaluated("inputs.x ==="), "WORKFLOW.VALIDATION.EXPRESSION_SYNTAX at 11 unexpected '='");
  EXPECT_EQ(evaluated("1 == {{.inputs.name}}"),
            "EXECUTION.EXPRESSION.FAILED at 5 the rendered expression '1 == Ann': there is no 'Ann' (at byte 5)");
  EXPECT_EQ(evaluated("{{.inputs.name}} {{.inputs.name}}"),
            "EXECUTION.EXPRESSION.FAILED at 0 the rendered expression 'Ann Ann': there is no operator before 'Ann' "
            "(at byte 4)");
  EXPECT_EQ(evaluated("{{.inputs.empty}}"),
            "EXECUTION.EXPRESSION.FAILED at 0 the rendered expression '': an expression must not be empty (at byte 0)");
  EXPECT_EQ(evaluated("1 + {{.inputs.nobody}}").substr(0, 30), "EXECUTION.TEMPLATE.UNDEFINED a");
  EXPECT_EQ(evaluated("1 + {{.inputs.name").substr(0, 35), "WORKFLOW.VALIDATION.TEMPLATE_SYNTAX");
}

}  // namespace
}  // namespace awf::expression_tests
