#include "application/language/template_functions.h"

#include <gtest/gtest.h>

#include "application/language/template_fixture_for_tests.h"

namespace awf {
namespace {

void Check(const std::vector<Row>& rows) { CheckRows(rows, Rendered); }

TEST(TemplateFunctions, AwfsOwn) {
  Check({{"{{escape .inputs.quoted}} {{escape .inputs.name}} {{escape .inputs.empty}}", "'it'\\''s' Ann ''"},
         {"{{.states.one.Output | trimSpace | upper}}", "OUT"},
         {R"({{.inputs.csv | split "," | join "+"}})", "a+b+c"},
         {R"({{split "," .inputs.csv}} {{split "," .inputs.empty}} {{split "; " "a;b ;  c"}})",
          R"(["a","b","c"] [] ["a;b","c"])"},
         {R"({{join "-" .inputs.nums}})", "1-2-3"},
         {R"({{json .inputs.quoted}} {{json .inputs.ratio}} {{json .states.one.Response}} {{json nil}})",
          R"("it's" 1.1 {"a":{"b":[1,"x",2]}} null)"},
         {R"({{(fromJson `{"a":{"b":7}}`).a.b}} {{fromJson "[1, 2.50]"}} {{fromJson "3" | eq 3}})", "7 [1,2.5] true"},
         {R"({{replace "a" "bb" "banana"}} {{"Öl" | lower}} {{upper "aé"}})", "bbbnbbnbb Öl Aé"},
         {R"({{contains "nn" .inputs.name}} {{hasPrefix "B" .inputs.name}} {{.inputs.name | hasSuffix "n"}})",
          "true false true"},
         {"{{indent 2 \"a\\nb\"}}", "  a\n  b"},
         {"{{trimSpace \" \\t\\v x y \\n\"}}", "x y"},
         {R"({{upper (replace "n" "m" (lower .inputs.name))}})", "AMM"}});
}

TEST(TemplateFunctions, AwfsOwnRefuseWhatTheyCannotTake) {
  Check({{R"({{join "," .inputs.csv}})", "FAULT 2 'join' needs a list, not text"},
         {R"({{split "" .inputs.csv}})", "FAULT 2 'split' got an empty separator"},
         {"{{fromJson .inputs.csv}}", "FAULT 2 'fromJson' got text that is not JSON"},
         {"{{indent -1 .inputs.csv}}", "FAULT 2 'indent' needs a number of spaces from 0 to 1000"},
         {R"({{replace "" "x" .inputs.csv}})", "FAULT 2 'replace' got nothing to replace"},
         {"{{lower}}", "PARSE 2 function 'lower' does not take 0 arguments"},
         {R"({{.inputs.name | lower "x"}})", "PARSE 17 function 'lower' does not take 2 arguments"},
         {"{{nosuch .inputs.name}}", "FAULT 2 there is no function 'nosuch'"}});
  EXPECT_EQ(Rendered(R"({{split "0" (print "0" (printf "%01000000d" 1))}})"),
            "FAULT 2 'split' makes more than 1000000 items");
  EXPECT_EQ(Rendered(R"({{replace "0" (printf "%1000s" "") (printf "%070000d" 1)}})"),
            "FAULT 2 'replace' makes more than 64 MiB");
  EXPECT_EQ(Rendered(R"({{join (printf "%1000000s" "") (split "0" (printf "%0100d" 1))}})"),
            "FAULT 2 'join' makes more than 64 MiB");
}

TEST(TemplateFunctions, ReadFileStartsFromTheFolder) {
  Check({{R"({{readFile "notes.txt"}})", "a note\n"},
         {R"({{readFile "./sub/../notes.txt" | trimSpace}})", "a note"},
         {R"({{readFile "/etc/motd"}})", "hello"},
         {R"({{ readFile "none.txt" }})", "FAULT 3 'readFile' failed: there is no file /flow/none.txt"},
         {R"({{readFile ""}})", "FAULT 2 'readFile' got no path"},
         {R"({{readFile "a\x00b"}})", "FAULT 2 'readFile' got no path"},
         {"{{readFile 3}}", "FAULT 2 'readFile' needs a path, not a number"}});
  const auto fault = Template::Parse(R"({{readFile "x"}})")->Render(Scope());
  EXPECT_EQ(fault.error().message, "'readFile' cannot read files here");
}

TEST(TemplateFunctions, LogicReturnsTheDecidingValue) {
  Check({{"{{and 1 .inputs.empty 2}}|{{and 1 2}}|{{or 0 `` `x`}}|{{or false 0}}", "|2|x|0"},
         {"{{and false .inputs.nobody}} {{or 1 .inputs.nobody}}", "false 1"},
         {"{{not .inputs.none}} {{not .inputs.map}} {{not nil}} {{not 0.0}} {{not `a`}}", "true false true true false"},
         {"{{and}}", "PARSE 2 function 'and' does not take 0 arguments"},
         {"{{not 1 2}}", "PARSE 2 function 'not' does not take 2 arguments"}});
}

TEST(TemplateFunctions, ComparisonKeepsKindsApart) {
  Check({{"{{eq 1 2 1}} {{eq `a` `b`}} {{eq .inputs.nothing nil}} {{eq .inputs.name nil}}", "true false true false"},
         {"{{eq 1 1.0}} {{lt 1 1.5}} {{ge 9007199254740993 9007199254740992.0}} {{eq .inputs.ratio 1.1}}",
          "true true true true"},
         {"{{eq (fromJson `18446744073709551615`) (fromJson `18446744073709551615`)}}", "true"},
         {"{{lt `a` `b`}} {{le 2 2}} {{gt 2 2}} {{ge 2 2}} {{ne 1 2}}", "true true false true true"},
         {"{{eq 1 `1`}}", "FAULT 2 'eq' cannot compare a number with text"},
         {"{{eq .inputs.flag 1}}", "FAULT 2 'eq' cannot compare a boolean with a number"},
         {"{{eq .inputs.list .inputs.list}}", "FAULT 2 'eq' cannot compare a list with a list"},
         {"{{ne .inputs.map `a`}}", "FAULT 2 'ne' cannot compare an object with text"},
         {"{{lt 1 `a`}}", "FAULT 2 'lt' cannot order a number and text"},
         {"{{ge true false}}", "FAULT 2 'ge' cannot order a boolean and a boolean"},
         {"{{lt nil 1}}", "FAULT 2 'lt' cannot order null and a number"},
         {"{{eq 1}}", "PARSE 2 function 'eq' does not take 1 argument"}});
}

TEST(TemplateFunctions, LenIndexAndSlice) {
  Check({{"{{len `é`}} {{len .inputs.list}} {{len .inputs.map}}", "2 2 2"},
         {"{{len 3}}", "FAULT 2 'len' needs text, a list or an object, not a number"},
         {"{{index .inputs.people 1 `name`}} {{index .inputs.list 1.0}} {{index `abc` 1}} {{index 3}}", "Cy b 98 3"},
         {"{{index .inputs.list 2}}", "FAULT 2 'index' found no element 2: there are 2"},
         {"{{index .inputs.list -1}}", "FAULT 2 'index' got the negative index -1"},
         {"{{index .inputs.list 0.5}}", "FAULT 2 'index' needs a whole number as index, not 0.5"},
         {"{{index .inputs.map `z`}}", "FAULT 2 'index' found no key 'z'"},
         {"{{index .inputs.map 1}}", "FAULT 2 'index' needs text as key of an object, not a number"},
         {"{{index .inputs.nothing 1}}", "FAULT 2 'index' found nothing in null"},
         {"{{index true 1}}", "FAULT 2 'index' cannot look into a boolean"},
         {"{{slice `abcd` 1 3}} {{slice `abcd` 2}} {{slice .inputs.nums 1}} {{slice .inputs.nums 0 1 2}}",
          "bc cd [2,3] [1]"},
         {"{{slice `é` 1}}", "FAULT 2 'slice' would cut a character at byte 1"},
         {"{{slice `abc` 2 1}}", "FAULT 2 'slice' got indexes that go backwards"},
         {"{{slice `abc` 4}}", "FAULT 2 'slice' found no element 4: there are 3"},
         {"{{slice `abc` 0 1 2}}", "FAULT 2 'slice' takes a third index for lists only"},
         {"{{default 1 (slice `abc` 4)}}", "FAULT 13 'slice' found no element 4: there are 3"},
         {"{{slice .inputs.map 1}}", "FAULT 2 'slice' needs text or a list, not an object"}});
}

TEST(TemplateFunctions, PrintSpacesOperandsThatAreNoText) {
  Check({{"{{print 1 2 `a` 3 true false nil}}", "1 2a3 true false null"},
         {"{{print .inputs.list 1}} {{print}}|{{println}}", "[\"a\",\"b\"] 1 |\n"},
         {"{{println `a` 1 `b`}}", "a 1 b\n"},
         {"{{print print}}", ""}});
}

TEST(TemplateFunctions, PrintfFormats) {
  Check(
      {{"{{printf `%s|%5s|%-5s|%.2s` `a` `b` `c` `déf`}}", "a|    b|c    |dé"},
       {"{{printf `%d|%03d|%+d|%x|%X|%#o|%b|%c` 7 7 7 255 255 8 5 65}}", "7|007|+7|ff|FF|010|101|A"},
       {"{{printf `%f|%.2f|%8.3f|%e|%g` 1.5 3.14159 3.14159 1234.5 1e6}}", "1.500000|3.14|   3.142|1.234500e+03|1e+06"},
       {"{{printf `%v %v %v %v` 1 1.50 `x` .inputs.list}}", "1 1.5 x [\"a\",\"b\"]"},
       {R"({{printf "%q %t %d%%" "a\"b" true 50}})", R"("a\"b" true 50%)"},
       {"{{printf `%s %s %d %f` 3 nil 3.0 2}}", "3 null 3 2.000000"}});
}

TEST(TemplateFunctions, PrintfReportsWhatDoesNotFit) {
  Check({{"{{printf `%d` `a`}}", "FAULT 2 'printf' needs a whole number for '%d', not text"},
         {"{{printf `%5d` 1.5}}", "FAULT 2 'printf' needs a whole number for '%5d', not 1.5"},
         {"{{printf `%t` 1}}", "FAULT 2 'printf' needs a boolean for '%t', not 1"},
         {"{{printf `%f` nil}}", "FAULT 2 'printf' needs a number for '%f', not null"},
         {"{{printf `%q` .inputs.list}}", "FAULT 2 'printf' needs text or a whole number for '%q', not a list"},
         {"{{printf `%d`}}", "FAULT 2 'printf' has no argument for '%d'"},
         {"{{printf `%*d`}}", "FAULT 2 'printf' has no argument for '*'"},
         {"{{printf `%*d` `a` 1}}", "FAULT 2 'printf' needs a whole number for '*'"},
         {"{{printf `x` 1}}", "FAULT 2 'printf' has 1 argument too many for its format"},
         {"{{printf `%d` 1 2 3}}", "FAULT 2 'printf' has 2 arguments too many for its format"},
         {"{{printf `%z` 1}}", "FAULT 2 'printf' does not know the verb '%z'"},
         {"{{printf `%é` 1}}", "FAULT 2 'printf' does not know the verb '%é'"},
         {"{{printf `%#v` 1}}", "FAULT 2 'printf' does not know '#' with 'v'"},
         {"{{printf `%5` 1}}", "FAULT 2 'printf' got a format that ends within '%'"},
         {"{{printf `%1000001d` 1}}", "FAULT 2 'printf' got a width or precision above 1000000"},
         {"{{printf `%*d` -1000001 1}}", "FAULT 2 'printf' got a width or precision above 1000000"},
         {"{{printf `%.1001f` 1.0}}", "FAULT 2 'printf' got a precision above 1000"},
         {"{{printf `%U` -1}}", "FAULT 2 'printf' got a negative number for 'U'"},
         {"{{printf 1}}", "FAULT 2 'printf' needs a format, not a number"}});
}

TEST(TemplateFunctions, EveryFunctionHasAUsageAndAName) {
  const std::vector<std::string> expected = {
      "escape",   "json",      "fromJson",  "split",  "join",     "trimSpace", "default", "lower", "upper",  "replace",
      "contains", "hasPrefix", "hasSuffix", "indent", "readFile", "and",       "or",      "not",   "eq",     "ne",
      "lt",       "le",        "gt",        "ge",     "len",      "index",     "slice",   "print", "printf", "println"};
  EXPECT_EQ(TemplateFunctionNames(), expected);
  for (const std::string& name : expected) {
    const TemplateFunction* function = FindTemplateFunction(name);
    ASSERT_NE(function, nullptr) << name;
    EXPECT_TRUE(function->usage.starts_with(name)) << name;
  }
  EXPECT_EQ(FindTemplateFunction("call"), nullptr);
}

TEST(TemplateValues, EscapeOnlyWhenNeeded) {
  EXPECT_EQ(ShellEscaped("a/b-c_d.e:f=g@h%i+j,k0"), "a/b-c_d.e:f=g@h%i+j,k0");
  EXPECT_EQ(ShellEscaped(""), "''");
  EXPECT_EQ(ShellEscaped("$(rm -rf /)"), "'$(rm -rf /)'");
  EXPECT_EQ(ShellEscaped("~"), "'~'");
  EXPECT_EQ(ShellEscaped("a\nb"), "'a\nb'");
}

TEST(TemplateValues, WriteShortJson) {
  EXPECT_EQ(CompactJson(json::value(0.1)), "0.1");
  EXPECT_EQ(CompactJson(json::value(1e300)), "1e+300");
  EXPECT_EQ(CompactJson(json::value({1e5, 1e6, 1e20, 1e21, 1e-6, 1e-7, -0.0, 123456789.5})),
            "[100000,1000000,100000000000000000000,1e+21,0.000001,1e-7,-0,123456789.5]");
  EXPECT_EQ(CompactJson(json::parse(R"({"k\n":[null,true,-1,18446744073709551615,"\u0001"]})")),
            R"({"k\n":[null,true,-1,18446744073709551615,"\u0001"]})");
}

TEST(TemplateValues, WholeNumbersFitInto64Bits) {
  EXPECT_EQ(WholeNumber(json::value(3.0)), 3);
  EXPECT_EQ(WholeNumber(json::value(3.5)), std::nullopt);
  EXPECT_EQ(WholeNumber(json::value(9223372036854775808.0)), std::nullopt);
  EXPECT_EQ(WholeNumber(json::value(-9223372036854775808.0)), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(WholeNumber(json::value(std::uint64_t{9223372036854775808U})), std::nullopt);
  EXPECT_EQ(WholeNumber(json::value("3")), std::nullopt);
}

}  // namespace
}  // namespace awf
