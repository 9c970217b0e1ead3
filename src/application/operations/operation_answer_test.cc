#include "application/operations/operation_answer.h"

#include <gtest/gtest.h>

#include "domain/utf8.h"

namespace awf {
namespace {

using Ending = OperationResult::Ending;

OperationResult Answer(bool success, std::string output, json::object data, std::string error) {
  OperationResult result;
  result.success = success;
  result.output = std::move(output);
  result.data = std::move(data);
  result.error = std::move(error);
  return result;
}

std::vector<std::string> Texts(const ToolResult& result) {
  std::vector<std::string> texts;
  for (const Content& content : result.content) texts.push_back(std::get<TextContent>(content).text);
  return texts;
}

using Blocks = std::vector<std::string>;

TEST(OperationAnswer, OneObjectOfOutputAndData) {
  const ToolResult result =
      ToolResultOf(Answer(true, "done\n", {{"z", 1.5}, {"a", {{"k", json::array{}}}}, {"n", nullptr}}, ""), {});
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(Texts(result), Blocks{R"({"a":{"k":[]},"n":null,"output":"done\n","z":1.5})"});
  EXPECT_EQ(result.fields.log_error, "");
}

TEST(OperationAnswer, DataWinsOverOutput) {
  EXPECT_EQ(Texts(ToolResultOf(Answer(true, "text", {{"output", 7}}, ""), {})), Blocks{R"({"output":7})"});
}

TEST(OperationAnswer, TheErrorIsABlockOfItsOwn) {
  const ToolResult both = ToolResultOf(Answer(false, "half", {}, "rate limit"), {});
  EXPECT_TRUE(both.is_error);
  EXPECT_EQ(Texts(both), (Blocks{R"({"output":"half"})", "rate limit"}));
  EXPECT_EQ(both.fields.log_error, "rate limit");
  EXPECT_EQ(Texts(ToolResultOf(Answer(false, "", {}, "rate limit"), {})), Blocks{"rate limit"});
  EXPECT_TRUE(ToolResultOf(Answer(true, "x", {}, "but"), {}).is_error);
}

TEST(OperationAnswer, NothingIsSaid) {
  const ToolResult good = ToolResultOf(Answer(true, "", {}, ""), {});
  EXPECT_FALSE(good.is_error);
  EXPECT_EQ(Texts(good), Blocks{"(no output)"});
  const ToolResult bad = ToolResultOf(Answer(false, "", {}, ""), {});
  EXPECT_TRUE(bad.is_error);
  EXPECT_EQ(Texts(bad), Blocks{"(no output)"});
}

TEST(OperationAnswer, EndingsReachTheFields) {
  OperationResult result = Answer(false, "", {}, "p: no answer within 20 ms");
  result.ending = Ending::kTimeout;
  result.rpc =
      RpcRecord{"plugin.v1.OperationService", "Execute", 4, std::chrono::microseconds(1), std::chrono::microseconds(2)};
  const ToolResult timeout = ToolResultOf(result, {});
  EXPECT_TRUE(timeout.is_error && timeout.fields.timed_out && !timeout.fields.cancelled);
  EXPECT_EQ(timeout.fields.rpc, result.rpc);
  EXPECT_EQ(Texts(timeout), Blocks{"p: no answer within 20 ms"});

  result = Answer(true, "", {}, "");
  result.ending = Ending::kCancelled;
  const ToolResult cancelled = ToolResultOf(result, {});
  EXPECT_TRUE(cancelled.is_error && cancelled.fields.cancelled && !cancelled.fields.timed_out);
  EXPECT_EQ(Texts(cancelled), Blocks{"cancelled by client"});
  EXPECT_FALSE(cancelled.fields.rpc);

  result = Answer(true, "", {}, "p: plugin not running");
  result.ending = Ending::kFailed;
  EXPECT_TRUE(ToolResultOf(result, {}).is_error);
}

TEST(OperationAnswer, TextIsValidAndWithinTheBudget) {
  const ToolResult bad = ToolResultOf(Answer(true, "caf\xE9", {}, ""), {});
  EXPECT_EQ(Texts(bad), Blocks{"{\"output\":\"caf\uFFFD\"}"});

  const ResultBudget budget{.characters = 500, .bytes = 400, .error = 300};
  const ToolResult cut = ToolResultOf(Answer(true, std::string(1000, 'x'), {}, ""), budget);
  EXPECT_TRUE(cut.fields.truncated);
  EXPECT_LE(Texts(cut).at(0).size(), 400U);
  EXPECT_GT(Texts(cut).at(0).size(), 350U);
  EXPECT_NE(Texts(cut).at(0).find("\n\n[The result was cut: "), std::string::npos);

  for (const std::size_t length : {10, 1000}) {
    const ToolResult both = ToolResultOf(Answer(false, std::string(1000, 'x'), {}, std::string(length, 'e')), budget);
    EXPECT_TRUE(both.fields.truncated);
    const Blocks texts = Texts(both);
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_LE(texts[0].size() + texts[1].size(), 300U);
    EXPECT_LE(texts[1].size(), 150U);
    EXPECT_GT(texts[0].size(), length == 10 ? 250U : 130U);
  }
  EXPECT_FALSE(ToolResultOf(Answer(false, "x", {}, "e"), budget).fields.truncated);
}

TEST(OperationAnswer, LinesAreCountedOverBothBlocks) {
  const ResultBudget budget{.lines = 20};
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "e\n";
  const ToolResult both = ToolResultOf(Answer(false, "x", {}, lines), budget);
  const Blocks texts = Texts(both);
  EXPECT_LE(std::ranges::count(texts.at(0) + texts.at(1), '\n'), 20);
  EXPECT_TRUE(both.fields.truncated);
}

}  // namespace
}  // namespace awf
