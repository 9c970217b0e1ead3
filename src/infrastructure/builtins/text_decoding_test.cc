#include "infrastructure/builtins/text_decoding.h"

#include <gtest/gtest.h>

#include <string>

namespace awf::builtins {
namespace {

using namespace std::string_literals;

TEST(EncodingTest, IsTakenFromTheMark) {
  EXPECT_EQ(DetectEncoding("\xEF\xBB\xBFx").encoding, TextEncoding::kUtf8);
  EXPECT_EQ(DetectEncoding("\xEF\xBB\xBFx").length, 3U);
  EXPECT_EQ(DetectEncoding("\xFF\xFEh\0"s).encoding, TextEncoding::kUtf16Le);
  EXPECT_EQ(DetectEncoding("\xFF\xFE").encoding, TextEncoding::kUtf16Le);
  EXPECT_EQ(DetectEncoding("\xFE\xFF\0h"s).encoding, TextEncoding::kUtf16Be);
  EXPECT_EQ(DetectEncoding("\xFF\xFE\0\0"s).encoding, TextEncoding::kUtf8);  // UTF-32
  EXPECT_EQ(DetectEncoding("plain").length, 0U);
  EXPECT_EQ(ToString(TextEncoding::kUtf16Be), "UTF-16BE");
}

TEST(EncodingTest, NulMeansBinary) {
  EXPECT_TRUE(LooksBinary("PK\0x"s));
  EXPECT_FALSE(LooksBinary("PK"));
  EXPECT_FALSE(LooksBinary("\xFF\xFEh\0i\0"s));
  EXPECT_TRUE(LooksBinary("\xFF\xFEh\0\0\0"s));
  EXPECT_FALSE(LooksBinary("\xFF\xFE\0\x01\x01\0"s));  // two NULs that are halves of two characters
  EXPECT_TRUE(LooksBinary("\xFF\xFE\0\0h\0\0\0"s));
}

TEST(Utf16Test, Decodes) {
  EXPECT_EQ(DecodeText("\xFF\xFEh\0i\0\n\0"s), "hi\n");
  EXPECT_EQ(DecodeText("\xFE\xFF\0h\x65\x87"s), "h文");
  EXPECT_EQ(DecodeText("\xFF\xFE\x3C\xD8\x89\xDF"s), "🎉");
  EXPECT_EQ(DecodeText("\xFF\xFE\x3C\xD8h\0"s), "\uFFFDh");
  EXPECT_EQ(DecodeText("\xFF\xFE\x89\xDFh\0"s), "\uFFFDh");
  EXPECT_EQ(DecodeText("\xFF\xFE\x3C\xD8"s), "\uFFFD");
  EXPECT_EQ(DecodeText("\xFF\xFEh\0i"s), "h\uFFFD");
  EXPECT_EQ(DecodeText("\xEF\xBB\xBFx"), "x");
  EXPECT_EQ(DecodeText("caf\xE9"), "caf\xE9");
}

TEST(Utf16Test, PiecesMakeNoDifference) {
  const std::string bytes = "h\0\x3C\xD8\x89\xDFi\0"s;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Utf16Decoder decoder(TextEncoding::kUtf16Le);
    std::string out;
    decoder.Decode(std::string_view(bytes).substr(0, cut), out);
    decoder.Decode(std::string_view(bytes).substr(cut), out);
    decoder.Finish(out);
    EXPECT_EQ(out, "h🎉i") << cut;
  }
}

TEST(LineEndsTest, AreCounted) {
  EXPECT_EQ(LineEndsOf(""), LineEnds::kNone);
  EXPECT_EQ(LineEndsOf("one\rtwo"), LineEnds::kNone);
  EXPECT_EQ(LineEndsOf("a\nb"), LineEnds::kLf);
  EXPECT_EQ(LineEndsOf("a\r\nb\r\n"), LineEnds::kCrLf);
  EXPECT_EQ(LineEndsOf("a\r\nb\n"), LineEnds::kMixed);
  EXPECT_EQ(LineEndsOf("\n\r\n"), LineEnds::kMixed);
  LineEndCounter counter;
  counter.Add("a\r");
  counter.Add("\nb");
  counter.Add("");
  counter.Add("\r");
  counter.Add("\n");
  EXPECT_EQ(counter.Kind(), LineEnds::kCrLf);
  EXPECT_EQ(counter.lines(), 2U);
}

TEST(LineEndsTest, Convert) {
  EXPECT_EQ(WithCrLf("a\nb\r\n\nc\r"), "a\r\nb\r\n\r\nc\r");
  EXPECT_EQ(WithLf("a\r\nb\r\r\n\rc\r"), "a\nb\r\n\rc\r");
}

}  // namespace
}  // namespace awf::builtins
