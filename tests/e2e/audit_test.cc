// The audit of real runs proves what it is meant to prove: awf audit verify accepts them as they are, in every state
// that a run can be in, and finds whatever is changed in them at the record where it was changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <iostream>
#include <sstream>

#include "tests/e2e/audit_edits.h"
#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr milliseconds kPatience{60'000};

// Loops in parallel branches, retries, an agent with tool calls and a native one, a failure that is taken up again.
constexpr char kManyShapes[] = R"(name: shapes
states:
  initial: all
  all: {type: parallel, parallel: [passes, flaky, talk], on_success: last}
  passes: {type: for_each, items: [1, 2, 3], body: [one, both]}
  one: {type: step, command: "echo {{.loop.Item}}", continue_on_error: true}
  both: {type: parallel, parallel: [left, right]}
  left: {type: step, command: "true"}
  right: {type: step, command: "true"}
  flaky: {type: step, command: "test -e tried || { touch tried; exit 1; }", retry: {max_attempts: 2, initial_delay: 1ms}}
  talk: {type: agent, provider: claude, prompt: hi, mcp_proxy: {enable: true}}
  last: {type: step, command: "test -e again || { touch again; exit 1; }", on_success: done}
  done: {type: terminal}
)";

constexpr char kAgent[] = R"({"steps": [
  {"call": "Bash", "arguments": {"command": "echo hello"}}, {"call": "Read", "arguments": {"path": "missing"}},
  {"native": "Bash"}, {"call": "Glob", "arguments": {"pattern": "*"}}]})";

class AuditTest : public testing::Test {
 protected:
  AuditTest() {
    world_.PutPrograms();
    world_.Write("scenario.json", kAgent);
    world_.environment()["FAKE_CLAUDE_SCENARIO"] = world_.Path("scenario.json").string();
    world_.environment()["AWF_STORAGE"] = world_.Path("storage").string();
  }

  int Awf(const std::string& arguments) const { return world_.Shell("awf " + arguments); }
  std::string Out() const { return world_.Read("stdout"); }
  std::string Err() const { return world_.Read("stderr"); }
  fs::path Folder(const std::string& id) const { return world_.Path("storage") / "runs" / id; }
  std::string Audit(const std::string& id) const { return FileText(Folder(id) / "audit.jsonl"); }

  // Starts it and waits until its command runs.
  pid_t StartSleeper(const std::string& id, const std::string& command = "run w.yaml") {
    world_.Write("ws/w.yaml",
                 "name: w\nstates:\n  initial: s\n  s: {type: step, command: "
                 "'touch begun; test -e quick || sleep 300', on_success: done}\n  done: {type: terminal}\n");
    fs::remove(world_.Path("ws/begun"));
    std::vector<std::string> words;
    std::istringstream all(command);
    for (std::string word; all >> word;) words.push_back(word);
    if (words[0] == "run") words.insert(words.end(), {"--run-id", id});
    const pid_t awf = world_.StartAwf(words);
    EXPECT_TRUE(WaitFor(kPatience, [&] { return fs::exists(world_.Path("ws/begun")); })) << Err();
    return awf;
  }
  static void End(pid_t awf, int signal) {
    ::kill(awf, signal);
    std::string left;
    EXPECT_TRUE(WaitUntilNoChildIsLeft(kPatience, &left, nullptr)) << left;
  }
  void Cut(const std::string& id, std::uintmax_t bytes) const {
    const fs::path file = Folder(id) / "audit.jsonl";
    fs::resize_file(file, fs::file_size(file) - bytes);
  }

  // Each leaves a run of that id that `awf audit verify` accepts.
  void RunSmall(const std::string& id) {
    world_.Write("ws/small.yaml", "name: small\nstates: {initial: done, done: {type: terminal}}\n");
    EXPECT_EQ(Awf("run small.yaml --run-id " + id), 0) << Err();
  }
  void RunResumed(const std::string& id) {
    world_.Write("ws/shapes.yaml", kManyShapes);
    EXPECT_EQ(Awf("run shapes.yaml --run-id " + id), 3) << Err();
    EXPECT_EQ(Awf("audit verify " + id), 0) << Out();
    EXPECT_EQ(Awf("resume " + id), 0) << Err();
  }
  // Killed twice, the second time in the middle of a record.
  void RunKilled(const std::string& id) {
    End(StartSleeper(id), SIGKILL);
    End(StartSleeper(id, "resume " + id), SIGKILL);
    Cut(id, 40);
    world_.Write("ws/quick", "");
    EXPECT_EQ(Awf("resume " + id), 0) << Err();
  }
  void RunCancelled(const std::string& id) { End(StartSleeper(id), SIGINT); }

  World world_;
};

TEST_F(AuditTest, OfACompletedRunIsOk) {
  RunResumed("a");
  ASSERT_EQ(Awf("audit verify a"), 0) << Out();
  const json::value manifest = json::parse(FileText(Folder("a") / "run.json"));
  const std::string head(manifest.at("audit").at("hash").as_string());
  const auto records = manifest.at("audit").at("seq").as_int64() + 1;
  EXPECT_EQ(Out(), "ok: " + std::to_string(records) + " records, head " + head + "\nChecked: run a\n");
  EXPECT_THAT(Audit("a"), HasSubstr(R"("type":"bypass")"));
  EXPECT_EQ(Awf("audit verify a --head " + head), 0);
  EXPECT_EQ(Awf("audit verify '" + Folder("a").string() + "/audit.jsonl'"), 0);
  EXPECT_EQ(Awf("audit verify '" + Folder("a").string() + "' -q"), 0);
  ASSERT_EQ(Awf("audit verify a --json"), 0);
  const json::value out = json::parse(Out());
  EXPECT_EQ(out.at("status"), "ok");
  EXPECT_EQ(out.at("records"), json::value(records));
  EXPECT_EQ(out.at("head"), json::value(head));
  EXPECT_EQ(out.at("compared"), json::value(json::array{"run.json"}));
  // Somebody who made it anew could not have made this head.
  EXPECT_EQ(Awf("audit verify a --head " + std::string(64, 'a')), 3);
  EXPECT_THAT(Out(), StartsWith("BROKEN at record " + std::to_string(records - 1) + " (line "));
  EXPECT_EQ(Awf("audit verify a --head abc"), 1);
  EXPECT_EQ(Awf("audit verify a --head ''"), 1);
  EXPECT_EQ(Awf("audit verify a --head="), 1);
}

TEST_F(AuditTest, OfAKilledRunIsOpenUntilItIsTakenUpAgain) {
  const pid_t awf = StartSleeper("k");
  EXPECT_EQ(Awf("audit verify k"), 0);
  EXPECT_THAT(Out(), testing::EndsWith(": the run goes on (process " + std::to_string(awf) + ")\nChecked: run k\n"));
  End(awf, SIGKILL);
  EXPECT_EQ(Awf("audit verify k"), 3);
  EXPECT_THAT(Out(), HasSubstr(": truncated or killed\nChecked: run k\nHint: awf resume k takes the run up again"));
  Cut("k", 40);
  EXPECT_EQ(Awf("audit verify k"), 3);
  EXPECT_THAT(Out(), StartsWith("open: 1 record, head "));
  EXPECT_THAT(Out(), HasSubstr(": truncated or killed\nChecked: run k\nHint: awf resume k takes the run up again"));
  world_.Write("ws/quick", "");
  EXPECT_EQ(Awf("resume k"), 0) << Err();
  EXPECT_EQ(Awf("audit verify k"), 0) << Out();
  EXPECT_THAT(Audit("k"), HasSubstr(R"("type":"recovered")"));
}

TEST_F(AuditTest, OfNothingIsAnError) {
  EXPECT_EQ(Awf("audit verify nothing"), 1);
  EXPECT_THAT(Err(), HasSubstr("USER.RUN.NOT_FOUND"));
  EXPECT_EQ(Awf("audit verify ./nothing"), 4);
  EXPECT_THAT(Err(), HasSubstr("SYSTEM.IO.READ_FAILED"));
  RunSmall("s");
  fs::remove(Folder("s") / "audit.jsonl");
  EXPECT_EQ(Awf("audit verify s"), 4);
}

TEST_F(AuditTest, IsJudgedWithoutARunJsonThatIsDamaged) {
  RunSmall("s");
  world_.Write("storage/runs/s/run.json", "{");
  EXPECT_EQ(Awf("audit verify s"), 0);
  EXPECT_THAT(Out(), HasSubstr("\nWarning: the head is compared with nothing: "));
}

// ---- The collected log ----

TEST_F(AuditTest, RunsAreCollectedInOneFile) {
  const std::string file = world_.Path("collected.jsonl").string();
  world_.environment()["AWF_AUDIT_LOG"] = file;
  RunSmall("s");
  RunCancelled("c");
  world_.environment()["AWF_AUDIT_LOG"] = "off";
  world_.Write("config.yaml", "audit: {path: " + file + "}\n");
  world_.environment()["AWF_CONFIG_PATH"] = world_.Path("config.yaml").string();
  RunSmall("uncollected");
  world_.environment().erase("AWF_AUDIT_LOG");
  world_.Write("ws/fails.yaml",
               "name: fails\nstates:\n  initial: s\n  s: {type: step, command: exit 7, on_success: done}\n"
               "  done: {type: terminal}\n");
  const int failed = Awf("run fails.yaml --run-id f");
  std::vector<std::string> told;
  std::istringstream lines(FileText(file));
  for (std::string line; std::getline(lines, line);) {
    const json::value entry = json::parse(line);
    std::string text = std::string(entry.at("execution_id").as_string()) + " " + entry.at("type").as_string().c_str();
    if (const json::value* code = entry.as_object().if_contains("exit_code")) {
      text += " " + json::serialize(*code);
      const std::string run(entry.at("execution_id").as_string());
      EXPECT_EQ(entry.at("head"), json::parse(FileText(Folder(run) / "run.json")).at("audit")) << line;
    }
    told.push_back(text);
  }
  EXPECT_THAT(told, testing::ElementsAre("s workflow.started", "s workflow.completed 0", "c workflow.started",
                                         "c workflow.completed 130", "f workflow.started",
                                         "f workflow.completed " + std::to_string(failed)));
}

TEST_F(AuditTest, ARunThatCannotBeCollectedDoesNotStart) {
  world_.environment()["AWF_AUDIT_LOG"] = world_.Path("no/such/file").string();
  world_.Write("ws/small.yaml", "name: small\nstates: {initial: done, done: {type: terminal}}\n");
  EXPECT_EQ(Awf("run small.yaml --run-id s"), 4);
  EXPECT_THAT(Err(), HasSubstr("no/such/file, which AWF_AUDIT_LOG names: No such file or directory"));
  EXPECT_FALSE(fs::exists(Folder("s")));
  world_.environment()["AWF_AUDIT_LOG"] = "/dev/full";
  EXPECT_EQ(Awf("run small.yaml --run-id s"), 0);
  EXPECT_THAT(Err(), HasSubstr("cannot write /dev/full, which AWF_AUDIT_LOG names: "));
  EXPECT_THAT(Err(), HasSubstr("; the start of the run is missing there\n"));
  EXPECT_THAT(Err(), HasSubstr("; the end of the run is missing there\n"));
}

// ---- Edits ----

TEST_F(AuditTest, AThousandEditsOfEachOfFourRunsAreFound) {
  constexpr int kEdits = 1000;
  RunSmall("small");
  RunResumed("resumed");
  RunKilled("killed");
  fs::remove(world_.Path("ws/quick"));
  RunCancelled("cancelled");
  unsigned seed = 4300;
  for (const std::string id : {"small", "resumed", "killed", "cancelled"}) {
    ASSERT_EQ(Awf("audit verify " + id), 0) << id << ": " << Out();
    const EditedAudit subject(Folder(id));
    ASSERT_EQ(subject.Verify(subject.text()).status, telemetry::AuditStatus::kOk) << id;
    std::cout << id << ": " << subject.lines().size() << " lines, seed " << ++seed << "\n";
    SCOPED_TRACE(id + ", seed " + std::to_string(seed));
    AuditEdits edits(subject, seed);
    for (int i = 0; i < kEdits && !HasFailure(); ++i) edits.One();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace awf::e2e
