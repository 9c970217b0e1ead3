#include "cli/resumed_run.h"

#include <sys/wait.h>

#include "cli/test_runs.h"

namespace awf::cli {
namespace {

using telemetry::RunManifest;
using telemetry::RunOwner;
using telemetry::RunStore;
using telemetry::StateFile;

class ResumedRunTest : public StoredRunsTest {
 protected:
  RunManifest Interrupted() const {
    RunManifest manifest = Manifest("w", "running", 1793700910000);
    manifest.working_dir = storage_.string();
    return manifest;
  }
  void PutState(const std::string& id, const json::object& inputs) const {
    auto state = StateFile::Create(Folder(id) / "state.json");
    ASSERT_TRUE(state);
    ASSERT_TRUE((*state)->Append(BegunRecord(inputs)));
  }
  std::expected<ResumedRun, Error> Open(const std::string& id) const {
    return ResumedRun::Open(telemetry::ReadStoredRun(Folder(id)));
  }
  std::string Refusal(const std::string& id, const std::string& code = "USER.RUN.NOT_RESUMABLE") const {
    const auto run = Open(id);
    EXPECT_FALSE(run);
    if (run) return {};
    EXPECT_EQ(run.error().code, code);
    return run.error().message;
  }
};

TEST_F(ResumedRunTest, GathersWhatARunLeft) {
  RunManifest manifest = Interrupted();
  manifest.inputs = {{"pin", "***"}, {"n", "3"}};
  manifest.counts.steps = 4;
  Put("r", manifest);
  PutState("r", {{"pin", "@secret"}, {"n", 3}, {"flag", true}, {"none", nullptr}});
  const auto run = Open("r");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->manifest().counts.steps, 4);
  EXPECT_TRUE(run->state().begun);
  EXPECT_EQ(run->StoredWorkflow(), Folder("r") / "workflow.yaml");
  EXPECT_EQ(run->WorkflowFile(), storage_ / "w.yaml");
  EXPECT_EQ(run->WorkingDir(), storage_);
  std::vector<std::string> inputs;
  for (const GivenInput& input : run->Inputs()) {
    EXPECT_EQ(input.source, InputSource::kConfig);
    inputs.push_back(input.name + "=" + input.text);
  }
  EXPECT_EQ(inputs, (std::vector<std::string>{"pin=@secret", "n=3", "flag=true"}));
  EXPECT_TRUE(run->OpenState());
}

TEST_F(ResumedRunTest, ARunThatEndedBeforeItsStateBeginsAgain) {
  RunManifest manifest = Interrupted();
  manifest.inputs = {{"n", "3"}};
  Put("early", manifest);
  {
    const auto run = Open("early");
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_EQ(run->Inputs().size(), 1U);
    EXPECT_EQ(run->Inputs()[0].text, "3");
    EXPECT_TRUE(run->OpenState());
    EXPECT_TRUE(std::filesystem::exists(Folder("early") / "state.json"));
  }
  EXPECT_TRUE(Open("early"));  // now there is an empty one

  manifest.inputs["pin"] = "***";
  Put("secret", manifest);
  EXPECT_EQ(Refusal("secret"), "run secret ended before its state was written, and its secret inputs with it");
}

TEST_F(ResumedRunTest, RefusesWhatCannotBeTakenUp) {
  RunManifest manifest = Interrupted();
  manifest.status = "completed";
  Put("done", manifest);
  EXPECT_EQ(Refusal("done"), "run done has completed, nothing of it is left to do");
  EXPECT_EQ(Open("done").error().hint, "Start a new run: awf run w.yaml");

  PutText("bad", "run.json", "[]");
  EXPECT_EQ(Refusal("bad"),
            "run bad is damaged: " + (Folder("bad") / "run.json").string() + " is damaged: it is no JSON object");

  Put("live", Interrupted(), RunOwner::ThisProcess());
  EXPECT_EQ(Refusal("live", "USER.RUN.BUSY"), "run live is in use by process " + std::to_string(::getpid()));

  manifest = Interrupted();
  manifest.working_dir = (storage_ / "gone").string();
  Put("gone", manifest);
  EXPECT_EQ(Refusal("gone"), "run gone worked in " + (storage_ / "gone").string() + ", which is no folder any more");
  manifest.working_dir.clear();
  Put("nowhere", manifest);
  EXPECT_EQ(Refusal("nowhere"), "run nowhere does not say where it worked");

  Put("cut", Interrupted());
  PutText("cut", "state.json", "{\n{}\n");
  EXPECT_TRUE(Refusal("cut").starts_with((Folder("cut") / "state.json").string() + " is damaged in line 1: "));
}

// Two at the same moment: both saw it as interrupted, one has it.
TEST_F(ResumedRunTest, OnlyOneGetsARun) {
  Put("r", Interrupted());
  const telemetry::StoredRun seen = telemetry::ReadStoredRun(Folder("r"));
  const auto first = ResumedRun::Open(seen);
  ASSERT_TRUE(first);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto second = ResumedRun::Open(seen);
    ::_exit(!second && second.error().code == "USER.RUN.BUSY" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// It was seen as interrupted, then another took it up and brought it to its end.
TEST_F(ResumedRunTest, LooksAgainOnceItIsLocked) {
  Put("r", Interrupted());
  const telemetry::StoredRun seen = telemetry::ReadStoredRun(Folder("r"));
  RunManifest manifest = Interrupted();
  manifest.status = "completed";
  Put("r", manifest);
  const auto run = ResumedRun::Open(seen);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "run r has completed, nothing of it is left to do");
}

TEST_F(ResumedRunTest, ListsWhatCanBeResumed) {
  ResumeOptions options;
  options.run.global = global_;
  options.list = true;
  const auto list = [&] { return PrintedBy([&] { return ResumeCommand(options); }); };
  EXPECT_EQ(list().err, "no runs that can be resumed\n");
  EXPECT_EQ(list().exit_code, 0);
  Put("i", Interrupted());
  Put("f", Manifest("w", "failed", 1793700900000, 10));
  Put("c", Manifest("w", "completed", 1793700900000, 10));
  Put("l", Interrupted(), RunOwner::ThisProcess());
  options.run.global.format = OutputFormat::kQuiet;
  EXPECT_EQ(list().out, "i\nf\n");
  options.list = false;
  options.run_id = "c";
  EXPECT_EQ(list().exit_code, 1);
  options.run_id = "x";
  EXPECT_NE(list().err.find("USER.RUN.NOT_FOUND"), std::string::npos);
}

}  // namespace
}  // namespace awf::cli
