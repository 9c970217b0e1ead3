#include "infrastructure/builtins/regex_fault_text.h"

#include <gtest/gtest.h>

#include "infrastructure/regex/re2_regex.h"

namespace awf::builtins {
namespace {

std::string TextFor(std::string_view pattern) {
  const Re2Compiler compiler;
  const auto compiled = compiler.Compile(pattern, {});
  EXPECT_FALSE(compiled.has_value()) << pattern;
  return compiled ? "" : RegexFaultText(pattern, compiled.error(), compiler);
}

TEST(RegexFaultText, TellsThePlaceAndTheEscapedLiteral) {
  EXPECT_EQ(TextFor("foo("), "Invalid regular expression \"foo(\": missing ) at 4. For a literal search use foo\\(.");
  EXPECT_EQ(TextFor("[(]\\((a)(b"),
            "Invalid regular expression \"[(]\\((a)(b\": missing ) at 9. "
            "For a literal search use \\[\\(\\]\\\\\\(\\(a\\)\\(b.");
  EXPECT_EQ(TextFor("a)"), "Invalid regular expression \"a)\": unexpected ) at 2. For a literal search use a\\).");
  EXPECT_EQ(TextFor("\xC3\xA9**"),
            "Invalid regular expression \"\xC3\xA9**\": bad repetition operator ** at 2. "
            "For a literal search use \xC3\xA9\\*\\*.");
}

TEST(RegexFaultText, TellsWhatIsNotSupported) {
  EXPECT_EQ(TextFor("a(?!b)"),
            "Invalid regular expression \"a(?!b)\": invalid perl operator (?! at 2. "
            "Look-around and back-references are not supported. For a literal search use a\\(\\?!b\\).");
  EXPECT_EQ(TextFor("(ab)\\1"),
            "Invalid regular expression \"(ab)\\1\": invalid escape sequence \\1 at 5. "
            "Look-around and back-references are not supported. For a literal search use \\(ab\\)\\\\1.");
  EXPECT_EQ(TextFor("\\y").find("not supported"), std::string::npos);
}

TEST(RegexFaultText, LineFeedsOutsideOfSets) {
  EXPECT_TRUE(WantsLineFeed("foo\\(\\n"));
  EXPECT_TRUE(WantsLineFeed("a\nb"));
  EXPECT_TRUE(WantsLineFeed("a\\x0ab"));
  EXPECT_FALSE(WantsLineFeed("a\\\\n"));
  EXPECT_FALSE(WantsLineFeed("[^\\n]*x"));
  EXPECT_FALSE(WantsLineFeed("[]\\n]x"));
  EXPECT_TRUE(WantsLineFeed("[^]]\\n"));
  EXPECT_FALSE(WantsLineFeed("n"));
}

TEST(RegexFaultText, HintsAtEscapingWhatLooksLiteral) {
  const Re2Compiler compiler;
  EXPECT_EQ(LiteralHint("arr[i]", compiler),
            " The pattern is a regular expression; for a literal search use arr\\[i\\].");
  EXPECT_EQ(LiteralHint("zzz", compiler), "");
  EXPECT_EQ(LiteralHint("foo.*bar", compiler), "");
  EXPECT_EQ(LiteralHint("a|b", compiler), "");
  EXPECT_EQ(LiteralHint("foo\\(", compiler), "");
}

}  // namespace
}  // namespace awf::builtins
