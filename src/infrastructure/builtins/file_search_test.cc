#include "infrastructure/builtins/file_search.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infrastructure/builtins/test_workspace.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/regex/re2_regex.h"

namespace awf::builtins {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class FileSearchTest : public ::testing::Test {
 protected:
  FileMatches Search(std::string_view pattern, std::string_view text, bool collect = true) {
    const auto compiled = GrepPattern::Compile(Re2Compiler(), pattern, pattern_options);
    EXPECT_TRUE(compiled) << pattern;
    folder.Put("f", text);
    const Fd fd(::open((folder.root() / "f").c_str(), O_RDONLY | O_CLOEXEC));
    FileSearch search(*compiled, options, [this](bool) { return stop; }, large);
    return search.Search(fd.get(), collect);
  }

  // "2:match", "3-context", as they would be shown.
  std::vector<std::string> Lines(std::string_view pattern, std::string_view text) {
    std::vector<std::string> lines;
    for (const FoundLine& line : Search(pattern, text).lines) {
      lines.push_back(std::to_string(line.number) + (line.kind == FoundLine::Kind::kContext ? "-" : ":") + line.text);
    }
    return lines;
  }

  TestWorkspace folder;
  GrepPatternOptions pattern_options;
  FileSearchOptions options{.max_lines = 1000, .max_text = 1'000'000};
  bool stop = false;
  std::mutex large;
};

TEST_F(FileSearchTest, NumbersLines) {
  EXPECT_THAT(Lines("x", "a\nx1\n\nx2"), ElementsAre("2:x1", "4:x2"));
  EXPECT_THAT(Lines("^$", "a\n\nb\n"), ElementsAre("2:"));
  EXPECT_THAT(Lines("^", "\n"), ElementsAre("1:"));
  EXPECT_THAT(Lines("^", ""), ElementsAre());
  EXPECT_EQ(Search("a", "a\na\n", false).count, 2U);
  EXPECT_THAT(Search("a", "a\na\n", false).lines, SizeIs(0));
}

TEST_F(FileSearchTest, ContextLinesComeOnce) {
  options.before = options.after = 1;
  EXPECT_THAT(Lines("M", "l1\nl2\nM1\nl4\nM2\nl6\nl7\nl8\nl9\nM3\n"),
              ElementsAre("2-l2", "3:M1", "4-l4", "5:M2", "6-l6", "9-l9", "10:M3"));
  options.before = 0;
  EXPECT_THAT(Lines("HIT", "a\nHIT\nb\nc\n"), ElementsAre("2:HIT", "3-b"));
  options.before = 5;
  options.after = 0;
  EXPECT_THAT(Lines("HIT", "a\nb\nHIT\nHIT\nc\n"), ElementsAre("1-a", "2-b", "3:HIT", "4:HIT"));
}

TEST_F(FileSearchTest, ContextAndNumbersHoldOverBlocks) {
  options.before = 2;
  options.after = 2;
  std::string text;
  for (int i = 1; i <= 60'000; ++i) text += (i % 7919 == 0 ? "hit " : "line ") + std::to_string(i) + "\n";
  const std::vector<std::string> lines = Lines("hit", text);
  ASSERT_THAT(lines, SizeIs(35));
  EXPECT_EQ(lines[0], "7917-line 7917");
  EXPECT_EQ(lines[2], "7919:hit 7919");
  EXPECT_EQ(lines[34], "55435-line 55435");
}

TEST_F(FileSearchTest, CollectsOnlySoMuchAndCountsOn) {
  options.max_lines = 2;
  options.after = 1;
  const FileMatches found = Search("a", "a1\nx\na2\na3\na4\n");
  EXPECT_EQ(found.count, 4U);
  EXPECT_EQ(found.match_lines, 2U);
  ASSERT_THAT(found.lines, SizeIs(4));
  EXPECT_EQ(found.lines[3].text, "a3");  // as context
  options.max_lines = 1000;
  options.max_text = 20;
  EXPECT_LT(Search("a", std::string(400, 'a') + "\na\na\na\n").lines.size(), 3U);
}

TEST_F(FileSearchTest, FirstOnlyEndsAtTheFirst) {
  options.first_only = true;
  EXPECT_EQ(Search("a", "a\na\n").count, 1U);
}

TEST_F(FileSearchTest, ALongLineIsShownAroundItsMatch) {
  const std::string line = std::string(5000, 'x') + "needle" + std::string(5000, 'y');
  const FileMatches found = Search("needle", line + "\n");
  ASSERT_THAT(found.lines, SizeIs(1));
  const std::string& shown = found.lines[0].text;
  EXPECT_NE(shown.find("needle"), std::string::npos);
  EXPECT_TRUE(shown.starts_with("...xxx"));
  EXPECT_TRUE(shown.ends_with("yyy..."));
  EXPECT_EQ(shown.size(), 506U);
}

TEST_F(FileSearchTest, ShownLineCutsBetweenCharacters) {
  EXPECT_EQ(ShownLine("abc\r", {}), "abc");
  std::string wide;
  for (int i = 0; i < 500; ++i) wide += "\xC3\xA9";
  EXPECT_EQ(ShownLine(wide, {}), wide);
  EXPECT_EQ(ShownLine(wide + "z", {}), wide + "...");
  const std::string shown = ShownLine(wide + wide + "needle", {2000, 2006});
  EXPECT_TRUE(shown.starts_with("...\xC3\xA9"));
  EXPECT_TRUE(shown.ends_with("\xC3\xA9needle"));
  EXPECT_EQ(ShownLine("a\xFF", {}), "a\xEF\xBF\xBD");
}

TEST_F(FileSearchTest, VeryLongLinesAreSearchedInPieces) {
  std::string text = "needle one" + std::string(kMaxLine, 'a') + "needle two" + std::string(100, 'b');
  text += "\nneedle three\nnone\n" + std::string(2 * kMaxLine + 5000, 'c') + "needle four\nlast needle";
  options.before = options.after = 1;
  const FileMatches found = Search("needle", text);
  EXPECT_EQ(found.count, 4U);
  std::vector<std::uint64_t> numbers;
  for (const FoundLine& line : found.lines) {
    if (line.kind == FoundLine::Kind::kMatch) numbers.push_back(line.number);
  }
  EXPECT_THAT(numbers, ElementsAre(1, 2, 4, 5));
}

TEST_F(FileSearchTest, ByteOrderMarksAndUtf16) {
  EXPECT_THAT(Lines("^needle", "\xEF\xBB\xBFneedle\n"), ElementsAre("1:needle"));
  std::string utf16("\xFF\xFE", 2);
  for (const char c : std::string("one\r\nneedle\n")) utf16 += {c, '\0'};
  EXPECT_THAT(Lines("needle$", utf16), ElementsAre("2:needle"));
  std::string big("\xFE\xFF", 2);
  for (int i = 0; i < 50'000; ++i) big += {'\0', 'a'};
  big += {'\0', '\n', '\0', 'b'};
  EXPECT_THAT(Lines("b", big), ElementsAre("2:b"));
}

TEST_F(FileSearchTest, BinaryFilesAreNamedOrSkipped) {
  const std::string binary = std::string("x\0needle\n", 9);
  const FileMatches found = Search("needle", binary);
  EXPECT_TRUE(found.binary);
  EXPECT_EQ(found.count, 1U);
  EXPECT_THAT(found.lines, SizeIs(0));
  options.skip_binary = true;
  EXPECT_EQ(Search("needle", binary).count, 0U);
  EXPECT_EQ(Search("needle", std::string(70'000, 'a') + '\0' + "\nneedle").count, 1U);  // NUL too late to matter
}

TEST_F(FileSearchTest, Latin1LinesMatchAsBytes) {
  EXPECT_THAT(Lines("caf. needle", "caf\xE9 needle\n"), ElementsAre("1:caf\xEF\xBF\xBD needle"));
}

TEST_F(FileSearchTest, MultilineMatchesRunOverLines) {
  pattern_options.multiline = true;
  EXPECT_THAT(Lines("foo\\(\\n\\s+a", "x\nfunction foo(\n  a,\n  b) {\n}\n"), ElementsAre("2:function foo(", "3:  a,"));
  EXPECT_THAT(Lines("a\\nb", "a\r\nb\r\n"), ElementsAre("1:a", "2:b"));
  EXPECT_THAT(Lines("b$", "ab\r\nb\n"), ElementsAre("1:ab", "2:b"));
  EXPECT_THAT(Lines("a.b", "a\nb\n"), ElementsAre());
  EXPECT_THAT(Lines("a\\r\\nb", "a\r\nb\r\n"), ElementsAre("1:a", "2:b"));
  EXPECT_EQ(Search("^", "a\nb\n").count, 2U);
}

TEST_F(FileSearchTest, MultilineCountsLinesWhereMatchesBeginAndShowsEachOnce) {
  pattern_options.multiline = true;
  const FileMatches found = Search("a[\\s\\S]b", "a\nb a\nb aab\n");
  EXPECT_EQ(found.count, 3U);
  EXPECT_THAT(Lines("a[\\s\\S]b", "a\nb a\nb aab\n"), ElementsAre("1:a", "2:b a", "3:b aab"));
  options.before = options.after = 1;
  EXPECT_THAT(Lines("b\\nc", "z\na\nb\nc\nd\ne\nb\nc"), ElementsAre("2-a", "3:b", "4:c", "5-d", "6-e", "7:b", "8:c"));
}

TEST_F(FileSearchTest, MultilineRefusesFilesThatDoNotFit) {
  pattern_options.multiline = true;
  const FileMatches found = Search("a\\nb", std::string(kMaxMultilineFile + 1, 'a'));
  EXPECT_TRUE(found.too_large);
  EXPECT_EQ(found.count, 0U);
}

TEST_F(FileSearchTest, StopsAndTellsErrors) {
  stop = true;
  EXPECT_TRUE(Search("a", "a").stopped);
  stop = false;
  const auto compiled = GrepPattern::Compile(Re2Compiler(), "a", {});
  const Fd fd(::open(folder.root().c_str(), O_RDONLY | O_CLOEXEC));
  FileSearch search(*compiled, options, [](bool) { return false; }, large);
  EXPECT_EQ(search.Search(fd.get(), true).error, EISDIR);
}

TEST_F(FileSearchTest, TellsWhenItOnlyCounts) {
  const auto compiled = GrepPattern::Compile(Re2Compiler(), "a", {});
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a\n";
  folder.Put("f", text);
  const Fd fd(::open((folder.root() / "f").c_str(), O_RDONLY | O_CLOEXEC));
  options.max_lines = 3;
  FileSearch search(*compiled, options, [](bool counting) { return counting; }, large);
  const FileMatches found = search.Search(fd.get(), true);
  EXPECT_TRUE(found.stopped);
  EXPECT_EQ(found.match_lines, 3U);
  EXPECT_LT(found.count, 100'000U);
}

TEST_F(FileSearchTest, OneSearchServesManyFiles) {
  const auto compiled = GrepPattern::Compile(Re2Compiler(), "hit", {});
  FileSearch search(*compiled, options, [](bool) { return false; }, large);
  const std::vector<std::string> texts = {"hit\n", std::string(kMaxLine + 10, 'a'), "x\nhit", "", "none"};
  std::vector<std::uint64_t> counts;
  for (const std::string& text : texts) {
    folder.Put("f", text);
    const Fd fd(::open((folder.root() / "f").c_str(), O_RDONLY | O_CLOEXEC));
    counts.push_back(search.Search(fd.get(), true).count);
  }
  EXPECT_THAT(counts, ElementsAre(1, 0, 1, 0, 0));
  EXPECT_TRUE(large.try_lock());
  large.unlock();
}

}  // namespace
}  // namespace awf::builtins
