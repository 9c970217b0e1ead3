#include "infrastructure/yaml/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "domain/test_folder.h"

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
  std::string Write(const std::string& name, std::string_view text) const { return folder_.Put(name, text).string(); }
  const TestFolder folder_;
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

TEST_F(InputFileTest, JsonKeepsItsNumbersAndPlaces) {
  EXPECT_THAT(Pairs(ReadInputText("{\n\t\"v\": 1.10,\n\t\"t\": \"a\\tb\"\n}\n", "i").value()),
              ElementsAre("v=1.10", "t=a\tb"));
  EXPECT_EQ(ReadInputText("{\n\t\"v\": [1]}", "i").error().position, (Position{"i", 2, 7}));
}

TEST_F(InputFileTest, NullIsNoValue) {
  EXPECT_THAT(Pairs(ReadInputText("a: null\nb: ~\nc:\nd: ''\ne: 'null'\n", "i").value()), ElementsAre("d=", "e=null"));
  EXPECT_THAT(Pairs(ReadInputText("{}", "i").value()), ElementsAre());
}

TEST_F(InputFileTest, AllFaultsAreToldWithTheirPlace) {
  const std::string path = Write("i.yaml", "a: [1]\nb: {c: d}\nok: x\nok: y\n");
  const auto given = ReadInputFile(path);
  ASSERT_FALSE(given.has_value());
  EXPECT_EQ(given.error().code, "USER.INPUT.INVALID_FORMAT");
  EXPECT_EQ(given.error().position, (Position{path, 1, 4}));
  EXPECT_EQ(given.error().message, "--input-file: a must be a string, but is a list\n" + path +
                                       ":2:4: b must be a string, but is a map\n" + path +
                                       ":4:1: key 'ok' was already given in line 3");
}

TEST_F(InputFileTest, FilesThatCannotBeUsed) {
  const Error missing = ReadInputFile((folder_ / "none.yaml").string()).error();
  EXPECT_EQ(missing.code, "USER.INPUT.MISSING_FILE");
  EXPECT_EQ(missing.message, "--input-file: " + (folder_ / "none.yaml").string() + " does not exist");
  EXPECT_EQ(ReadInputFile(folder_.string()).error().message,
            "--input-file: " + folder_.string() + " is not a regular file");
  const auto empty = ReadInputText("# none\n", "i.yaml");
  EXPECT_EQ(empty.error().message, "--input-file: the file is empty");
  EXPECT_EQ(empty.error().position, (Position{"i.yaml", 1, 1}));
  EXPECT_EQ(ReadInputText("- a\n", "i").error().message, "--input-file: the document must be a map, but is a list");
  EXPECT_EQ(ReadInputText("a: \"x\n", "i").error().code, "USER.INPUT.INVALID_FORMAT");
}

}  // namespace
}  // namespace awf
