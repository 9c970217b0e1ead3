#include "cli/history.h"

#include "cli/stored_run_text.h"
#include "cli/test_runs.h"

namespace awf::cli {
namespace {

using telemetry::RunManifest;
using telemetry::RunOwner;

class HistoryTest : public StoredRunsTest {
 protected:
  HistoryTest() { options_.global = global_; }
  Printed History() {
    return PrintedBy([&] { return HistoryCommand(options_); });
  }
  void PutSome() {
    Put("r1", Manifest("build", "completed", 1793700900000, 1500));
    RunManifest failed = Manifest("review", "failed", 1793700910000, 61'000);
    failed.exit_code = 3;
    failed.error = Error{"EXECUTION.COMMAND.FAILED", "no", "", {}, "s", ""};
    Put("r2", failed);
    Put("r3", Manifest("build", "running", 1793700920000));
    PutText("20261103-101530-00000004", "run.json", "{");
  }
  HistoryOptions options_;
};

TEST_F(HistoryTest, ListsTheNewestFirst) {
  PutSome();
  const Printed printed = History();
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.err, "");
  EXPECT_EQ(printed.out,
            "run                       workflow  status       started              duration  exit\n"
            "20261103-101530-00000004  -         damaged      2026-11-03 10:15:30         -     -\n"
            "r3                        build     interrupted  2026-11-03 10:15:20         -     -\n"
            "r2                        review    failed       2026-11-03 10:15:10     1m01s     3\n"
            "r1                        build     completed    2026-11-03 10:15:00     1.5 s     0\n");
}

TEST_F(HistoryTest, FitsAnOrdinaryTerminal) {
  const std::string id = "20261103-101520-00000003";
  Put(id, Manifest("a-workflow-with-a-long-name", "running", 1793700920000));
  const auto runs = telemetry::RunStore(storage_).List();
  EXPECT_EQ(RunTable(runs, {false, 80}, At(0)),
            "run                       workflow     status       started      duration  exit\n"
            "20261103-101520-00000003  a-workflow…  interrupted  11-03 10:15         -     -\n");
}

TEST_F(HistoryTest, TellsJson) {
  PutSome();
  options_.global.format = OutputFormat::kJson;
  const json::value runs = json::parse(History().out);
  ASSERT_EQ(runs.as_array().size(), 4U);
  EXPECT_EQ(json::serialize(runs.at(0)), R"({"run_id":"20261103-101530-00000004","status":"damaged","fault":)" +
                                             json::serialize(runs.at(0).at("fault")) + R"(,"folder":")" +
                                             Folder("20261103-101530-00000004").string() + "\"}");
  EXPECT_EQ(
      json::serialize(runs.at(2)),
      R"({"run_id":"r2","workflow":"review","version":"","status":"failed","started_at":"2026-11-03T10:15:10.000Z",)"
      R"("ended_at":"2026-11-03T10:16:11.000Z","duration_ms":61000,"exit_code":3,"error":{"code":)"
      R"("EXECUTION.COMMAND.FAILED","message":"no","step":"s"},"folder":")" +
          Folder("r2").string() + "\"}");
}

TEST_F(HistoryTest, FiltersAndLimits) {
  PutSome();
  options_.global.format = OutputFormat::kQuiet;
  options_.limit = 2;
  EXPECT_EQ(History().out, "20261103-101530-00000004\nr3\n");
  options_.limit = 0;
  options_.workflow = "build";
  EXPECT_EQ(History().out, "r3\nr1\n");
  options_.status = "completed";
  EXPECT_EQ(History().out, "r1\n");
  options_ = {};
  options_.global = global_;
  options_.global.format = OutputFormat::kQuiet;
  options_.status = "damaged";
  EXPECT_EQ(History().out, "20261103-101530-00000004\n");
  options_.status = "";
  options_.since = "2026-11-04";
  EXPECT_EQ(History().out, "");
  options_.since = "2026-11-03";
  EXPECT_EQ(History().out, "20261103-101530-00000004\nr3\nr2\nr1\n");
}

TEST_F(HistoryTest, AnEmptyOneSaysSo) {
  Printed printed = History();
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out, "");
  EXPECT_EQ(printed.err, "no runs\n");
  options_.stats = true;
  EXPECT_EQ(History().out, "");
  options_.global.format = OutputFormat::kJson;
  EXPECT_EQ(History().out, "[]\n");
  options_.stats = false;
  EXPECT_EQ(History().out, "[]\n");
}

TEST_F(HistoryTest, RefusesWhatItDoesNotKnow) {
  options_.status = "compleated";
  Printed printed = History();
  EXPECT_EQ(printed.exit_code, 1);
  EXPECT_EQ(printed.err,
            "Error: USER.INPUT.INVALID_FORMAT\nDetails: --status: there is no status 'compleated'\n"
            "Hint: did you mean completed?\n");
  options_.status = "";
  options_.limit = -1;
  EXPECT_EQ(History().exit_code, 1);
  options_.limit = 20;
  options_.since = "yesterday";
  printed = History();
  EXPECT_EQ(printed.exit_code, 1);
  EXPECT_EQ(printed.err,
            "Error: USER.INPUT.INVALID_FORMAT\nDetails: --since: 'yesterday' is neither a duration nor a date\n"
            "Hint: examples: 90m, 24h, 7d, 2026-11-30\n");
}

TEST_F(HistoryTest, SinceIsADurationOrADate) {
  const WallClock::time_point now = At(1793700900000);
  EXPECT_EQ(ParseSince("90m", now), now - std::chrono::minutes(90));
  EXPECT_EQ(ParseSince("7d", now), now - std::chrono::hours(7 * 24));
  EXPECT_EQ(ParseSince("2026-11-03", now), At(1793664000000));
  for (const char* bad : {"", "d", "-1d", "2026-13-01", "2026-11-03x", "2026-11", "999999d"})
    EXPECT_FALSE(ParseSince(bad, now)) << bad;
}

TEST_F(HistoryTest, StatsAddUpByWorkflow) {
  std::vector<telemetry::StoredRun> runs;
  const auto add = [&](const RunManifest& manifest) { runs.push_back({"r", "/r", manifest.status, manifest, 0, ""}); };
  for (int i = 1; i <= 19; ++i) add(Manifest("a", "completed", 0, i * 10));
  add(Manifest("a", "failed", 0, 5000));
  for (const char* status : {"interrupted", "running", "damaged"}) add(Manifest("b", status, 0));
  const std::vector<WorkflowStats> stats = StatsOf(runs);
  ASSERT_EQ(stats.size(), 2U);
  EXPECT_EQ(stats[0].workflow, "a");
  EXPECT_EQ(stats[0].runs, 20);
  EXPECT_EQ(stats[0].success_share, 0.95);
  EXPECT_EQ(stats[0].mean, std::chrono::milliseconds(345));
  EXPECT_EQ(stats[0].p95, std::chrono::milliseconds(190));
  EXPECT_EQ(stats[1].runs, 2);
  EXPECT_EQ(stats[1].success_share, 0.0);
  EXPECT_FALSE(stats[1].mean);
}

TEST_F(HistoryTest, StatsAreShown) {
  PutSome();
  options_.stats = true;
  EXPECT_EQ(History().out,
            "workflow  runs  completed  success   mean    p95\n"
            "build        2          1     50 %  1.5 s  1.5 s\n"
            "review       1          0      0 %  1m01s  1m01s\n");
  options_.global.format = OutputFormat::kJson;
  EXPECT_EQ(History().out,
            R"([{"workflow":"build","runs":2,"running":0,"interrupted":1,"completed":1,"failed":0,"cancelled":0,)"
            R"("success_share":0.5,"mean_ms":1500,)"
            R"("p95_ms":1500},{"workflow":"review","runs":1,"running":0,"interrupted":0,"completed":0,"failed":1,)"
            R"("cancelled":0,"success_share":0,"mean_ms":61000,)"
            R"("p95_ms":61000}])"
            "\n");
}

}  // namespace
}  // namespace awf::cli
