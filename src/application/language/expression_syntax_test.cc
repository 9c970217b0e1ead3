#include <gtest/gtest.h>

#include "application/language/expression_for_tests.h"

namespace awf::expression_tests {
namespace {

TEST(ExpressionSyntax, KnowsLiteralsOfAllTypes) {
  Check({{"true", "true"},
         {" false\n", "false"},
         {"null", "null"},
         {"nil", "null"},
         {"0", "0"},
         {"42", "42"},
         {"-7", "-7"},
         {"1.50", "1.5"},
         {"1e3", "1000"},
         {"2.5E-1", "0.25"},
         {"9223372036854775807", "9223372036854775807"},
         {"-9223372036854775808", "-9223372036854775808"},
         {R"("a")", R"("a")"},
         {"'a'", R"("a")"},
         {"'say \"hi\"'", R"("say \"hi\"")"},
         {R"('it\'s \\ \/ \n\t\r\b\f')", R"("it's \\ / \n\t\r\b\f")"},
         {R"("\u00e9\ud83d\ude00")", "\"\xC3\xA9\xF0\x9F\x98\x80\""},
         {"`raw \\d \"'`", R"("raw \\d \"'")"},
         {"'two\nlines'", R"("two\nlines")"},
         {"[]", "[]"},
         {"[1, 'a', [true], null]", R"([1,"a",[true],null])"},
         {"{}", "{}"},
         {R"({"k": 1, 'l': [2], "k": 3})", R"({"k":3,"l":[2]})"},
         {"{'a': {'b': inputs.count + 1}}", R"({"a":{"b":4}})"}});
}

TEST(ExpressionSyntax, DashesBelongToNamesOfStatesOnly) {
  Check({{"states.my-state.ExitCode-1", "1"},
         {"states.build.Attempts-1", "1"},
         {"states.my-state.ExitCode - states.build.Attempts", "0"},
         {"inputs.count-1", "2"},
         {"inputs.count-inputs.count", "0"},
         {"states.a--b.Output", "null"},
         {"inputs.map.my-key", "FAULT 14 there is no 'key'"},
         {"inputs.states-1", "FAULT 13 '-' does not work on null and a number"},
         {"states.build-.Output", "FAULT 13 there is no 'Output'"}});
}

TEST(ExpressionSyntax, TellsWhereTheSyntaxIsWrong) {
  Check({{"", "PARSE 0 an expression must not be empty"},
         {" \n", "PARSE 0 an expression must not be empty"},
         {"1 +", "PARSE 3 something is missing at the end"},
         {"1 + ", "PARSE 4 something is missing at the end"},
         {"* 2", "PARSE 0 unexpected '*'"},
         {"+1", "PARSE 0 unexpected '+'"},
         {"and true", "PARSE 0 unexpected 'and'"},
         {"1 2", "PARSE 2 there is no operator before '2'"},
         {"inputs.name 'x'", "PARSE 12 there is no operator before this text"},
         {"true AND false", "PARSE 5 there is no operator before 'AND'"},
         {"a .b", "PARSE 2 there is no operator before 'b'"},
         {"a not b", "PARSE 2 unexpected 'not'"},
         {"(1", "PARSE 0 ')' is missing for what begins here"},
         {"1)", "PARSE 1 unexpected ')'"},
         {"[1, 2", "PARSE 0 ']' is missing for what begins here"},
         {"[1,]", "PARSE 3 unexpected ']'"},
         {"[1 2]", "PARSE 3 there is no operator before '2'"},
         {"inputs.list[0", "PARSE 11 ']' is missing for what begins here"},
         {"inputs[]", "PARSE 7 unexpected ']'"},
         {"{'a' 1}", "PARSE 5 there is no operator before '1'"},
         {"{a: 1}", "PARSE 1 a key of an object must be a text"},
         {"{'a': 1", "PARSE 0 '}' is missing for what begins here"},
         {"len('a'", "PARSE 3 ')' is missing for what begins here"},
         {"inputs.name('a')", "PARSE 11 unexpected '('"},
         {"true ? 1", "PARSE 5 ':' is missing for what begins here"},
         {"true ? 1 2", "PARSE 9 there is no operator before '2'"},
         {"1 < 2 < 3", "PARSE 6 comparisons cannot be chained"},
         {"1 == 2 in [3]", "PARSE 7 comparisons cannot be chained"},
         {"a = 1", "PARSE 2 unexpected '='"},
         {"a | b", "PARSE 2 unexpected '|'"},
         {"a & b", "PARSE 2 unexpected '&'"},
         {"a # b", "PARSE 2 unexpected '#'"},
         {"a § b", "PARSE 2 unexpected '§'"},
         {"\x80", "PARSE 0 unexpected '\xEF\xBF\xBD'"},
         {"1x", "PARSE 0 '1x' is not a number"},
         {"1.", "PARSE 0 '1.' is not a number"},
         {"1.2.3", "PARSE 0 '1.2.3' is not a number"},
         {"1e", "PARSE 0 '1e' is not a number"},
         {"0x10", "PARSE 0 '0x10' is not a number"},
         {".5", "PARSE 0 unexpected '.'"},
         {"inputs.", "PARSE 6 a name must follow '.'"},
         {"inputs.0", "PARSE 6 a name must follow '.'"},
         {"9223372036854775808", "PARSE 0 '9223372036854775808' does not fit into 64 bits"},
         {"1e999", "PARSE 0 '1e999' is out of range"},
         {"'open", "PARSE 0 this text is never closed with '"},
         {"\"open'", "PARSE 0 this text is never closed with \""},
         {"`open", "PARSE 0 this text is never closed with `"},
         {R"('\d')", "PARSE 1 unknown escape in a text"},
         {R"('\ud800x')", "PARSE 1 unknown escape in a text"},
         {R"('\ude00')", "PARSE 1 unknown escape in a text"},
         {R"('\u12')", "PARSE 1 unknown escape in a text"},
         {"'\\", "PARSE 1 unknown escape in a text"}});
  EXPECT_EQ(HintOf("a = 1"), "two values are compared with ==");
  EXPECT_EQ(HintOf("true OR false"), "did you mean 'or'?");
  EXPECT_EQ(HintOf("1 < 2 < 3"), "join them with and: a < b and b < c");
  EXPECT_EQ(HintOf("[1 2]"), "']' is expected here");
}

std::string Repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST(ExpressionSyntax, IsBoundedInDepthAndLength) {
  EXPECT_EQ(Evaluated(Repeated("(", 99) + "1" + Repeated(")", 99)), "1");
  EXPECT_EQ(Evaluated(Repeated("(", 100) + "1" + Repeated(")", 100)), "PARSE 100 nested deeper than 100 levels");
  EXPECT_EQ(Evaluated(Repeated("[", 20000)), "PARSE 100 nested deeper than 100 levels");
  EXPECT_EQ(Evaluated(Repeated("{'a':", 10000)), "PARSE 500 nested deeper than 100 levels");
  EXPECT_EQ(Evaluated(Repeated("!", 20000) + "true"), "PARSE 99 nested deeper than 100 levels");
  EXPECT_EQ(Evaluated(Repeated("-", 20000) + "a"), "PARSE 99 nested deeper than 100 levels");
  EXPECT_EQ(Evaluated(Repeated("true?1:", 5000) + "1"), "PARSE 698 nested deeper than 100 levels");
  EXPECT_EQ(Evaluated("1" + Repeated("+1", 500)), "501");
  EXPECT_EQ(Evaluated("1" + Repeated("+1", 501)), "PARSE 1001 an expression may hold at most 500 operators");
  EXPECT_EQ(Evaluated("a" + Repeated("[0]", 20000)), "PARSE 1501 an expression may hold at most 500 operators");
  EXPECT_EQ(Evaluated("null" + Repeated(".a", 500)), "null");
  EXPECT_EQ(Evaluated("states.a" + Repeated("-", 50000) + "b"), "null");
  EXPECT_EQ(Evaluated("'" + Repeated("x", 262143) + "'"), "PARSE 0 an expression may be at most 256 KiB long");
}

}  // namespace
}  // namespace awf::expression_tests
