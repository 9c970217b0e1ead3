#include "infrastructure/operations/github_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>

#include "infrastructure/operations/operation_failure.h"
#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

using Ending = OperationResult::Ending;

bool Knows(std::string_view name) { return name == "good" || name == "bad" || name == "throws"; }

OperationResult Good(const OperationCall& call) {
  OperationResult result;
  result.success = true;
  result.data = call.inputs;
  return result;
}

OperationResult RunOne(const OperationCall& call) {
  if (call.operation == "throws") throw std::runtime_error("thrown");
  return call.operation == "good" ? Good(call) : Refused(kNotFound, "none");
}

OperationResult Batch(std::string_view inputs, const BatchRunner& run = RunOne,
                      Deadline deadline = SteadyClock::now() + kHang, std::stop_token cancelled = {}) {
  const json::object object = Object(inputs);
  return RunBatch({"0123456789abcdef", "batch", object, deadline, std::move(cancelled), "", ""}, Knows, run);
}

TEST(GithubBatchTest, BestEffortRunsAllAndSucceeds) {
  const OperationResult result = Batch(R"({"operations":[{"name":"good","inputs":{"a":1}},{"name":"bad"},
      {"name":"github.good","b":2},"{\"name\":\"good\"}",{"name":"throws"}]})");
  EXPECT_TRUE(result.success);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(Text(result.data),
            R"({"total":5,"succeeded":3,"failed":2,"results":[{"name":"good","success":true,"outputs":{"a":1}},)"
            R"({"name":"bad","success":false,"error_type":"not_found","error":"not_found: none","outputs":{}},)"
            R"({"name":"good","success":true,"outputs":{"b":2}},{"name":"good","success":true,"outputs":{}},)"
            R"({"name":"throws","success":false,"error_type":"internal","error":"internal: thrown","outputs":{}}]})");
}

TEST(GithubBatchTest, AllSucceedStopsAtTheFirstFailure) {
  const OperationResult result = Batch(
      R"({"strategy":"all_succeed","concurrency":1,"operations":[{"name":"good"},{"name":"bad"},{"name":"good"}]})");
  EXPECT_FALSE(result.success);
  EXPECT_EQ(result.ending, Ending::kAnswered);
  EXPECT_EQ(result.error, "1 failed; bad: not_found: none");
  EXPECT_EQ(Text(result.data),
            R"({"total":3,"succeeded":1,"failed":1,"results":[{"name":"good","success":true,"outputs":{}},)"
            R"({"name":"bad","success":false,"error_type":"not_found","error":"not_found: none","outputs":{}},)"
            R"({"name":"good","success":false,"skipped":true}]})");
  EXPECT_TRUE(Batch(R"({"strategy":"all_succeed","operations":[{"name":"good"},{"name":"good"}]})").success);
}

TEST(GithubBatchTest, AnySucceedStopsAtTheFirstSuccess) {
  const OperationResult result = Batch(
      R"({"strategy":"any_succeed","concurrency":1,"operations":[{"name":"bad"},{"name":"good"},{"name":"bad"}]})");
  EXPECT_TRUE(result.success);
  EXPECT_EQ(result.data.at("succeeded"), 1);
  EXPECT_EQ(result.data.at("failed"), 1);
  EXPECT_EQ(Text(result.data.at("results").as_array().at(2)), R"({"name":"bad","success":false,"skipped":true})");
  const OperationResult none = Batch(R"({"strategy":"any_succeed","operations":[{"name":"bad"},{"name":"bad"}]})");
  EXPECT_FALSE(none.success);
  EXPECT_EQ(none.error, "2 failed; bad: not_found: none");
}

// Each waits until `concurrency` of them run: with fewer it would not end before the bound, with more they are seen.
TEST(GithubBatchTest, SoManyRunAtTheSameTime) {
  for (const int expected : {1, 3, 5}) {
    std::mutex mutex;
    std::condition_variable changed;
    int running = 0, most = 0, begun = 0;
    const auto run = [&](const OperationCall& call) {
      std::unique_lock lock(mutex);
      most = std::max(most, ++running);
      ++begun;
      changed.notify_all();
      EXPECT_TRUE(changed.wait_for(lock, kHang, [&] { return begun % expected == 0 || most == expected; }));
      --running;
      return Good(call);
    };
    const std::string concurrency = expected == 3 ? "" : R"("concurrency":)" + std::to_string(expected) + ",";
    std::string operations;
    for (int i = 0; i < 15; ++i)
      operations += std::string(i == 0 ? "" : ",") + R"({"name":"good","i":)" + std::to_string(i) + "}";
    const OperationResult result = Batch("{" + concurrency + R"("operations":[)" + operations + "]}", run);
    EXPECT_EQ(most, expected);
    EXPECT_EQ(result.data.at("succeeded"), 15);
    for (std::size_t i = 0; i < 15; ++i)
      EXPECT_EQ(result.data.at("results").as_array().at(i).at("outputs").at("i"), static_cast<int>(i));
  }
}

TEST(GithubBatchTest, BadOnesAreRefusedBeforeAnyRuns) {
  const auto error = [](const std::string& inputs) {
    const OperationResult result = Batch(inputs, [](const OperationCall& call) {
      ADD_FAILURE() << call.operation << " was run";
      return OperationResult();
    });
    EXPECT_FALSE(result.success);
    return result.error;
  };
  const auto second = [&](const std::string& part) {
    return error(R"({"operations":[{"name":"good"},)" + part + "]}");
  };
  EXPECT_EQ(second(R"({"name":"batch","operations":[]})"),
            "invalid_field: operations[1] is a batch, which cannot hold another");
  EXPECT_EQ(second(R"({"name":"github.batch"})"), "invalid_field: operations[1] is a batch, which cannot hold another");
  EXPECT_EQ(second(R"({"name":"http.request"})"),
            "invalid_field: operations[1] names no operation of github: 'http.request'");
  EXPECT_EQ(second("{}"), "invalid_field: operations[1] has no name");
  EXPECT_EQ(second("7"), "invalid_field: operations[1] is no object with a name");
  EXPECT_EQ(second(R"("good")"), "invalid_field: operations[1] is no object with a name");
  EXPECT_EQ(second(R"({"name":"good","inputs":7})"), "invalid_field: operations[1] has inputs that are no object");
  EXPECT_EQ(second(R"({"name":"good","inputs":{},"x":1})"),
            "invalid_field: operations[1] has inputs and others beside them");
  EXPECT_EQ(error("{}"), "invalid_field: operations is required");
  EXPECT_EQ(error(R"({"operations":[]})"), "invalid_field: operations must hold 1 to 100 operations");
  EXPECT_EQ(error(R"({"operations":[{"name":"good"}],"strategy":"x"})"),
            "invalid_field: strategy must be one of best_effort, all_succeed, any_succeed");
  EXPECT_EQ(error(R"({"operations":[{"name":"good"}],"concurrency":17})"),
            "invalid_field: concurrency must be an integer from 1 to 16");
}

TEST(GithubBatchTest, CancelAndDeadlineLeaveTheRestOut) {
  const char* inputs = R"({"concurrency":1,"operations":[{"name":"good"},{"name":"good"}]})";
  std::stop_source stop;
  const auto cancels = [&](const OperationCall& call) {
    stop.request_stop();
    return Good(call);
  };
  const OperationResult cancelled = Batch(inputs, cancels, {}, stop.get_token());
  EXPECT_EQ(cancelled.ending, Ending::kCancelled);
  EXPECT_EQ(cancelled.data.at("succeeded"), 1);
  const OperationResult late = Batch(inputs, RunOne, SteadyClock::now());
  EXPECT_EQ(late.ending, Ending::kTimeout);
  EXPECT_EQ(Text(late.data.at("results").as_array().at(0)), R"({"name":"good","success":false,"skipped":true})");
}

class GithubBatchOperationTest : public GithubTest {};

TEST_F(GithubBatchOperationTest, RunsOperationsOfGithub) {
  github_.Answer("GET /repos/o/r/issues/7", 200, R"({"number":7,"state":"open","labels":[]})");
  github_.Answer("POST /repos/o/r/issues/7/comments", 201, R"({"id":1,"html_url":"u"})");
  const OperationResult result = Run("batch", R"({"operations":[
      {"name":"get_issue","inputs":{"repo":"o/r","number":7,"fields":["state"]}},
      {"name":"add_comment","repo":"o/r","number":7,"body":"hi"},
      {"name":"get_issue","repo":"o/r","number":404},
      {"name":"get_issue","repo":"o/r","number":"7"}]})");
  EXPECT_TRUE(result.success) << result.error;
  EXPECT_EQ(Text(result.data.at("results")),
            R"([{"name":"get_issue","success":true,"outputs":{"state":"OPEN"}},)"
            R"({"name":"add_comment","success":true,"outputs":{"comment_id":1,"url":"u"}},)"
            R"({"name":"get_issue","success":false,"error_type":"not_found",)"
            R"x("error":"not_found: Not Found (or the token cannot see it)","outputs":{}},)x"
            R"({"name":"get_issue","success":false,"error_type":"invalid_field",)"
            R"("error":"invalid_field: number must be an integer from 1 to 1000000000000","outputs":{}}])");
  EXPECT_EQ(user_.Log(), "gh auth token\n");
}

}  // namespace
}  // namespace awf::operations
