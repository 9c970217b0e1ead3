// The audit of real runs proves what it is meant to prove: awf audit verify accepts them as they are, in every state
// that a run can be in, and finds whatever is changed in them at the record where it was changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <random>
#include <sstream>

#include "infrastructure/telemetry/audit_verifier.h"
#include "infrastructure/telemetry/run_folder.h"
#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::milliseconds;
using telemetry::AuditStatus;
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
  EXPECT_EQ(Out(), "ok: " + std::to_string(records) + " records, head " + head + "\n");
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
}

TEST_F(AuditTest, OfAKilledRunIsOpenUntilItIsTakenUpAgain) {
  const pid_t awf = StartSleeper("k");
  EXPECT_EQ(Awf("audit verify k"), 0);
  EXPECT_THAT(Out(), testing::EndsWith(": the run goes on (process " + std::to_string(awf) + ")\n"));
  End(awf, SIGKILL);
  EXPECT_EQ(Awf("audit verify k"), 3);
  EXPECT_THAT(Out(), HasSubstr(": truncated or killed\nHint: awf resume k takes the run up again"));
  Cut("k", 40);
  EXPECT_EQ(Awf("audit verify k"), 3);
  EXPECT_THAT(Out(), StartsWith("BROKEN at record 1 (line 2): it is cut off: its line does not end\n"));
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
  world_.Write("ws/.awf/config.yaml", "audit: {path: " + file + "}\n");
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
  EXPECT_THAT(Err(), HasSubstr("cannot write /dev/full"));
}

// ---- Edits ----

// An audit file taken apart, and where a fault in it has to be found.
class Subject {
 public:
  struct Place {
    std::int64_t record, line;
  };

  explicit Subject(const fs::path& folder) : text_(FileText(folder / "audit.jsonl")) {
    std::istringstream lines(text_);
    std::int64_t record = 0;
    std::size_t start = 0;
    for (std::string line; std::getline(lines, line); start += line.size() + 1) {
      boost::system::error_code fault;
      const json::value value = json::parse(line, fault);
      lines_.push_back({line, start, record, fault.failed(), !fault && value.at("type") == "run.completed"});
      if (!fault) ++record;
    }
    records_ = record;
    const auto read = telemetry::RunFolder::ReadManifest(folder);
    EXPECT_TRUE(read);
    expected_.run_id = read->run_id;
    expected_.recorded = read->manifest.audit;
    expected_.ended = true;
  }

  struct Line {
    std::string text;
    std::size_t start;
    std::int64_t record;  // its number; of a cut line that of the record that is due
    bool cut, ends_run;
  };

  const std::string& text() const { return text_; }
  const std::vector<Line>& lines() const { return lines_; }
  std::size_t LineAt(std::size_t byte) const {
    const auto behind = std::ranges::upper_bound(lines_, byte, {}, &Line::start);
    return static_cast<std::size_t>(behind - lines_.begin()) - 1;
  }
  // Where a fault is told that shows in line `i` of the edited text, the lines before it being as they were.
  Place At(std::size_t i) const {
    const std::int64_t record = i < lines_.size() ? lines_[i].record : records_;
    const bool unanswered = i > 0 && lines_[i - 1].cut;
    return {record, static_cast<std::int64_t>(unanswered ? i : i + 1)};
  }
  std::int64_t records() const { return records_; }
  telemetry::AuditVerdict Verify(const std::string& text, bool with_run_json = true) const {
    telemetry::AuditVerifier verifier(with_run_json ? expected_ : telemetry::AuditExpectation());
    verifier.Take(text);
    return verifier.Finish();
  }
  static std::string Joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const Line& line : lines_) texts.push_back(line.text);
    return texts;
  }

 private:
  std::string text_;
  std::vector<Line> lines_;
  std::int64_t records_ = 0;
  telemetry::AuditExpectation expected_;
};

class Edits {
 public:
  Edits(const Subject& subject, unsigned seed) : subject_(subject), random_(seed) {}

  void One() {
    switch (Below(9)) {
      case 0:
        return Flip();
      case 1:
        return Drop();
      case 2:
        return Insert();
      case 3:
        return SwapBytes();
      case 4:
        return DropLine();
      case 5:
        return CopyLine();
      case 6:
        return SwapLines();
      case 7:
        return CutAt(Below(subject_.text().size()));
      default:
        return CutAt(subject_.lines()[Below(subject_.lines().size())].start);
    }
  }

 private:
  std::size_t Below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }
  // Any byte, more often one that means something.
  char Byte() {
    static constexpr std::string_view kSpecial = "\n\r\t \"\\{}[],:0127abcdefABCDEFx\0\xff\xef";
    return Below(2) == 0 ? static_cast<char>(Below(256)) : kSpecial[Below(kSpecial.size())];
  }

  void Expect(const std::string& text, Subject::Place place, const std::string& edit) const {
    const telemetry::AuditVerdict verdict = subject_.Verify(text);
    const bool exact = verdict.fault && verdict.fault->record == place.record && verdict.fault->line == place.line;
    EXPECT_TRUE(exact) << edit << ": record " << place.record << ", line " << place.line << " is the first; told was "
                       << ToString(verdict.status) << " "
                       << (verdict.fault ? std::to_string(verdict.fault->record) + ", line " +
                                               std::to_string(verdict.fault->line) + ": " + verdict.fault->reason
                                         : verdict.open);
  }

  void Flip() {
    std::string text = subject_.text();
    const std::size_t at = Below(text.size());
    const char byte = Byte();
    if (byte == text[at]) return One();
    text[at] = byte;
    Expect(text, subject_.At(subject_.LineAt(at)), "byte " + std::to_string(at) + " changed");
  }

  void Drop() {
    std::string text = subject_.text();
    const std::size_t at = Below(text.size());
    text.erase(at, 1);
    Expect(text, subject_.At(subject_.LineAt(at)), "byte " + std::to_string(at) + " dropped");
  }

  void Insert() {
    std::string text = subject_.text();
    const std::size_t at = Below(text.size() + 1);
    const char byte = Byte();
    text.insert(at, 1, byte);
    const std::string edit = "a byte inserted at " + std::to_string(at);
    if (at == subject_.text().size()) return Expect(text, subject_.At(subject_.lines().size()), edit);
    // A line feed beside a line feed is an empty line behind that line.
    const std::size_t line = subject_.LineAt(at);
    const bool before_feed = subject_.text()[at] == '\n';
    Expect(text, subject_.At(byte == '\n' && before_feed ? line + 1 : line), edit);
  }

  void SwapBytes() {
    std::string text = subject_.text();
    const std::size_t at = Below(text.size() - 1);
    if (text[at] == text[at + 1]) return One();
    std::swap(text[at], text[at + 1]);
    Expect(text, subject_.At(subject_.LineAt(at)), "bytes swapped at " + std::to_string(at));
  }

  void DropLine() {
    std::vector<std::string> lines = subject_.Texts();
    const std::size_t line = Below(lines.size());
    if (line + 1 == lines.size()) return CutAt(subject_.lines()[line].start);
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(line));
    Expect(Subject::Joined(lines), subject_.At(line), "line " + std::to_string(line + 1) + " dropped");
  }

  void CopyLine() {
    std::vector<std::string> lines = subject_.Texts();
    const std::size_t line = Below(lines.size());
    std::size_t to = Below(lines.size() + 1);
    if (to == line) ++to;  // before itself is behind itself
    const std::string copy = lines[line];
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to), copy);
    Expect(Subject::Joined(lines), subject_.At(to),
           "line " + std::to_string(line + 1) + " copied before line " + std::to_string(to + 1));
  }

  void SwapLines() {
    std::vector<std::string> lines = subject_.Texts();
    if (lines.size() < 2) return One();
    const std::size_t a = Below(lines.size()), b = Below(lines.size());
    if (lines[a] == lines[b]) return One();
    std::swap(lines[a], lines[b]);
    Expect(Subject::Joined(lines), subject_.At(std::min(a, b)),
           "lines " + std::to_string(a + 1) + " and " + std::to_string(b + 1) + " swapped");
  }

  // Records that are missing at the end show by the end that is missing. Only a file that is cut behind an earlier end
  // of the run, before it was taken up again, is whole in itself: run.json shows that.
  void CutAt(std::size_t at) {
    const std::string text = subject_.text().substr(0, at), edit = "cut at " + std::to_string(at);
    const std::size_t line = subject_.LineAt(at);
    const bool at_start = at == subject_.lines()[line].start;
    const bool unanswered = line > 0 && subject_.lines()[line - 1].cut;
    if (!at_start || unanswered) return Expect(text, subject_.At(line), edit);
    if (line == 0 || !subject_.lines()[line - 1].ends_run) {
      const telemetry::AuditVerdict verdict = subject_.Verify(text);
      EXPECT_EQ(verdict.status, AuditStatus::kOpen) << edit;
      EXPECT_EQ(verdict.Records(), subject_.lines()[line].record) << edit;
      EXPECT_EQ(verdict.open,
                "truncated or killed; run.json tells of " + std::to_string(subject_.records()) + " records");
      return;
    }
    EXPECT_EQ(subject_.Verify(text, false).status, AuditStatus::kOk) << edit;
    Expect(text, subject_.At(line), edit);
  }

  const Subject& subject_;
  std::mt19937 random_;
};

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
    const Subject subject(Folder(id));
    ASSERT_EQ(subject.Verify(subject.text()).status, AuditStatus::kOk) << id;
    std::cout << id << ": " << subject.lines().size() << " lines, seed " << ++seed << "\n";
    SCOPED_TRACE(id + ", seed " + std::to_string(seed));
    Edits edits(subject, seed);
    for (int i = 0; i < kEdits && !HasFailure(); ++i) edits.One();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace awf::e2e
