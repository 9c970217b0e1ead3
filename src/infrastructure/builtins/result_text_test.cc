#include "infrastructure/builtins/result_text.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace awf::builtins {
namespace {

TEST(CutTest, ASuffixKeepsCharactersWhole) {
  EXPECT_EQ(SuffixWithin("a文🎉", 2, 100), "文🎉");
  EXPECT_EQ(SuffixWithin("a文🎉", 100, 6), "🎉");
  EXPECT_EQ(SuffixWithin("a文🎉", 100, 3), "");
}

TEST(ShownNameTest, EscapesControls) {
  EXPECT_EQ(ShownName("-rf\nx\t\x01\x7f"), "-rf\\nx\\t\\x01\\x7f");
  EXPECT_EQ(ShownName("dé \xff"), "dé \uFFFD");
}

TEST(ErrnoSentenceTest, IsPlainWords) {
  EXPECT_EQ(ErrnoSentence("p", EACCES), "p: permission denied.");
  EXPECT_EQ(ErrnoSentence("p", EFBIG), "p: file too large.");
  EXPECT_EQ(ErrnoSentence("p", ENAMETOOLONG), "p: file name too long.");
  EXPECT_EQ(ErrnoSentence("p", ENOSPC), "p: no space left on device.");
  EXPECT_EQ(ErrnoSentence("p", ELOOP), "p: too many levels of symbolic links.");
  EXPECT_EQ(ErrnoSentence("f/g", ENOTDIR), "f/g: a part of the path is not a directory.");
  EXPECT_EQ(ErrnoSentence("d", EISDIR), "d is a directory.");
  EXPECT_EQ(ErrnoSentence("s", ENXIO), "s is not a regular file.");
}

TEST(LinesTest, CountedAndTheLast) {
  EXPECT_EQ(CountLines(""), 0U);
  EXPECT_EQ(CountLines("a\n\nb"), 3U);
  EXPECT_EQ(CountLines("a\n\n"), 2U);
  EXPECT_EQ(LastLines("a\n\nb", 2), "\nb");
  EXPECT_EQ(LastLines("a\nb\n", 1), "b\n");
  EXPECT_EQ(LastLines("a\nb\n", 9), "a\nb\n");
  EXPECT_EQ(LastLines("\n", 1), "\n");
}

}  // namespace
}  // namespace awf::builtins
