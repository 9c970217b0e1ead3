#include "infrastructure/yaml/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace awf {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

std::vector<std::string> Pairs(const GivenInputs& given) {
  std::vector<std::string> pairs;
  for (const GivenInput& input : given) {
    EXPECT_EQ(input.source, InputSource::kFile);
    pairs.push_back(input.name + "=" + input.text);
  }
  return pairs;
}

class InputFileTest : public testing::Test {
 protected:
  InputFileTest() {
    std::string pattern = (fs::temp_directory_path() / "awf-inputs-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~InputFileTest() override { fs::remove_all(folder_); }
  std::string Write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST_F(InputFileTest, ScalarsAreTakenAsSpelt) {
  const auto given =
      ReadInputFile(Write("i.yaml", "tag: 1.10\nflag: true\ncount: 007\ntext: |\n  two\n  lines\nat: '@x'\n"));
  ASSERT_TRUE(given.has_value());
  EXPECT_THAT(Pairs(*given), ElementsAre("tag=1.10", "flag=true", "count=007", "text=two\nlines\n", "at=@x"));
}

TEST_F(InputFileTest, JsonWithItsOwnEscapes) {
  const auto given = ReadInputFile(Write(
      "i.json", "{\n\t\"a\": 1e3, \"b\": \"\\ud83d\\ude00 \\u00e9 \\/ \\\\ud83d\\\\ude00\",\n\t\"c\": false\n}\n"));
  ASSERT_TRUE(given.has_value()) << given.error().message;
  EXPECT_THAT(Pairs(*given), ElementsAre("a=1e3", "b=\xF0\x9F\x98\x80 \xC3\xA9 / \\ud83d\\ude00", "c=false"));
}

TEST_F(InputFileTest, EmptyFilesGiveNothing) {
  EXPECT_THAT(Pairs(ReadInputFile(Write("i.yaml", "# none\n")).value()), ElementsAre());
  EXPECT_THAT(Pairs(ReadInputFile(Write("i.json", "{}")).value()), ElementsAre());
}

TEST_F(InputFileTest, AllFaultsAreToldWithTheirPlace) {
  const std::string path = Write("i.yaml", "a: [1]\nb: {c: d}\nok: x\ne:\nok: y\n");
  const auto given = ReadInputFile(path);
  ASSERT_FALSE(given.has_value());
  EXPECT_EQ(given.error().code, "USER.INPUT.INVALID_FORMAT");
  EXPECT_EQ(given.error().position, (Position{path, 1, 4}));
  EXPECT_EQ(given.error().message, path + ":1:4: a must be a string, but is a list\n" + path +
                                       ":2:4: b must be a string, but is a map\n" + path +
                                       ":4:3: e must be a string, but is empty\n" + path +
                                       ":5:1: key 'ok' was already given in line 3");
}

TEST_F(InputFileTest, FilesThatCannotBeUsed) {
  const std::string missing = (folder_ / "none.yaml").string();
  EXPECT_EQ(ReadInputFile(missing).error().message, "the input file " + missing + " does not exist");
  EXPECT_EQ(ReadInputFile(folder_.string()).error().message,
            "the input file " + folder_.string() + " is not a regular file");
  EXPECT_EQ(ReadInputFile(Write("l.yaml", "- a\n")).error().position.line, 1U);
  EXPECT_EQ(ReadInputFile(Write("s.yaml", "a: \"x\n")).error().code, "USER.INPUT.INVALID_FORMAT");
}

}  // namespace
}  // namespace awf
