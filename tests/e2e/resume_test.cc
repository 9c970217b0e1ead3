// Runs are durable: whatever ended one, `awf resume` goes on where it stood, repeats nothing that had ended, and no two
// processes work on one run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr milliseconds kPatience{60'000};

class Runs {
 public:
  Runs() {
    world.PutPrograms();
    world.environment()["AWF_STORAGE"] = world.Path("storage").string();
  }

  int Awf(const std::string& arguments) const { return world.Shell("awf " + arguments); }
  // Starts it, to be waited for with Wait().
  pid_t Start(const std::vector<std::string>& arguments) { return world.StartAwf(arguments); }
  // Exit code of that child once nothing is left of it; -1: it ended by a signal, or something stayed.
  static int Wait(pid_t awf) {
    std::string left;
    std::map<pid_t, int> statuses;
    const bool gone = WaitUntilNoChildIsLeft(kPatience, &left, &statuses).has_value();
    EXPECT_TRUE(gone) << left;
    return gone && WIFEXITED(statuses[awf]) ? WEXITSTATUS(statuses[awf]) : -1;
  }

  std::vector<std::string> Journal() const { return Lines(world.Path("ws/journal")); }
  static std::vector<std::string> Lines(const fs::path& path) {
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
      if (!in.eof()) lines.push_back(line);
    }
    return lines;
  }
  std::string InRun(const std::string& name) const { return FileText(world.RunFolder() / name); }
  bool HasState() const { return fs::exists(world.RunFolder() / "state.json"); }
  std::string RunId() const { return world.RunFolder().filename().string(); }
  json::value Manifest() const { return json::parse(InRun("run.json")); }
  std::string Status() const { return std::string(Manifest().at("status").as_string()); }
  std::string Errors() const { return world.Read("stderr"); }

  World world;
};

// ---- Killed at any moment ----

// What it does, it writes down in the end: s1 … s12, visit-0 … visit-5, b1 … b4.
std::string JournalWorkflow() {
  std::ostringstream text;
  const auto step = [&](const std::string& name, const std::string& line, const std::string& next) {
    text << "  " << name << ": {type: step, command: \"sleep 0.02; echo " << line << " >> journal\"";
    if (!next.empty()) text << ", on_success: " << next;
    text << "}\n";
  };
  text << "name: journal\nstates:\n  initial: s1\n";
  for (int i = 1; i <= 12; ++i) {
    const std::string name = "s" + std::to_string(i);
    step(name, name, i == 4 ? "each" : i == 8 ? "all" : i == 12 ? "done" : "s" + std::to_string(i + 1));
  }
  text << "  each: {type: for_each, items: [a, b, c, d, e, f], body: [visit], on_complete: s5}\n";
  step("visit", "visit-{{.loop.Index}}", "");
  text << "  all: {type: parallel, parallel: [b1, b2, b3, b4], max_concurrent: 2, on_success: s9}\n";
  for (int i = 1; i <= 4; ++i) step("b" + std::to_string(i), "b" + std::to_string(i), "");
  text << "  done: {type: terminal}\n";
  return text.str();
}

constexpr std::size_t kJournalLines = 22;

// The journal's names of the states whose end is recorded.
std::set<std::string> Recorded(const Runs& runs) {
  std::set<std::string> names;
  for (const std::string& line : Runs::Lines(runs.world.RunFolder() / "state.json")) {
    const json::value record = json::parse(line);
    if (record.at("type") != "ended") continue;
    const std::string path(record.at("path").as_string());
    const std::string name(record.at("state").as_string());
    if (name == "each" || name == "all" || name == "done") continue;
    if (path.starts_with("each:")) {
      names.insert("visit-" + path.substr(5, path.find('/') - 5));
    } else {
      names.insert(name);
    }
  }
  return names;
}

std::map<std::string, int> Counted(const std::vector<std::string>& lines) {
  std::map<std::string, int> counts;
  for (const std::string& line : lines) ++counts[line];
  return counts;
}

// Every record follows the one before; a line that was cut stands directly before its `recovered`.
void ExpectWholeAudit(const Runs& runs) {
  std::string prev(64, '0');
  std::int64_t seq = 0;
  bool cut = false;
  for (const std::string& line : Runs::Lines(runs.world.RunFolder() / "audit.jsonl")) {
    boost::system::error_code fault;
    const json::value record = json::parse(line, fault);
    if (fault) {
      EXPECT_FALSE(cut) << line;
      cut = true;
      continue;
    }
    EXPECT_EQ(cut, record.at("type") == "recovered") << line;
    EXPECT_EQ(record.at("seq").as_int64(), seq++);
    EXPECT_EQ(record.at("prev").as_string(), prev);
    prev = std::string(record.at("hash").as_string());
    cut = false;
  }
  EXPECT_EQ(runs.Awf("audit verify " + runs.RunId()), 0) << runs.world.Read("stdout");
}

class KilledRun : public testing::TestWithParam<int> {
 protected:
  static constexpr int kCases = 5;

  static int Moments() { return std::max(1, KillRounds() / 2); }

  static bool Ended(pid_t awf) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(awf), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
  }

  // Kills it with SIGKILL once it has written that many lines, and a little later.
  static void KillWhen(const Runs& runs, pid_t awf, std::size_t lines, int ms) {
    const auto has_begun = [&] { return fs::exists(runs.world.RunFolder() / "run.json"); };
    EXPECT_TRUE(WaitFor(kPatience, [&] { return (has_begun() && runs.Journal().size() >= lines) || Ended(awf); }));
    // It may have completed, but not have ended before it began: then what comes next would only tell of the results.
    EXPECT_TRUE(has_begun()) << "awf did not begin: " << runs.Errors();
    SleepMs(ms);
    ::kill(awf, SIGKILL);
    Runs::Wait(awf);
  }

  static void OneMoment(int moment, std::mt19937& random) {
    Runs runs;
    runs.world.Write("ws/w.yaml", JournalWorkflow());
    const std::size_t lines =
        kJournalLines * static_cast<std::size_t>(moment) / static_cast<std::size_t>(Moments() * kCases);
    const auto later = [&] { return static_cast<int>(random() % 60); };
    KillWhen(runs, runs.Start({"run", "w.yaml"}), lines, later());
    if (HasFailure()) return;
    if (!runs.HasState()) {
      EXPECT_EQ(runs.Status(), "completed");
      return;
    }
    const std::set<std::string> recorded = Recorded(runs);
    std::map<std::string, int> before = Counted(runs.Journal());
    for (const std::string& name : recorded) EXPECT_EQ(before[name], 1) << name;

    std::set<std::string> recorded_later = recorded;
    if (moment % 3 == 0) {  // and once more, while it is being resumed
      KillWhen(runs, runs.Start({"resume"}), std::min(lines + 4, kJournalLines), later());
      if (!runs.HasState()) {
        EXPECT_EQ(runs.Status(), "completed");
      } else {
        recorded_later = Recorded(runs);
        before = Counted(runs.Journal());
      }
    }
    if (runs.HasState()) {
      EXPECT_EQ(Runs::Wait(runs.Start({"resume", runs.RunId()})), 0) << runs.Errors();
    }

    std::map<std::string, int> after = Counted(runs.Journal());
    EXPECT_EQ(after.size(), kJournalLines);
    for (const std::string& name : recorded) EXPECT_EQ(after[name], 1) << name;
    for (const std::string& name : recorded_later) EXPECT_EQ(after[name], before[name]) << name;
    for (const auto& [name, count] : after) EXPECT_LE(count, 3) << name;
    EXPECT_EQ(runs.Status(), "completed");
    EXPECT_FALSE(runs.HasState());
    ExpectWholeAudit(runs);
  }
};

TEST_P(KilledRun, RepeatsNothingThatHadEnded) {
  std::mt19937 random(static_cast<unsigned>(1000 + GetParam()));
  for (int i = 0; i < Moments(); ++i) {
    const int moment = i * kCases + GetParam();
    SCOPED_TRACE("moment " + std::to_string(moment));
    OneMoment(moment, random);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Sigkill, KilledRun, testing::Range(0, 5));

// ---- Failed, cancelled, completed ----

constexpr char kRepairable[] = R"(name: repairable
states:
  initial: a
  a: {type: step, command: "echo a >> journal", on_success: b}
  b: {type: step, command: "echo b >> journal; test -e fixed", on_success: c}
  c: {type: step, command: "echo c >> journal", on_success: done}
  done: {type: terminal}
)";

// A run that has failed at b; what made it fail is repaired.
class FailedRun : public testing::Test {
 protected:
  void SetUp() override {
    runs_.world.Write("ws/w.yaml", kRepairable);
    ASSERT_EQ(runs_.Awf("run w.yaml"), 3) << runs_.Errors();
    EXPECT_THAT(runs_.Errors(), HasSubstr("awf resume " + runs_.RunId()));
    EXPECT_EQ(runs_.Status(), "failed");
    EXPECT_TRUE(runs_.HasState());
    runs_.world.Write("ws/fixed", "");
  }
  Runs runs_;
};

TEST_F(FailedRun, RepeatsOnlyWhatFailed) {
  EXPECT_EQ(runs_.Awf("resume"), 0) << runs_.Errors();
  EXPECT_THAT(runs_.Journal(), ElementsAre("a", "b", "b", "c"));
  EXPECT_EQ(runs_.Status(), "completed");
  EXPECT_EQ(runs_.Manifest().at("resumes").as_int64(), 1);
  ExpectWholeAudit(runs_);
  EXPECT_THAT(runs_.InRun("audit.jsonl"), HasSubstr("\"resumed\":true"));
}

TEST_F(FailedRun, GoesOnFromElsewhere) {
  EXPECT_EQ(runs_.Awf("resume --from previous"), 0) << runs_.Errors();
  EXPECT_THAT(runs_.Journal(), ElementsAre("a", "b", "a", "b", "c"));
}

TEST_F(FailedRun, GoesOnFromAStateThatIsNamed) {
  EXPECT_EQ(runs_.Awf("resume --from bb"), 1);
  EXPECT_THAT(runs_.Errors(), HasSubstr("USER.INPUT.INVALID_FORMAT"));
  EXPECT_THAT(runs_.Errors(), HasSubstr("did you mean 'b'?"));
  EXPECT_EQ(runs_.Status(), "failed");  // as before
  EXPECT_EQ(runs_.Awf("resume --from c " + runs_.RunId().substr(0, 20)), 0) << runs_.Errors();
  EXPECT_THAT(runs_.Journal(), ElementsAre("a", "b", "c"));
}

TEST_F(FailedRun, KeepsItsWorkflowUnlessToldOtherwise) {
  std::string changed = kRepairable;
  changed.replace(changed.find("echo c"), 6, "echo d");
  runs_.world.Write("ws/w.yaml", changed);
  fs::remove(runs_.world.Path("ws/fixed"));
  EXPECT_EQ(runs_.Awf("resume"), 3);
  runs_.world.Write("ws/fixed", "");
  EXPECT_EQ(runs_.Awf("resume --reload"), 0) << runs_.Errors();
  EXPECT_THAT(runs_.Journal(), ElementsAre("a", "b", "b", "b", "d"));
  const json::value workflow = runs_.Manifest().at("workflow");
  ASSERT_EQ(workflow.at("resumed_sha256").as_array().size(), 1U);
  EXPECT_NE(workflow.at("resumed_sha256").at(0), workflow.at("sha256"));
}

TEST_F(FailedRun, WorksWhereItWorkedBefore) {
  EXPECT_EQ(runs_.world.Shell("cd / && awf resume"), 0) << runs_.Errors();
  EXPECT_THAT(runs_.Journal(), ElementsAre("a", "b", "b", "c"));
}

TEST_F(FailedRun, IsListedUntilItHasCompleted) {
  EXPECT_EQ(runs_.Awf("resume -l"), 0);
  EXPECT_THAT(runs_.world.Read("stdout"), HasSubstr(runs_.RunId() + "  repairable  failed"));
  EXPECT_EQ(runs_.Awf("resume"), 0) << runs_.Errors();
  EXPECT_EQ(runs_.Awf("resume-list"), 0);
  EXPECT_EQ(runs_.world.Read("stdout"), "");
  EXPECT_EQ(runs_.Errors(), "no runs that can be resumed\n");
  EXPECT_EQ(runs_.Awf("history"), 0);
  EXPECT_THAT(runs_.world.Read("stdout"), HasSubstr(runs_.RunId() + "  repairable  completed"));
  EXPECT_EQ(runs_.Awf("status " + runs_.RunId()), 0);
  EXPECT_THAT(runs_.world.Read("stdout"), HasSubstr("resumed   1 time\n"));
}

TEST(CompletedRun, CannotBeResumedAndLeavesNoState) {
  Runs runs;
  runs.world.Write("ws/w.yaml", kRepairable);
  runs.world.Write("ws/fixed", "");
  ASSERT_EQ(runs.Awf("run w.yaml"), 0) << runs.Errors();
  EXPECT_FALSE(runs.HasState());
  EXPECT_EQ(runs.Awf("resume " + runs.RunId()), 1);
  EXPECT_THAT(runs.Errors(), HasSubstr("Error: USER.RUN.NOT_RESUMABLE"));
  EXPECT_EQ(runs.Awf("resume"), 1);
  EXPECT_THAT(runs.Errors(), HasSubstr("Error: USER.RUN.NOT_FOUND"));
  EXPECT_EQ(runs.Awf("resume none"), 1);
  EXPECT_THAT(runs.Errors(), HasSubstr("Error: USER.RUN.NOT_FOUND"));
}

// ---- Two owners ----

constexpr char kWaiting[] = R"(name: waiting
states:
  initial: a
  a: {type: step, command: "echo a >> journal; while [ ! -e go ]; do sleep 0.02; done", on_success: done}
  done: {type: terminal}
)";

void ExpectBusy(const Runs& runs, pid_t owner) {
  EXPECT_EQ(runs.Awf("resume " + runs.RunId()), 1);
  EXPECT_THAT(runs.Errors(), HasSubstr("Error: USER.RUN.BUSY"));
  EXPECT_THAT(runs.Errors(), HasSubstr("process " + std::to_string(owner)));
  EXPECT_EQ(runs.Awf("resume"), 1);
  EXPECT_THAT(runs.Errors(), HasSubstr("Error: USER.RUN.NOT_FOUND"));
}

TEST(TwoOwners, TheSecondIsKeptOut) {
  Runs runs;
  runs.world.Write("ws/w.yaml", kWaiting);
  pid_t awf = runs.Start({"run", "w.yaml"});
  ASSERT_TRUE(WaitFor(kPatience, [&] { return runs.Journal().size() == 1; })) << runs.Errors();
  ExpectBusy(runs, awf);
  ::kill(awf, SIGKILL);
  Runs::Wait(awf);

  awf = runs.Start({"resume"});
  ASSERT_TRUE(WaitFor(kPatience, [&] { return runs.Journal().size() == 2; })) << runs.Errors();
  ExpectBusy(runs, awf);
  runs.world.Write("ws/go", "");
  EXPECT_EQ(Runs::Wait(awf), 0);
  EXPECT_EQ(runs.Status(), "completed");
}

TEST(CancelledRun, IsResumed) {
  Runs runs;
  runs.world.Write("ws/w.yaml", kWaiting);
  const pid_t awf = runs.Start({"run", "w.yaml"});
  ASSERT_TRUE(WaitFor(kPatience, [&] { return runs.Journal().size() == 1; })) << runs.Errors();
  ::kill(awf, SIGINT);
  EXPECT_EQ(Runs::Wait(awf), -1);  // by the signal
  EXPECT_EQ(runs.Status(), "cancelled");
  EXPECT_THAT(runs.Errors(), HasSubstr("awf resume " + runs.RunId()));
  runs.world.Write("ws/go", "");
  EXPECT_EQ(runs.Awf("resume"), 0) << runs.Errors();
  EXPECT_THAT(runs.Journal(), ElementsAre("a", "a"));
}

// ---- Inputs ----

TEST(ResumedInputs, ComeBackAlsoThoseThatAreSecret) {
  Runs runs;
  runs.world.Write("ws/w.yaml", R"(name: inputs
inputs:
  - {name: pin, secret: true, required: true}
  - {name: n, type: integer, default: 1}
states:
  initial: a
  a: {type: step, command: "test -e fixed", on_success: b}
  b: {type: step, command: "echo \"$AWF_INPUT_PIN {{.inputs.n}}\" > told", on_success: done}
  done: {type: terminal}
)");
  const std::string secret = "@hunter2hunter2";
  ASSERT_EQ(runs.Awf("run w.yaml -i pin=@" + secret + " -i n=3"), 3) << runs.Errors();
  EXPECT_THAT(runs.InRun("run.json"), HasSubstr(R"("pin":"***")"));
  EXPECT_THAT(runs.InRun("state.json"), HasSubstr(secret));
  struct stat info{};
  ASSERT_EQ(::stat((runs.world.RunFolder() / "state.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);

  EXPECT_EQ(runs.Awf("resume -i n=4"), 3) << runs.Errors();
  runs.world.Write("ws/fixed", "");
  EXPECT_EQ(runs.Awf("resume"), 0) << runs.Errors();
  EXPECT_EQ(runs.world.Read("ws/told"), secret + " 4\n");
  EXPECT_FALSE(runs.HasState());
  for (const auto& entry : fs::recursive_directory_iterator(runs.world.RunFolder())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(runs.InRun(entry.path().filename().string()).find("hunter2"), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace awf::e2e
