#include "application/running/output_format.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

std::string Read(std::string_view text) {
  const auto value = JsonOfAnswer(text);
  return value ? json::serialize(*value) : "! " + value.error();
}

TEST(OutputFormat, TakesTheTextOneFenceAroundItOrTheFirstEmbeddedFence) {
  EXPECT_EQ(Read(" {\"a\": [1]}\n"), R"({"a":[1]})");
  EXPECT_EQ(Read("3"), "3");
  EXPECT_EQ(Read("```json\n{\"a\":1}\n```"), R"({"a":1})");
  EXPECT_EQ(Read("\n```\n[1, 2]\n```\n"), "[1,2]");
  EXPECT_EQ(Read("```javascript\r\n\"x\"\r\n```"), R"("x")");
  EXPECT_EQ(Read("Here it is:\n\n  ```json\n  {\"a\":1}\n  ```\nand more\n```json\n{\"b\":1}\n```\n"), R"({"a":1})");
  EXPECT_EQ(Read("```sh\nls\n```\n```JSON\n{\"a\":1}\n```\n"), R"({"a":1})");
  EXPECT_EQ(Read("see\n```json\n{\"code\": \"```\"}\n```"), R"({"code":"```"})");
}

TEST(OutputFormat, RefusesTheRestAndShowsItsBeginning) {
  EXPECT_EQ(Read("no {json} here"), "! the answer is not JSON: no {json} here");
  EXPECT_EQ(Read("```json\n{broken\n```\n```json\n{}\n```"),
            "! the answer is not JSON: ```json\n{broken\n```\n```json\n{}\n```");
  EXPECT_EQ(Read("a\n```json\n{}"), "! the answer is not JSON: a\n```json\n{}");
  EXPECT_EQ(Read("``````"), "! the answer is not JSON: ``````");
  EXPECT_EQ(Read(" \n"), "! the answer is empty, not JSON");
  std::string euros;
  for (int i = 0; i < 201; ++i) euros += "€";
  EXPECT_EQ(Read(euros), "! the answer is not JSON: " + euros.substr(0, 600) + " …");
}

TEST(OutputFormat, ReadsWhatIsDeeperThanTheParsersOwnLimit) {
  EXPECT_EQ(Read(std::string(100, '[') + std::string(100, ']')), std::string(100, '[') + std::string(100, ']'));
}

TEST(OutputFormat, TheObjectOfAnAnswerIsTheWholeText) {
  EXPECT_TRUE(ObjectOfAnswer(" {\"a\":1}\n"));
  for (const char* text : {"[1]", "{broken}", "text {\"a\":1}", "{\"a\":1} {\"b\":2}", "", "```json\n{}\n```"}) {
    EXPECT_FALSE(ObjectOfAnswer(text)) << text;
  }
}

}  // namespace
}  // namespace awf
