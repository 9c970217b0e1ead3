#include "cli/run_mocks.h"

#include <gtest/gtest.h>

namespace awf::cli {
namespace {

Workflow Sample() {
  Workflow workflow;
  for (const char* name : {"build", "review"}) {
    State state;
    state.name = name;
    workflow.states.push_back(state);
  }
  return workflow;
}

TEST(RunMocks, ValuesHaveTheTypeOfTheirField) {
  const auto mocks = ParseMocks(Sample(), {{"states.review.Response", R"({"verdict": "ok"})"},
                                           {"states.review.Output", "5"},
                                           {"states.build.ExitCode", "2"},
                                           {"states.build.Status", "failure"},
                                           {"states.review.JSON", "not json"}});
  ASSERT_TRUE(mocks) << mocks.error().message;
  EXPECT_EQ(
      json::serialize(*mocks->at("review")),
      R"({"Output":"5","Stderr":"","ExitCode":0,"Status":"success","Response":{"verdict":"ok"},"JSON":"not json"})");
  EXPECT_EQ(json::serialize(*mocks->at("build")), R"({"Output":"","Stderr":"","ExitCode":2,"Status":"failure"})");
}

TEST(RunMocks, WhatDoesNotExistIsRefusedWithWhatWasMeant) {
  const auto refused = [](const std::string& path) {
    const auto mocks = ParseMocks(Sample(), {{path, "x"}});
    EXPECT_EQ(mocks.error().code, "USER.INPUT.INVALID_FORMAT");
    return mocks.error().message + " | " + mocks.error().hint;
  };
  EXPECT_EQ(refused("states.biuld.Output"), "--mock: there is no state 'biuld' | did you mean 'build'?");
  EXPECT_EQ(refused("states.build.Outptu"), "--mock: results have no field 'Outptu' | did you mean 'Output'?");
  EXPECT_EQ(refused("build.Output"),
            "--mock: 'build.Output' is not states.STATE.FIELD | example: --mock states.build.Output='2 warnings'");
  EXPECT_EQ(refused("states.build"),
            "--mock: 'states.build' is not states.STATE.FIELD | example: --mock states.build.Output='2 warnings'");
  EXPECT_EQ(StateNamed(Sample(), "zzz", "--step").error().hint, "there are build, review");
}

}  // namespace
}  // namespace awf::cli
