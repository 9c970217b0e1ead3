#include "infrastructure/telemetry/run_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "domain/test_folder.h"
#include "domain/test_time.h"

namespace awf::telemetry {
namespace {

class RunStoreTest : public testing::Test {
 protected:
  void Put(const std::string& id, const std::string& status, long long started, RunOwner owner = {1, 1},
           const std::string& only_state = {}) {
    RunManifest manifest;
    manifest.only_state = only_state;
    manifest.workflow = "w-" + id;
    manifest.status = status;
    manifest.started = At(started);
    PutText(id, json::serialize(ToJson(manifest, id, owner)));
  }
  void PutText(const std::string& id, const std::string& text) { storage_.Put("runs/" + id + "/run.json", text); }
  std::vector<std::string> Statuses() const {
    std::vector<std::string> statuses;
    for (const StoredRun& run : RunStore(storage_).List()) statuses.push_back(run.run_id + " " + run.status);
    return statuses;
  }

  const TestFolder storage_;
};

TEST_F(RunStoreTest, AnEmptyStorageHasNoRuns) {
  const RunStore store(storage_);
  EXPECT_TRUE(store.List().empty());
  EXPECT_EQ(store.Find("x").error().code, "USER.RUN.NOT_FOUND");
  EXPECT_EQ(store.NewestResumable().error().code, "USER.RUN.NOT_FOUND");
}

TEST_F(RunStoreTest, ListsTheNewestFirstWithTheStatusThatIsTrueNow) {
  Put("a", "completed", 1000);
  Put("b", "running", 5000);
  Put("c", "running", 4000, RunOwner::ThisProcess());
  Put("d", "failed", 3000);
  Put("e", "cancelled", 3000);
  EXPECT_EQ(Statuses(),
            (std::vector<std::string>{"b interrupted", "c running", "e cancelled", "d failed", "a completed"}));
  const auto running = RunStore(storage_).Find("c");
  ASSERT_TRUE(running);
  EXPECT_EQ(running->owner_pid, ::getpid());
  EXPECT_EQ(running->folder, storage_ / "runs" / "c");
  EXPECT_EQ(running->manifest.workflow, "w-c");
}

TEST_F(RunStoreTest, DamagedRunsAreListedWhereTheirNamePutsThem) {
  Put("good", "completed", 1793700900000);
  Put("old", "completed", 1000);
  PutText("20261103-101509-00000001", "{\"run_id\":");
  PutText("20261103-101510-00000002", R"({"foreign":true})");
  std::filesystem::create_directories(storage_ / "runs" / "20261103-101511-00000003");
  std::filesystem::copy(storage_ / "runs" / "good", storage_ / "runs" / "20261103-101512-00000004");
  std::ofstream(storage_ / "runs" / "file") << "no folder";
  EXPECT_EQ(Statuses(),
            (std::vector<std::string>{"20261103-101512-00000004 damaged", "20261103-101511-00000003 damaged",
                                      "20261103-101510-00000002 damaged", "20261103-101509-00000001 damaged",
                                      "good completed", "old completed"}));
  EXPECT_EQ(RunStore(storage_).Find("20261103-101512")->fault, "run.json is that of run good");
}

TEST_F(RunStoreTest, FindsByTheBeginningThatOnlyOneHas) {
  for (const char* id : {"ab1", "ab2", "ab", "b1", "c1", "c2", "c3", "c4", "c5", "c6"}) Put(id, "completed", 1000);
  const RunStore store(storage_);
  EXPECT_EQ(store.Find("b")->run_id, "b1");
  EXPECT_EQ(store.Find("ab")->run_id, "ab");  // the whole id wins
  EXPECT_EQ(store.Find("ab2")->run_id, "ab2");
  const auto ambiguous = store.Find("c");
  ASSERT_FALSE(ambiguous);
  EXPECT_EQ(ambiguous.error().code, "USER.RUN.NOT_FOUND");
  EXPECT_EQ(ambiguous.error().message, "'c' could be any of 6 runs: c6, c5, c4, c3, c2, …");
  EXPECT_EQ(store.Find("a").error().message, "'a' could be any of 3 runs: ab2, ab1, ab");
  for (const char* none : {"x", "", "..", "../runs/b1", "b1/"}) {
    const auto found = store.Find(none);
    ASSERT_FALSE(found) << none;
    EXPECT_EQ(found.error().code, "USER.RUN.NOT_FOUND");
  }
  EXPECT_EQ(store.Find("x").error().message, "there is no run 'x' in " + (storage_ / "runs").string());
}

TEST_F(RunStoreTest, TheNewestResumableIsNoneThatRunsOrHasCompleted) {
  Put("a", "completed", 9000);
  Put("b", "running", 8000, RunOwner::ThisProcess());
  PutText("20991103-101509-00000001", "");
  EXPECT_EQ(RunStore(storage_).NewestResumable().error().code, "USER.RUN.NOT_FOUND");
  Put("c", "failed", 5000);
  Put("d", "running", 6000);
  EXPECT_EQ(RunStore(storage_).NewestResumable()->run_id, "d");
  Put("e", "cancelled", 7000);
  Put("f", "failed", 7500, {1, 1}, "one");
  EXPECT_EQ(RunStore(storage_).NewestResumable()->run_id, "e");
}

TEST_F(RunStoreTest, StatesThatCompletedRunsHaveLeftAreRemoved) {
  Put("done", "completed", 1000);
  Put("failed", "failed", 1000);
  Put("killed", "running", 1000);
  PutText("damaged", "{");
  const std::vector<std::string> all = {"done", "failed", "killed", "damaged"};
  for (const std::string& run : all) storage_.Put("runs/" + run + "/state.json", "{}\n");
  RunStore(storage_).RemoveLeftStates();
  for (const std::string& run : all) {
    EXPECT_EQ(std::filesystem::exists(storage_ / "runs" / run / "state.json"), run != "done") << run;
  }
}

}  // namespace
}  // namespace awf::telemetry
