#include "infrastructure/step_channel/line_buffer.h"

#include <gtest/gtest.h>

namespace awf::channel {
namespace {

TEST(LineBuffer, CutsLinesHoweverTheyArrive) {
  LineBuffer buffer;
  EXPECT_FALSE(buffer.Next());
  buffer.Append("a");
  EXPECT_FALSE(buffer.Next());
  buffer.Append("b\n\ncd\ne");
  EXPECT_EQ(buffer.Next(), "ab");
  EXPECT_EQ(buffer.Next(), "");
  EXPECT_EQ(buffer.Next(), "cd");
  EXPECT_FALSE(buffer.Next());
  buffer.Append("f\n");
  EXPECT_EQ(buffer.Next(), "ef");
  EXPECT_FALSE(buffer.Next());
}

TEST(LineBuffer, TellsWhenALineIsTooLong) {
  LineBuffer buffer(4);
  buffer.Append("abcd");
  EXPECT_FALSE(buffer.TooLong());
  buffer.Append("e");
  EXPECT_TRUE(buffer.TooLong());
  buffer.set_max_line(5);
  EXPECT_FALSE(buffer.TooLong());
}

TEST(LineBuffer, ManySmallPiecesMakeOneLongLine) {
  LineBuffer buffer;
  const std::string piece(1000, 'x');
  for (int i = 0; i < 2000; ++i) {
    buffer.Append(piece);
    ASSERT_FALSE(buffer.Next());
  }
  buffer.Append("\n");
  const auto line = buffer.Next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->size(), 2'000'000U);
}

}  // namespace
}  // namespace awf::channel
