#include "infrastructure/agents/line_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace awf::agents {
namespace {

struct Collected {
  std::vector<std::string> lines;
  LineReader reader;
  explicit Collected(std::size_t limit = 1000)
      : reader([this](std::string_view line) { lines.emplace_back(line); }, limit) {}
};

TEST(LineReaderTest, CutsWhereverTheBytesAreSplit) {
  const std::string text = "one\ntwo\r\n\nthree";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    Collected c;
    for (std::size_t at = 0; at < text.size(); at += step) c.reader.Append(std::string_view(text).substr(at, step));
    EXPECT_EQ(c.lines, (std::vector<std::string>{"one", "two", ""})) << step;
    c.reader.Finish();
    EXPECT_EQ(c.lines, (std::vector<std::string>{"one", "two", "", "three"})) << step;
  }
}

TEST(LineReaderTest, LineAboveTheLimitIsDroppedAndTheNextIsRead) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
    Collected c(10);
    const std::string text = "0123456789\n01234567890\nok\n" + std::string(50, 'x') + "\nend\n";
    for (std::size_t at = 0; at < text.size(); at += step) c.reader.Append(std::string_view(text).substr(at, step));
    EXPECT_EQ(c.lines, (std::vector<std::string>{"0123456789", "ok", "end"})) << step;
    EXPECT_EQ(c.reader.dropped(), 2U) << step;
  }
}

TEST(LineReaderTest, DroppedLineAtTheEndIsCounted) {
  Collected c(3);
  c.reader.Append("abcdef");
  c.reader.Finish();
  EXPECT_TRUE(c.lines.empty());
  EXPECT_EQ(c.reader.dropped(), 1U);
}

TEST(LineReaderTest, FinishWithoutAPartialLineAddsNone) {
  Collected c;
  c.reader.Append("a\n");
  c.reader.Finish();
  EXPECT_EQ(c.lines, std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace awf::agents
