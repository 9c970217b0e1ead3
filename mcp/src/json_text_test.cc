#include "json_text.h"

#include <gtest/gtest.h>

#include <string>

#include "utf8.h"

namespace mcp {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendQuoted(out, text);
  return out;
}

TEST(JsonTextTest, EscapesWhatMustBe) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("a\"b\\c\n\r\t"), R"("a\"b\\c\n\r\t")");
  EXPECT_EQ(Quoted(std::string("\0\x01\x1F\x7F", 4)), "\"\\u0000\\u0001\\u001f\x7F\"");
  EXPECT_EQ(Quoted("\xE2\x80\xA8/"), "\"\xE2\x80\xA8/\"");  // U+2028 is fine as it is
}

// Every byte at every place of an eight-byte step comes back from the parser as it went in.
TEST(JsonTextTest, RoundTripsEveryAsciiByteAtEveryPlace) {
  for (int byte = 0; byte < 0x80; ++byte) {
    for (std::size_t place = 0; place < 17; ++place) {
      std::string text(17, 'x');
      text[place] = static_cast<char>(byte);
      EXPECT_EQ(boost::json::parse(Quoted(text)).as_string(), text) << byte << " at " << place;
    }
  }
}

// go-sdk and llama.cpp#9210 alike (bug 34): ill-formed text from a tool must not reach the wire.
TEST(JsonTextTest, Bug34MakesOutputValidUtf8) {
  const std::string r(kReplacement);
  EXPECT_EQ(Quoted("12345678\xFFz\xC3\xA9\xE2\x82"), "\"12345678" + r + "z\xC3\xA9" + r + "\"");
  std::string out;
  AppendJson(out, boost::json::object{{"k\xFF", "v\xC0"}});
  EXPECT_EQ(out, "{\"k" + r + "\":\"v" + r + "\"}");
}

}  // namespace
}  // namespace mcp
