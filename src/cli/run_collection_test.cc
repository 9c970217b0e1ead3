#include "cli/run_collection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "domain/test_folder.h"

namespace awf::cli {
namespace {

TEST(RunCollection, IsNamedByTheVariableElseTheConfiguration) {
  struct Case {
    std::string variable, configured, path, origin;
  };
  const Case cases[] = {
      {"", "", "", ""},
      {"", "/var/log/runs", "/var/log/runs", "audit.path of the configuration"},
      {"", "off", "", ""},
      {"off", "/var/log/runs", "", ""},
      {"/mine", "/var/log/runs", "/mine", "AWF_AUDIT_LOG"},
      {"~/mine", "", "/home/me/mine", "AWF_AUDIT_LOG"},
      {"here", "", "here", "AWF_AUDIT_LOG"},
      {"~other/mine", "", "~other/mine", "AWF_AUDIT_LOG"},
  };
  for (const Case& c : cases) {
    const GetVariable get = [&](const std::string& name) -> std::optional<std::string> {
      if (name == "HOME") return "/home/me";
      if (name == "AWF_AUDIT_LOG" && !c.variable.empty()) return c.variable;
      return std::nullopt;
    };
    Config config;
    config.audit_path = c.configured;
    const CollectionTarget target = ChooseCollection(config, get);
    EXPECT_EQ(target.path, c.path) << c.variable << "|" << c.configured;
    EXPECT_EQ(target.origin, c.origin);
  }
}

TEST(RunCollection, WithoutAFileNothingHappens) {
  const Masker masker;
  auto collection = RunCollection::Open({}, masker);
  ASSERT_TRUE(collection);
  EXPECT_TRUE(collection->Started({}));
  EXPECT_TRUE(collection->Completed({}));
}

TEST(RunCollection, KeepsForTheEndWhatItWasToldAtTheStart) {
  const TestFolder folder;
  const Masker masker;
  auto collection = RunCollection::Open({folder / "runs", "AWF_AUDIT_LOG"}, masker);
  ASSERT_TRUE(collection);
  telemetry::CollectedRun run;
  run.run_id = "r-1";
  ASSERT_TRUE(collection->Started(run));
  ASSERT_TRUE(collection->Completed({"completed", 0, {}, {}, {3, "ff"}}));
  EXPECT_THAT(FileLines(folder / "runs"),
              testing::ElementsAre(testing::HasSubstr(R"("type":"workflow.started","execution_id":"r-1")"),
                                   testing::HasSubstr(R"("type":"workflow.completed","execution_id":"r-1")")));
}

}  // namespace
}  // namespace awf::cli
