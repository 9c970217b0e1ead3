#include "infrastructure/telemetry/audit_collection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "domain/test_folder.h"
#include "domain/test_time.h"

namespace awf::telemetry {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class AuditCollectionTest : public testing::Test {
 protected:
  AuditCollectionTest() {
    masker_.AddSecret("sk-12345678");
    run_.run_id = "20261103-101509-5be01c77";
    run_.user = "me";
    run_.host = "box";
    run_.workflow = "review";
    run_.version = "1.2";
    run_.folder = "/runs/x";
    run_.inputs = {{"note", "key sk-12345678"}, {"pin", "1234"}};
    run_.secret_inputs = {"pin"};
  }
  AuditCollection Open() {
    auto opened = AuditCollection::Open(path_, "AWF_AUDIT_LOG", masker_, [] { return At(1793700909125); });
    if (!opened) ADD_FAILURE() << opened.error().message;
    return std::move(opened.value());
  }
  const TestFolder folder_;
  const std::filesystem::path path_ = folder_ / "runs.jsonl";
  Masker masker_;
  CollectedRun run_;
};

TEST_F(AuditCollectionTest, HasALineForTheStartAndOneForTheEnd) {
  const AuditCollection collection = Open();
  EXPECT_EQ(FileMode(path_), 0600U);
  ASSERT_TRUE(collection.Started(run_));
  CollectedEnd end{"failed", 130, std::chrono::milliseconds(1500), Error{}, {12, std::string(64, 'a')}};
  end.error->code = "EXECUTION.RUN.CANCELLED";
  end.error->message = "interrupted at sk-12345678";
  ASSERT_TRUE(collection.Completed(run_, end));
  EXPECT_THAT(
      FileLines(path_),
      ElementsAre(R"({"v":1,"time":"2026-11-03T10:15:09.125Z","type":"workflow.started",)"
                  R"("execution_id":"20261103-101509-5be01c77","user":"me","host":"box","workflow":"review",)"
                  R"("version":"1.2","resumed":false,"folder":"/runs/x","inputs":{"note":"key ***","pin":"***"}})",
                  R"({"v":1,"time":"2026-11-03T10:15:09.125Z","type":"workflow.completed",)"
                  R"("execution_id":"20261103-101509-5be01c77","user":"me","host":"box","workflow":"review",)"
                  R"("version":"1.2","status":"failed","exit_code":130,"duration_ms":1500,)"
                  R"("code":"EXECUTION.RUN.CANCELLED","error":"interrupted at ***","head":{"seq":12,"hash":")" +
                      std::string(64, 'a') + R"("}})"));
}

TEST_F(AuditCollectionTest, CutsWhatIsLongAndSaysSo) {
  const AuditCollection collection = Open();
  run_.inputs["long"] = std::string(100'000, '"') + "\xff";
  run_.workflow = std::string(9000, '\x01');
  run_.version = std::string(9000, '\xff');
  ASSERT_TRUE(collection.Started(run_));
  for (int i = 0; i < 2000; ++i) run_.inputs["input " + std::to_string(i)] = "value";
  ASSERT_TRUE(collection.Started(run_));
  CollectedEnd end{"failed", 1, {}, Error{}, {12, std::string(64, 'a')}};
  end.error->message = std::string(9000, 'e');
  ASSERT_TRUE(collection.Completed(run_, end));
  const std::vector<std::string> lines = FileLines(path_);
  ASSERT_EQ(lines.size(), 3U);
  for (const std::string& line : lines) {
    EXPECT_LE(line.size(), 4095U);
    EXPECT_GE(line.size(), 2000U);
    EXPECT_EQ(json::parse(line).at("execution_id").as_string(), run_.run_id);
  }
  EXPECT_THAT(lines[0], EndsWith(R"(,"cut":["workflow","version","inputs"]})"));
  EXPECT_THAT(lines[2], HasSubstr(R"(,"cut":["workflow","version","error"],"head":{"seq":12,)"));
}

TEST_F(AuditCollectionTest, GoesOnBehindALineThatWasCutAndInAFileThatIsNew) {
  std::ofstream(path_) << R"({"cut)";
  const AuditCollection collection = Open();
  ASSERT_TRUE(collection.Started(run_));
  EXPECT_THAT(FileLines(path_), ElementsAre(R"({"cut)", StartsWith(R"({"v":1,)")));
  std::filesystem::rename(path_, folder_ / "rotated");
  ASSERT_TRUE(collection.Completed(run_, {}));
  EXPECT_THAT(FileLines(path_), ElementsAre(HasSubstr("workflow.completed")));
}

TEST_F(AuditCollectionTest, DoesNotMixWhatSeveralProcessesWrite) {
  constexpr int kProcesses = 8, kLines = 100;
  run_.inputs["text"] = std::string(3000, 'x');
  const AuditCollection collection = Open();
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool written = true;
      for (int j = 0; j < kLines; ++j) written = collection.Started(run_).has_value() && written;
      ::_exit(written ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const std::vector<std::string> lines = FileLines(path_);
  EXPECT_EQ(std::ranges::count_if(lines, [](const std::string& line) { return !line.empty(); }), kProcesses * kLines);
  for (const std::string& line : lines) {
    json::error_code fault;
    if (!line.empty()) json::parse(line, fault);
    EXPECT_FALSE(fault) << line;
  }
}

TEST_F(AuditCollectionTest, SaysWhoNamedAFileThatCannotBeWritten) {
  const auto missing = AuditCollection::Open(folder_ / "no/such", "audit.path of the configuration", masker_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_EQ(missing.error().message, "cannot write " + (folder_ / "no/such").string() +
                                         ", which audit.path of the configuration names: No such file or directory");
  EXPECT_FALSE(AuditCollection::Open(folder_, "AWF_AUDIT_LOG", masker_));
  const auto full = AuditCollection::Open("/dev/full", "AWF_AUDIT_LOG", masker_);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->Started(run_).error().message,
            "cannot write /dev/full, which AWF_AUDIT_LOG names: No space left on device");
}

}  // namespace
}  // namespace awf::telemetry
