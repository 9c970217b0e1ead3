#include "infrastructure/telemetry/run_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "domain/test_folder.h"
#include "domain/test_time.h"

namespace awf::telemetry {
namespace {

class RunFolderTest : public testing::Test {
 protected:
  const TestFolder folder_;
  Masker masker_;
};

TEST_F(RunFolderTest, IsPrivateWhateverTheUmask) {
  const mode_t old = ::umask(0);
  auto run = RunFolder::Create(folder_ / "data" / "awf", "", At(1793700909125));
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->WriteWorkflow("name: x\n"));
  EXPECT_TRUE(run->WriteManifest({}, masker_));
  ::umask(old);
  EXPECT_EQ(run->run_id().size(), 24U);
  EXPECT_TRUE(run->run_id().starts_with("20261103-101509-"));
  EXPECT_EQ(run->path(), folder_ / "data" / "awf" / "runs" / run->run_id());
  EXPECT_EQ(FileMode(folder_ / "data"), 0700U);
  EXPECT_EQ(FileMode(folder_ / "data" / "awf" / "runs"), 0700U);
  EXPECT_EQ(FileMode(run->path()), 0700U);
  EXPECT_EQ(FileMode(run->path() / "workflow.yaml"), 0600U);
  EXPECT_EQ(FileMode(run->path() / "run.json"), 0600U);
  EXPECT_EQ(FileText(run->path() / "workflow.yaml"), "name: x\n");
  EXPECT_TRUE(run->WriteWorkflow("name: y\n"));
  EXPECT_EQ(FileText(run->path() / "workflow.yaml"), "name: y\n");
}

TEST_F(RunFolderTest, RunIdsAreChecked) {
  EXPECT_TRUE(RunFolder::Create(folder_, "my-run_1.a"));
  auto taken = RunFolder::Create(folder_, "my-run_1.a");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, "USER.INPUT.INVALID_FORMAT");
  EXPECT_EQ(taken.error().message, "run id 'my-run_1.a' is taken");
  for (const std::string& id : {std::string("../x"), std::string("a/b"), std::string(".x"), std::string("-x"),
                                std::string("a b"), std::string(65, 'a')}) {
    auto bad = RunFolder::Create(folder_, id);
    ASSERT_FALSE(bad) << id;
    EXPECT_EQ(bad.error().message, "run id '" + id + "' is malformed");
  }
}

TEST_F(RunFolderTest, AStorageThatIsAFileIsAnError) {
  std::ofstream(folder_ / "file") << "x";
  auto run = RunFolder::Create(folder_ / "file", "");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_EQ(run.error().message, "cannot write " + (folder_ / "file").string() + ": Not a directory");
}

TEST_F(RunFolderTest, TheManifestIsReplacedAsAWhole) {
  masker_.AddSecret("hunter2hunter2");
  auto run = RunFolder::Create(folder_, "r");
  ASSERT_TRUE(run);
  std::ofstream(run->path() / "run.json.new") << "half";
  RunManifest manifest;
  manifest.workflow = "review";
  manifest.version = "1.0";
  manifest.file = "review.yaml";
  manifest.sha256 = "abc";
  manifest.awf_version = "0.1.0";
  manifest.inputs = {{"api_key", "k"}, {"pin", "1"}, {"text", "say hunter2hunter2"}};
  manifest.secret_inputs = {"pin"};
  manifest.working_dir = "/w";
  manifest.trace_id = "t";
  manifest.root_span_id = "5";
  manifest.started = At(1793700909125);
  ASSERT_TRUE(run->WriteManifest(manifest, masker_));
  const std::string owner = R"("owner":{"pid":)" + std::to_string(::getpid()) + R"(,"start_time":)" +
                            std::to_string(ProcessStartTime(::getpid())) + "}";
  const std::string head =
      R"({"run_id":"r","workflow":{"name":"review","version":"1.0","file":"review.yaml","sha256":"abc"},)"
      R"("inputs":{"api_key":"***","pin":"***","text":"say ***"},)" +
      owner + R"(,"awf_version":"0.1.0","working_dir":"/w","trace_id":"t","root_span_id":"5","resumes":0,)";
  EXPECT_EQ(FileText(run->path() / "run.json"),
            head + R"("status":"running","started_at":"2026-11-03T10:15:09.125Z",)"
                   R"("counts":{"steps":0,"tool_calls":0,"tool_errors":0,"denials":0,"bypasses":0,"tokens_input":0,)"
                   R"("tokens_output":0,"tokens_estimated":false},"audit":{"seq":-1,"hash":""}})"
                   "\n");
  manifest.status = "failed";
  manifest.ended = At(1793700910000);
  manifest.exit_code = 3;
  manifest.error = Error{"EXECUTION.COMMAND.FAILED", "hunter2hunter2", "", {}, "s", ""};
  manifest.counts.steps = 2;
  manifest.counts.cost_usd = 0.5;
  masker_.AddSecret("ffffffffff");  // as a pattern of the user may take a digest for a secret
  manifest.audit = {7, "ffffffffff"};
  ASSERT_TRUE(run->WriteManifest(manifest, masker_));
  EXPECT_EQ(FileText(run->path() / "run.json"),
            head + R"("status":"failed","started_at":"2026-11-03T10:15:09.125Z","ended_at":"2026-11-03T10:15:10.000Z",)"
                   R"("duration_ms":875,"exit_code":3,"error":{"code":"EXECUTION.COMMAND.FAILED","message":"***",)"
                   R"("step":"s"},"counts":{"steps":2,"tool_calls":0,"tool_errors":0,"denials":0,"bypasses":0,)"
                   R"("tokens_input":0,"tokens_output":0,"tokens_estimated":false,"cost_usd":5E-1},)"
                   R"("audit":{"seq":7,"hash":"ffffffffff"}})"
                   "\n");
  EXPECT_FALSE(std::filesystem::exists(run->path() / "run.json.new"));
}

// Runs `action` in another process; its exit code.
template <class Action>
int InChild(Action action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(RunFolderTest, ALiveOwnerKeepsOthersOut) {
  {
    auto run = RunFolder::Create(folder_, "r");
    ASSERT_TRUE(run);
    const std::string busy = "run r is in use by process " + std::to_string(::getpid());
    EXPECT_EQ(InChild([&] {
                auto second = RunFolder::Reopen(folder_ / "runs" / "r");
                if (second) return 1;
                return second.error().code == "USER.RUN.BUSY" && second.error().message == busy ? 0 : 2;
              }),
              0);
  }
  EXPECT_EQ(InChild([&] { return RunFolder::Reopen(folder_ / "runs" / "r") ? 0 : 1; }), 0);
  EXPECT_EQ(FileMode(folder_ / "runs" / "r" / "lock"), 0600U);
}

TEST_F(RunFolderTest, AChildThatOutlivesItsOwnerHoldsNothing) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t left = 0;
  EXPECT_EQ(InChild([&] {
              auto owner = RunFolder::Create(folder_, "r");
              if (!owner) return 1;
              const pid_t child = ::fork();
              if (child == 0) {
                char end = 0;
                ::close(ends[1]);
                ::_exit(static_cast<int>(::read(ends[0], &end, 1)));
              }
              std::ofstream(folder_ / "child") << child;
              return 0;
            }),
            0);
  std::ifstream(folder_ / "child") >> left;
  ASSERT_GT(left, 0);
  EXPECT_EQ(::kill(left, 0), 0);
  auto run = RunFolder::Reopen(folder_ / "runs" / "r");
  ::close(ends[1]);  // lets it end
  ::close(ends[0]);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->run_id(), "r");
  EXPECT_EQ(run->path(), folder_ / "runs" / "r");
}

TEST_F(RunFolderTest, ReadsTheManifestBack) {
  auto run = RunFolder::Create(folder_, "r");
  ASSERT_TRUE(run);
  EXPECT_EQ(RunFolder::ReadManifest(run->path()).error().code, "SYSTEM.IO.READ_FAILED");
  RunManifest manifest;
  manifest.workflow = "review";
  ASSERT_TRUE(run->WriteManifest(manifest, masker_));
  auto read = RunFolder::ReadManifest(run->path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->run_id, "r");
  EXPECT_EQ(read->manifest.workflow, "review");
  EXPECT_TRUE(read->owner.Alive());
  std::ofstream(run->path() / "run.json") << "{";
  read = RunFolder::ReadManifest(run->path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "USER.RUN.NOT_RESUMABLE");
  EXPECT_TRUE(read.error().message.starts_with((run->path() / "run.json").string() + " is damaged: it is no JSON: "));
  std::filesystem::remove(run->path() / "run.json");
  std::filesystem::create_directory(run->path() / "run.json");
  EXPECT_EQ(RunFolder::ReadManifest(run->path()).error().code, "SYSTEM.IO.READ_FAILED");
}

}  // namespace
}  // namespace awf::telemetry
