#include "line_buffer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mcp {
namespace {

using Outcome = LineBuffer::Outcome;

// Feeds text in pieces of the given size; an oversized line is marked with "!" and the size of its head.
std::vector<std::string> Lines(std::string_view text, std::size_t piece, std::size_t limit = 1000) {
  LineBuffer buffer(limit);
  std::vector<std::string> lines;
  std::string line;
  const auto take = [&](Outcome outcome) {
    if (outcome == Outcome::kLine) lines.push_back(line);
    if (outcome == Outcome::kOversized) lines.push_back("!" + std::to_string(line.size()));
    return outcome != Outcome::kNothing;
  };
  for (std::size_t i = 0; i < text.size(); i += piece) {
    buffer.Append(text.substr(i, piece));
    while (take(buffer.Next(line))) {
    }
  }
  take(buffer.Last(line));
  return lines;
}

// Bug 12: a line that comes in pieces must not be lost.
TEST(LineBufferTest, Bug12SplitsLinesHoweverTheBytesCome) {
  const std::string text = "one\ntwo\r\n\n  \t\r\n\rthree\r\r\nfour";
  const std::vector<std::string> expected = {"one", "two", "\rthree\r", "four"};
  for (const std::size_t piece : {1U, 2U, 3U, 5U, 100U}) EXPECT_EQ(Lines(text, piece), expected) << piece;
}

TEST(LineBufferTest, TakesTheUnterminatedLastLine) {
  EXPECT_EQ(Lines("a\nb\r", 1), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Lines("a\n  ", 1), (std::vector<std::string>{"a"}));
  EXPECT_EQ(Lines("", 1), (std::vector<std::string>{}));
}

TEST(LineBufferTest, GivesOversizedLinesOnceAndGoesOn) {
  const std::string exact(1000, 'x');
  for (const std::size_t piece : {1U, 7U, 999U, 5000U}) {
    EXPECT_EQ(Lines("a\n" + exact + "\nb", piece), (std::vector<std::string>{"a", exact, "b"})) << piece;
    EXPECT_EQ(Lines("a\n" + exact + exact + exact + "\nb\n" + exact + "y\nc", piece).size(), 5U) << piece;
    EXPECT_EQ(Lines("a\n" + exact + "y" + "\nb", piece).back(), "b") << piece;
  }
  EXPECT_EQ(Lines(std::string(2000, 'x'), 2000), (std::vector<std::string>{"!2000"}));
}

// Bug 31: the rest of a line over the limit takes no memory.
TEST(LineBufferTest, Bug31KeepsOnlyTheHeadOfAnOversizedLine) {
  LineBuffer buffer(200000);
  std::string line;
  const std::string piece(100000, 'x');
  buffer.Append(piece);
  buffer.Append(piece);
  EXPECT_EQ(buffer.Next(line), Outcome::kNothing);
  buffer.Append(piece);
  EXPECT_EQ(buffer.Next(line), Outcome::kOversized);
  EXPECT_EQ(line.size(), LineBuffer::kHead);
  for (int i = 0; i < 100; ++i) {
    buffer.Append(piece);
    EXPECT_EQ(buffer.Next(line), Outcome::kNothing);
  }
  buffer.Append("tail\nnext\n");
  EXPECT_EQ(buffer.Next(line), Outcome::kLine);
  EXPECT_EQ(line, "next");
}

// Bugs 30 and 32: no small limit, and the time grows with the size, not with its square (which would take minutes).
TEST(LineBufferTest, Bug30And32TakesLongLinesInSmallPieces) {
  const std::string text(std::size_t{20} << 20, 'x');
  LineBuffer buffer(std::size_t{64} << 20);
  std::string line;
  for (std::size_t i = 0; i < text.size(); i += 4096) {
    buffer.Append(std::string_view(text).substr(i, 4096));
    ASSERT_EQ(buffer.Next(line), Outcome::kNothing);
  }
  buffer.Append("\nnext\n");
  ASSERT_EQ(buffer.Next(line), Outcome::kLine);
  EXPECT_EQ(line.size(), text.size());
  ASSERT_EQ(buffer.Next(line), Outcome::kLine);
  EXPECT_EQ(line, "next");
  EXPECT_EQ(buffer.Next(line), Outcome::kNothing);
}

}  // namespace
}  // namespace mcp
