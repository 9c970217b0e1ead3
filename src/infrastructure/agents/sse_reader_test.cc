#include "infrastructure/agents/sse_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace awf::agents {
namespace {

using Events = std::vector<std::string>;

Events Read(const std::vector<std::string_view>& pieces) {
  Events events;
  SseReader reader([&](std::string_view data) { events.emplace_back(data); });
  for (const std::string_view piece : pieces) reader.Append(piece);
  reader.Finish();
  EXPECT_FALSE(reader.too_large());
  return events;
}

TEST(SseReaderTest, Streams) {
  const struct {
    std::string_view name, stream;
    Events events;
  } cases[] = {
      {"line feeds", "data: a\n\ndata: b\n\n", {"a", "b"}},
      {"carriage return and line feed", "data: a\r\n\r\ndata: b\r\n\r\n", {"a", "b"}},
      {"carriage returns", "data: a\r\rdata: b\r\r", {"a", "b"}},
      {"line ends mixed", "data: a\r\n\rdata: b\n\r\n", {"a", "b"}},
      {"one space is taken away", "data:a\n\ndata:  b \n\n", {"a", " b "}},
      {"several lines", "data: a\ndata: b\ndata\n\n", {"a\nb\n"}},
      {"comments and other fields", ": hi\nevent: x\nid: 1\nretry: 9\ndata: a\n: there\n\n:\n\n", {"a"}},
      {"events without data", "event: ping\n\n\n\n\ndata: a\n\n", {"a"}},
      {"empty data", "data:\n\ndata\n\n", {"", ""}},
      {"a colon in the value", "data: a: b\n\n", {"a: b"}},
      {"byte order mark",
       "\xEF\xBB\xBF"
       "data: a\n\n",
       {"a"}},
      {"no empty line at the end", "data: a\n\ndata: b\n", {"a", "b"}},
      {"no line end at the end", "data: a\n\ndata: [DONE]", {"a", "[DONE]"}},
      {"other fields", "datax: a\nDATA: b\n data: c\n\n", {}},
      {"characters of several bytes", "data: \xC3\xA4\xF0\x9F\x98\x80\n\n", {"\xC3\xA4\xF0\x9F\x98\x80"}},
      {"nothing", "", {}},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(Read({test.stream}), test.events) << test.name;
    // Cut in two at every place, and into single bytes.
    std::vector<std::string_view> bytes;
    for (std::size_t cut = 0; cut < test.stream.size(); ++cut) {
      EXPECT_EQ(Read({test.stream.substr(0, cut), test.stream.substr(cut)}), test.events) << test.name << " " << cut;
      bytes.push_back(test.stream.substr(cut, 1));
    }
    EXPECT_EQ(Read(bytes), test.events) << test.name;
  }
}

TEST(SseReaderTest, LinesThatNoEventStreamHasAreTold) {
  SseReader reader([](std::string_view) {});
  reader.Append("event: a\nid\n: c\ndata: <html>\n\n");
  EXPECT_FALSE(reader.foreign());
  reader.Append("<html>\n");
  EXPECT_TRUE(reader.foreign());
}

TEST(SseReaderTest, ErrorsAreMarked) {
  Events events;
  SseReader reader([&](std::string_view data) {
    events.push_back(std::string(reader.is_error() ? "error " : "") + std::string(data));
  });
  reader.Append("event: error\ndata: a\n\ndata: b\n\nerror: c\n\nevent: error\n\nevent: errors\ndata: d\n\n");
  EXPECT_EQ(events, (Events{"error a", "b", "error c", "d"}));
  EXPECT_FALSE(reader.foreign());
}

TEST(SseReaderTest, EventsAreBounded) {
  const struct {
    std::string_view stream;
    bool too_large;
  } cases[] = {
      {"data: 12345678\n\n", false},
      {"data: 1234567890", true},
      {"data: 1234567890\n\n", true},
      {"data: 1234\ndata: 56789\n\n", false},
      {"data: 1234\ndata: 567890123\n\n", true},
      {": a long comment", true},
  };
  for (const auto& test : cases) {
    std::size_t longest = 0;
    SseReader reader([&](std::string_view data) { longest = std::max(longest, data.size()); }, 14);
    for (const char& byte : test.stream) reader.Append({&byte, 1});
    reader.Finish();
    EXPECT_EQ(reader.too_large(), test.too_large) << test.stream;
    EXPECT_LE(longest, 14U);
  }
}

}  // namespace
}  // namespace awf::agents
