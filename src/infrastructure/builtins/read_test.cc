#include "infrastructure/builtins/read.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "domain/utf8.h"
#include "infrastructure/builtins/image_file.h"
#include "infrastructure/builtins/result_text.h"
#include "infrastructure/builtins/tool_fixture_for_tests.h"

namespace awf::builtins {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

std::string Sequence(int last, const std::string& prefix = "") {
  std::string text;
  for (int i = 1; i <= last; ++i) text += prefix + std::to_string(i) + "\n";
  return text;
}

class ReadTest : public testing::Test {
 protected:
  ReadTool Tool() const { return {std::make_shared<const Confinement>(settings_), settings_}; }
  ToolResult Read(const std::string& path, json::object more = {}) const {
    more["path"] = path;
    return CallTool(Tool(), more);
  }
  std::string Good(const std::string& path, const json::object& more = {}) const {
    const ToolResult result = Read(path, more);
    EXPECT_FALSE(result.is_error) << TextOf(result);
    EXPECT_TRUE(IsValidUtf8(TextOf(result)));
    return TextOf(result);
  }
  std::string Bad(const std::string& path, const json::object& more = {}) const {
    const ToolResult result = Read(path, more);
    EXPECT_TRUE(result.is_error) << TextOf(result);
    return TextOf(result);
  }
  // The text that reading these bytes gives.
  std::string Shown(const std::string& bytes, const json::object& more = {}) const {
    w_.Put("f", bytes);
    return Good("f", more);
  }

  TestWorkspace w_;
  ToolSettings settings_ = w_.Settings();
};

TEST_F(ReadTest, NumbersLines) {
  EXPECT_EQ(Shown("alpha\nbeta\n"), "1\talpha\n2\tbeta");
  EXPECT_EQ(Shown("a\nlast"), "1\ta\n2\tlast");
  EXPECT_EQ(Shown("\n\nx"), "1\t\n2\t\n3\tx");
  EXPECT_EQ(Good((w_.root() / "f").string()), "1\t\n2\t\n3\tx");
  EXPECT_EQ(Shown("\n"), "1\t");
}

TEST_F(ReadTest, ShowsPages) {
  const std::string s = Sequence(10);
  EXPECT_EQ(Shown(s, {{"offset", 3}, {"limit", 2}}), "3\t3\n4\t4\n\n[Lines 3-4 of 10 shown. Continue with offset=5.]");
  EXPECT_EQ(Shown(s, {{"offset", 9}}), "9\t9\n10\t10");
  EXPECT_EQ(Shown(s, {{"offset", 9}, {"limit", 2}}), "9\t9\n10\t10");
  EXPECT_EQ(Shown("1\n2\n3", {{"offset", 0}, {"limit", 3'000'000'000}}), "1\t1\n2\t2\n3\t3");
  EXPECT_EQ(Shown("1\n2", {{"limit", 1}}), "1\t1\n\n[Lines 1-1 of 2 shown. Continue with offset=2.]");
}

TEST_F(ReadTest, DefaultPageIs2000Lines) {
  const std::string text = Shown(Sequence(5000, "row "));
  EXPECT_TRUE(text.starts_with("1\trow 1\n"));
  EXPECT_TRUE(text.ends_with("2000\trow 2000\n\n[Lines 1-2000 of 5000 shown. Continue with offset=2001.]"));
  EXPECT_TRUE(Read("f").fields.truncated);
  EXPECT_FALSE(Read("f", {{"offset", 4999}}).fields.truncated);
}

TEST_F(ReadTest, PagesFarIntoAFile) {
  EXPECT_EQ(Shown(Sequence(700'000, "line "), {{"offset", 699'999}, {"limit", 2}}),
            "699999\tline 699999\n700000\tline 700000");
}

TEST_F(ReadTest, ChecksValues) {
  w_.Put("s.txt", Sequence(3));
  EXPECT_EQ(Bad("s.txt", {{"offset", 50}}), "offset 50 is past the end: s.txt has 3 lines.");
  w_.Put("one", "x");
  EXPECT_EQ(Bad("one", {{"offset", 2}}), "offset 2 is past the end: one has 1 line.");
}

TEST_F(ReadTest, EmptyFilesAreNoError) {
  EXPECT_EQ(Shown(""), "The file is empty.");
  EXPECT_EQ(Shown("\xEF\xBB\xBF"), "The file is empty.\n\n[Begins with a UTF-8 byte order mark.]");
  EXPECT_EQ(Bad("f", {{"offset", 2}}), "offset 2 is past the end: f has 0 lines.");
}

TEST_F(ReadTest, TellsLineEnds) {
  EXPECT_EQ(Shown("a\r\nb\r\n"), "1\ta\n2\tb\n\n[Line ends: CRLF.]");
  EXPECT_EQ(Shown("a\r\nb\n"), "1\ta\n2\tb\n\n[Line ends: mixed.]");
  EXPECT_EQ(Shown("one\rtwo"), "1\tone\uFFFDtwo\n\n[1 control character shown as U+FFFD.]");
}

TEST_F(ReadTest, Decodes) {
  EXPECT_EQ(Shown("\xEF\xBB\xBFx\n"), "1\tx\n\n[Begins with a UTF-8 byte order mark.]");
  EXPECT_EQ(Shown("\xFF\xFEh\0i\0\r\0\n\0"s), "1\thi\n\n[Line ends: CRLF.]\n[Decoded from UTF-16LE.]");
  EXPECT_EQ(Shown("\xFE\xFF\0h\0i"s), "1\thi\n\n[Decoded from UTF-16BE.]");
  EXPECT_EQ(Shown("caf\xE9\n\xF0\x9F\x8E"), "1\tcaf\uFFFD\n2\t\uFFFD\n\n[Not valid UTF-8: 4 bytes shown as U+FFFD.]");
  EXPECT_EQ(Shown("\033[31mred\033[0m\001\n"),
            "1\t\uFFFD[31mred\uFFFD[0m\uFFFD\n\n[3 control characters shown as U+FFFD.]");
}

TEST_F(ReadTest, CutsLinesOnCharacters) {
  const std::string text = Shown(std::string(1999, 'x') + "🎉🎉 end\nnext\n");
  EXPECT_EQ(text,
            "1\t" + std::string(1999, 'x') +
                "🎉\n2\tnext\n\n[Line 1 is longer than 2000 characters and was cut. Use Grep, or Bash with cut -c, "
                "for the rest of it.]");
  EXPECT_EQ(Shown(std::string(2000, 'x') + "\r\n"), "1\t" + std::string(2000, 'x') + "\n\n[Line ends: CRLF.]");
  EXPECT_NE(Shown(std::string(3000, 'x') + "\n" + std::string(3000, 'y'))
                .find("[Lines 1, 2 are longer than 2000 characters and were cut. Use Grep"),
            std::string::npos);
}

TEST_F(ReadTest, AHugeLineIsBoundedAndNoLoop) {
  const std::string text = Shown("{\"payload\":\"" + std::string(10'000'000, 'a') + "\"}", {{"limit", 1}});
  EXPECT_TRUE(text.starts_with("1\t{\"payload\":\"aaaa"));
  EXPECT_LT(text.size(), 2200U);
  EXPECT_EQ(text.find("offset"), std::string::npos);
  EXPECT_TRUE(Read("f").fields.truncated);
}

TEST_F(ReadTest, StopsCountingWhereItIsPointless) {
  w_.Put("big", "first\nsecond\n");
  std::ofstream out(w_.root() / "big", std::ios::app);
  const std::string block = std::string(1023, 'x') + "\n";
  for (int i = 0; i < 70 << 10; ++i) out << block;
  out.close();
  const std::string text = Good("big", {{"limit", 1}});
  EXPECT_TRUE(text.starts_with("1\tfirst\n\n[Lines 1-1 of more than 6")) << text;
  EXPECT_TRUE(text.ends_with(" shown. Continue with offset=2.]"));
}

TEST_F(ReadTest, BudgetCutsByBytesToo) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "中";
  std::string bytes;
  for (int i = 0; i < 900; ++i) bytes += line + "\n";
  const std::string text = Shown(bytes);
  EXPECT_LE(text.size(), 40'000U);
  EXPECT_GT(text.size(), 38'000U);
  EXPECT_EQ(text.find("\uFFFD"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\n\n[Lines 1-129 of 900 shown. Continue with offset=130.]"))
      << text.substr(text.size() - 80);
}

TEST_F(ReadTest, LinesOfTheBudgetBoundThePage) {
  settings_.budget.lines = 1'900;
  w_.Put("many", Sequence(3000));
  for (const json::object& more : {json::object(), json::object{{"limit", 5'000}}}) {
    const std::string text = Good("many", more);
    EXPECT_EQ(CountLines(text), 1'892U);
    EXPECT_TRUE(text.ends_with("\n1890\t1890\n\n[Lines 1-1890 of 3000 shown. Continue with offset=1891.]"));
  }
}

TEST_F(ReadTest, ASmallBudgetScalesDown) {
  settings_.budget = {.characters = 4000, .bytes = 8000, .error = 500};
  const std::string text = Shown(std::string(500, 'x') + "\n" + Sequence(1000));
  EXPECT_LE(text.size(), 4000U);
  EXPECT_NE(text.find("[Lines 1-200 of 1001 shown. Continue with offset=201.]"), std::string::npos);
  EXPECT_NE(text.find("[Line 1 is longer than 200 characters and was cut."), std::string::npos);
}

TEST_F(ReadTest, RefusesWhatIsNoText) {
  w_.Put("a.ods", "PK\3\4\0\0\0data"s);
  w_.Put("a.pdf", "%PDF-1.7\n");
  w_.Put("wide", "\xFF\xFE\x01\0\0\0"s);
  fs::create_directory(w_.root() / "d");
  w_.Put("d/x", "");
  w_.Put("d/y", "");
  ASSERT_EQ(::mkfifo((w_.root() / "p").c_str(), 0644), 0);
  fs::create_symlink("/dev/zero", w_.root() / "z");
  EXPECT_EQ(Bad("a.ods"), "a.ods is a binary file (11 bytes); Read shows text and images only.");
  EXPECT_EQ(Bad("a.pdf"), "a.pdf is a PDF file (9 bytes); Read shows text and images only.");
  EXPECT_EQ(Bad("wide"), "wide is a binary file (6 bytes); Read shows text and images only.");
  EXPECT_EQ(Bad("d"), "d is a directory (2 entries). Use Glob to list files.");
  EXPECT_EQ(Bad("d/.."), ". is a directory (6 entries). Use Glob to list files.");
  EXPECT_EQ(Bad("p"), "p is not a regular file.");
  EXPECT_EQ(Bad("z"), "z is not a regular file.");
  EXPECT_EQ(Bad("nope"), "File not found: nope.");
}

TEST_F(ReadTest, ASparseFileIsBinaryAtOnce) {
  w_.Put("sparse", "");
  fs::resize_file(w_.root() / "sparse", 1 << 30);
  EXPECT_EQ(Bad("sparse"), "sparse is a binary file (1073741824 bytes); Read shows text and images only.");
}

TEST_F(ReadTest, BelievesNoSizeOfZero) { EXPECT_NE(Good("/proc/version").find("1\tLinux version"), std::string::npos); }

TEST_F(ReadTest, ShowsPictures) {
  const std::string gif = "GIF89a\1\0\1\0\0\0\0;"s;
  w_.Put("lie.png", gif);
  const ToolResult result = Read("lie.png", {{"offset", 5}, {"limit", 1}});
  EXPECT_FALSE(result.is_error);
  ASSERT_EQ(result.content.size(), 2U);
  EXPECT_EQ(TextOf(result), "lie.png: GIF image, 14 bytes.");
  EXPECT_EQ(std::get<ImageContent>(result.content[1]).mime_type, "image/gif");
  EXPECT_EQ(std::get<ImageContent>(result.content[1]).data, "R0lGODlhAQABAAAAADs=");
  w_.Put("t.png", "plain\n");
  EXPECT_EQ(Good("t.png"), "1\tplain");
  w_.Put("z.png", "PK\3\4\0\0"s);
  EXPECT_EQ(Bad("z.png"), "z.png is a binary file (6 bytes); Read shows text and images only.");
}

TEST_F(ReadTest, TellsThatAPictureIsTooBig) {
  w_.Put("big.png", "\x89PNG\r\n\x1A\n");
  fs::resize_file(w_.root() / "big.png", 6'000'000);
  EXPECT_EQ(Bad("big.png"), "big.png is a PNG image of 6000000 bytes; Read shows images up to 5000000 bytes.");
}

TEST_F(ReadTest, FillsTheFields) {
  w_.Put("a", "x\n");
  const ToolResult good = Read("a");
  EXPECT_EQ(good.fields.structured, (json::object{{"content", "1\tx"}}));
  EXPECT_FALSE(good.fields.truncated);
  EXPECT_EQ(Read("/proc/self/environ").fields.denied, "sandbox");
  EXPECT_EQ(Read("nope").fields.denied, "");
}

TEST_F(ReadTest, StopsWhenCancelled) {
  w_.Put("a", "x\n");
  std::stop_source stop;
  stop.request_stop();
  const json::object arguments{{"path", "a"}};
  const ToolResult result = Tool().Call(ToolCall{"0123456789abcdef", "Read", arguments, {}, stop.get_token()});
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(TextOf(result), "The call was cancelled.");
}

TEST_F(ReadTest, DefinitionIsWellFormed) {
  const ToolDefinition definition = Tool().Definition();
  EXPECT_EQ(definition.name, "Read");
  EXPECT_LT(definition.description.size(), 2048U);
  std::string order;
  for (const auto& property : definition.input_schema.at("properties").as_object()) {
    order += property.key();
    order += ' ';
  }
  EXPECT_EQ(order, "path offset limit ");
  EXPECT_EQ(json::serialize(definition.input_schema.at("required")), R"(["path"])");
  EXPECT_EQ(definition.annotations.read_only, true);
  EXPECT_FALSE(definition.annotations.destructive);
}

TEST(ImageFileTest, KnowsKindsByTheirBytes) {
  EXPECT_EQ(DetectImage("\x89PNG\r\n\x1A\n")->mime_type, "image/png");
  EXPECT_EQ(DetectImage("\xFF\xD8\xFF\xE0")->mime_type, "image/jpeg");
  EXPECT_EQ(DetectImage("GIF87a")->name, "GIF");
  EXPECT_EQ(DetectImage("RIFF\x1A\0\0\0WEBPVP8L"s)->mime_type, "image/webp");
  EXPECT_FALSE(DetectImage("RIFF\x1A\0\0\0WAVE"s));
  EXPECT_FALSE(DetectImage("plain"));
}

}  // namespace
}  // namespace awf::builtins
