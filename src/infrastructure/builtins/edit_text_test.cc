#include "infrastructure/builtins/edit_text.h"

#include <gtest/gtest.h>

#include <string>

#include "infrastructure/builtins/edit_hint.h"
#include "infrastructure/regex/re2_regex.h"

namespace awf::builtins {
namespace {

using namespace std::string_literals;

// The new bytes, or the error's text.
std::string Edited(std::string_view bytes, const EditRequest& request) {
  const auto edited = EditText(bytes, request, "f", Re2Compiler());
  return edited ? edited->bytes : edited.error();
}
std::string Literal(std::string_view bytes, std::string_view from, std::string_view to, bool all = false) {
  return Edited(bytes, {from, to, all, false});
}
std::string ByRegex(std::string_view bytes, std::string_view from, std::string_view to, bool all = false) {
  return Edited(bytes, {from, to, all, true});
}
std::string Summary(std::string_view bytes, const EditRequest& request) {
  const auto edited = EditText(bytes, request, "f", Re2Compiler());
  return edited ? edited->summary : "error: " + edited.error();
}

constexpr std::string_view kNotFound = "old_string was not found in f. No change made.";
std::string NotFound(const std::string& hint) { return std::string(kNotFound) + " " + hint; }

TEST(EditTextTest, ReplacesExactly) {
  EXPECT_EQ(Literal("a\nb\nc\n", "b\n", ""), "a\nc\n");
  EXPECT_EQ(Literal("a\nb", "b", "c"), "a\nc");
  EXPECT_EQ(Literal("a\nb\n", "b\n", "b"), "a\nb");
  EXPECT_EQ(Literal("axb(c)\na.b(c)\n", "a.b(c)", "OK"), "axb(c)\nOK\n");
  EXPECT_EQ(Literal("f() {\n  m = 1;   \n}\n", "  m = 1;   ", "  n;"), "f() {\n  n;\n}\n");
  EXPECT_EQ(Literal("x", "x", std::string(1000, 'y')), std::string(1000, 'y'));
}

TEST(EditTextTest, NothingInTheNewTextMeansAnything) {
  for (const std::string_view text : {"$$100 $& $1 ${x}", "$'\\033[31m' `$`", "a\\nb\\1\\\\", "\\0"})
    EXPECT_EQ(Literal("p: X\n", "X", text), "p: " + std::string(text) + "\n");
}

TEST(EditTextTest, KeepsForeignBytes) {
  EXPECT_EQ(Literal("one\rtwo\rthree", "two", "2"), "one\r2\rthree");
  EXPECT_EQ(Literal("x = 1\ncaf\xE9", "x = 1", "x = 2"), "x = 2\ncaf\xE9");
  EXPECT_EQ(Literal("\xEF\xBB\xBFhello\n", "hello", "hi"), "\xEF\xBB\xBFhi\n");
  EXPECT_EQ(ByRegex("\xEF\xBB\xBFhello\n", "^hello", "hi"), "\xEF\xBB\xBFhi\n");
  EXPECT_EQ(ByRegex("x\xE9y=1\n", "x.y=(\\d)", "z=\\1"), "z=1\n");
}

TEST(EditTextTest, FollowsCrLf) {
  EXPECT_EQ(Literal("one\r\ntwo\r\nthree\r\n", "one\ntwo", "ONE\nTWO"), "ONE\r\nTWO\r\nthree\r\n");
  EXPECT_EQ(Literal("x = 1\r\ny\r\n", "x = 1", "x = 1\nz = 9"), "x = 1\r\nz = 9\r\ny\r\n");
  EXPECT_EQ(Literal("a\r\nfoo\r\n", "\nfoo", "\nbar"), "a\r\nbar\r\n");
  EXPECT_EQ(Literal("a\r\nb\r\n", "a\r\nb", "c\r\nd\ne"), "c\r\nd\r\ne\r\n");
  EXPECT_EQ(Literal("\xEF\xBB\xBFI\r\nEnd\r\n", "I\nEnd", "J\nEnd"), "\xEF\xBB\xBFJ\r\nEnd\r\n");
}

TEST(EditTextTest, MixedLineEndsStay) {
  EXPECT_EQ(Literal("a\r\nTARGET\r\nbare\nlast\r\n", "TARGET", "done"), "a\r\ndone\r\nbare\nlast\r\n");
  EXPECT_EQ(Literal("a\r\nb\r\nc\nd", "c\nd", "x\ny"), "a\r\nb\r\nx\ny");
  EXPECT_EQ(Literal("a\r\nb\r\nc\nd", "a\nb", "x\ny"), "x\r\ny\r\nc\nd");
}

TEST(EditTextTest, WantsOneMatch) {
  EXPECT_EQ(
      Literal("a\nfoo\nb\nfoo\nfoo\n", "foo", "bar"),
      "old_string occurs 3 times in f (lines 2, 4, 5). Add surrounding text to make it unique, or set replace_all.");
  EXPECT_EQ(Literal("a b c\n", " ", "  ", true), "a  b  c\n");
  EXPECT_EQ(Literal("aaaa", "a", "aa", true), "aaaaaaaa");
  EXPECT_EQ(Literal("x x", "x", "y"),
            "old_string occurs 2 times in f (line 1). Add surrounding text to make it unique, or set replace_all.");
}

TEST(EditTextTest, NamesLines) {
  EXPECT_EQ(Summary("a\nb\n", {"b", "c"}), "1 replacement (line 2)");
  EXPECT_EQ(Summary("x\nb\nx\n", {"x", "y", true}), "2 replacements (lines 1, 3)");
  std::string many;
  for (int i = 0; i < 25; ++i) many += "x\n";
  EXPECT_EQ(Summary(many, {"x", "y", true}),
            "25 replacements (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, ...)");
}

TEST(EditTextTest, RegularExpressions) {
  EXPECT_EQ(ByRegex("v1 = 10\nv2 = 20\n", "v1\\s*=\\s*\\d+", "v1 = 11"), "v1 = 11\nv2 = 20\n");
  EXPECT_EQ(ByRegex("foo(a, b)\n", "foo\\((\\w+), (\\w+)\\)", "foo(\\2, \\1) $1 \\n \\0"), "foo(b, a) $1 \\n \\0\n");
  EXPECT_EQ(ByRegex("a1\nb\na2\n", "a(\\d)", "x\\1", true), "x1\nb\nx2\n");
  EXPECT_EQ(ByRegex("a1\nb\na2\n", "a\\d", "x"),
            "old_string occurs 2 times in f (lines 1, 3). Add surrounding text to make it unique, or set replace_all.");
  EXPECT_EQ(ByRegex("ab\n", "a(x)?b", "[\\1]"), "[]\n");
  EXPECT_EQ(ByRegex("b\nab\n", "^b$", "c"), "c\nab\n");
  EXPECT_EQ(ByRegex("abc", "z", "y"), kNotFound);
}

TEST(EditTextTest, RegularExpressionsSeeCrLfAsOneLineEnd) {
  EXPECT_EQ(ByRegex("foo\r\nbar\r\n", "foo$", "x\ny"), "x\r\ny\r\nbar\r\n");
  EXPECT_EQ(ByRegex("foo\r\nbar\r\n", "foo\\nbar", "x\r\ny"), "x\r\ny\r\n");
  EXPECT_EQ(ByRegex("a\r\r\nb\r\n", "b", "c"), "a\r\r\nc\r\n");
}

TEST(EditTextTest, RefusesBadPatterns) {
  EXPECT_EQ(ByRegex("a(", "a(", "b"), "Invalid regular expression a(: missing ).");
  EXPECT_EQ(ByRegex("abc", "b", "\\1"), "new_string names group \\1, but the pattern has 0 groups. No change made.");
  EXPECT_EQ(ByRegex("abc", "(b)", "\\3"), "new_string names group \\3, but the pattern has 1 group. No change made.");
  EXPECT_EQ(ByRegex("abc", "x*", "y"), "The pattern x* matches the empty string; no change made.");
  EXPECT_EQ(ByRegex("abc", "\\b", "y"), "The pattern \\b matches the empty string; no change made.");
}

TEST(EditTextTest, RefusesOtherEncodings) {
  EXPECT_EQ(Literal("\xFF\xFEh\0i\0"s, "hi", "yo"), "f is UTF-16; Edit works on UTF-8 text.");
  EXPECT_EQ(Literal("M\0tag"s, "tag", "x"), "f is a binary file (5 bytes); Edit works on text only.");
  EXPECT_EQ(Literal("; \x83"
                    "e\nname=a\n",
                    "name=a", "name=テ"),
            "f is not valid UTF-8 and new_string is not ASCII; no change made.");
}

TEST(EditTextTest, RefusesToExplode) {
  EXPECT_EQ(Literal(std::string(100'000, ' '), " ", std::string(1000, 'x'), true),
            "f would grow beyond 67108864 bytes; no change made.");
}

TEST(EditTextTest, TakesLinearTimeOnRepetitions) {
  const std::string text(4 << 20, 'a');
  EXPECT_EQ(Literal(text, std::string(100'000, 'a') + "b", "x"), kNotFound);
}

TEST(EditHintTest, LineNumbers) {
  EXPECT_EQ(Literal("alpha\nbeta\n", "2\tbeta", "x"),
            NotFound("It begins with a line number of Read; leave that out."));
  EXPECT_EQ(Literal("alpha\nbeta\n", " 1\talpha\n 2\tbeta", "x"),
            NotFound("It begins with a line number of Read; leave that out."));
  EXPECT_EQ(Literal("a", "2\tzeta\nand", "x"), kNotFound);
}

TEST(EditHintTest, WhiteSpace) {
  EXPECT_EQ(Literal("def f():\n    x = 1\n", "    x  =  1", "y"), NotFound("Only white space differs at line 2."));
  EXPECT_EQ(Literal("if ok:\n  foo()\n  bar()\n", "    foo()\n", "y"), NotFound("Only white space differs at line 2."));
  EXPECT_EQ(Literal("a\r\nb\r\nc  d\r\n", "c d", "y"), NotFound("Only white space differs at line 3."));
  EXPECT_EQ(Literal("abc", "   ", "y"), kNotFound);
}

TEST(EditHintTest, Quotes) {
  EXPECT_EQ(Literal("x\nsay “hi”\n", "say \"hi\"", "y"), NotFound("The file has typographic quotes at line 2."));
  EXPECT_EQ(Literal("it’s\n", "it's", "y"), NotFound("The file has typographic quotes at line 1."));
  EXPECT_EQ(Literal("say “hi”\n", "say 'ho'", "y"), kNotFound);
}

TEST(EditHintTest, Normalisation) {
  EXPECT_EQ(Literal("x\ncaf\x65\xCC\x81\n", "caf\xC3\xA9", "y"),
            NotFound("The file uses another Unicode normalisation at line 2."));
  EXPECT_EQ(Literal("caf\xC3\xA9\n", "cafe\xCC\x81", "y"),
            NotFound("The file uses another Unicode normalisation at line 1."));
  EXPECT_EQ(Literal("한\n", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "y"),
            NotFound("The file uses another Unicode normalisation at line 1."));
  EXPECT_EQ(Literal("caf\xC3\xA8\n", "caf\xC3\xA9", "y"), kNotFound);
}

TEST(EditHintTest, LiteralLineFeed) {
  EXPECT_EQ(Literal("a b;\nc d;\n", "a b;\\nc d;", "y"),
            NotFound("It has a literal \\n where the file has a line break."));
  EXPECT_EQ(Literal("a b;", "\\nz", "y"), kNotFound);
}

}  // namespace
}  // namespace awf::builtins
