#include "cli/run_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "domain/json.h"
#include "domain/test_folder.h"

namespace awf::cli {
namespace {

using testing::HasSubstr;

int Lines(const std::filesystem::path& path) {
  const std::string text = FileText(path);
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// Runs that need no program: terminal states only. Everything else is tested end to end, with the real awf.
class RunSessionTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "runtime");
    ::chmod((folder_ / "runtime").c_str(), 0700);
    ::setenv("XDG_RUNTIME_DIR", (folder_ / "runtime").c_str(), 1);
    for (const char* variable : {"TRACEPARENT", "OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED", "OTEL_TRACES_SAMPLER"})
      ::unsetenv(variable);
    options_.global.storage = (folder_ / "store").string();
    options_.workflow = (folder_ / "w.yaml").string();
    options_.run_id = "r";
  }

  void Write(const std::string& text) { std::ofstream(options_.workflow) << text; }
  std::filesystem::path Run(const char* file) const { return folder_ / "store" / "runs" / "r" / file; }

  const TestFolder folder_;
  RunOptions options_;
  RunSummary summary_;
};

constexpr char kPass[] =
    "name: pass\nversion: \"1.0\"\n"
    "inputs:\n  - name: word\n    default: fine\n  - name: pin\n    secret: true\n    default: canary-12345\n"
    "states:\n  initial: end\n  end:\n    type: terminal\n    message: all {{.inputs.word}} {{.inputs.pin}}\n";

// Whoever reads stderr as JSON lines finds nothing else there, however the run ends.
TEST_F(RunSessionTest, WithJsonLogStderrIsJsonLines) {
  options_.global.json_log = true;
  options_.global.verbose = true;
  const auto told = [&](const std::string& workflow) {
    Write(workflow);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const RunOutcome outcome = ExecuteRun(options_, nullptr);
    testing::internal::GetCapturedStdout();
    const std::string text = testing::internal::GetCapturedStderr();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      boost::system::error_code fault;
      EXPECT_TRUE(json::parse(line, fault).is_object()) << line;
    }
    return std::to_string(outcome.exit_code) + " " + text;
  };
  const std::string failed = told("name: w\nstates:\n  initial: end\n  end: {type: terminal, status: failure}\n");
  EXPECT_THAT(failed, testing::StartsWith("3 "));
  EXPECT_THAT(failed, HasSubstr(R"("code":")"));
  EXPECT_THAT(failed, HasSubstr(R"({"audit":{"seq":3,"hash":")"));
  const std::string refused = told("name: w\nstates: {}\n");
  EXPECT_THAT(refused, HasSubstr(R"({"success":false,"error":{"code":")"));
  EXPECT_THAT(refused, testing::Not(HasSubstr("Error:")));
}

TEST_F(RunSessionTest, ARunLeavesItsRecords) {
  Write(kPass);
  options_.trace_file = true;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const RunOutcome outcome = ExecuteRun(options_, &summary_);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::MatchesRegex("all fine \\*\\*\\*\nrun r completed in [0-9.]+ m?s · " +
                                    Run("").parent_path().string() + "\n"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "run r · pass\n✓ end\n");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_EQ(FileText(Run("workflow.yaml")), kPass);
  EXPECT_EQ(Lines(Run("log.jsonl")), 4);
  EXPECT_EQ(Lines(Run("audit.jsonl")), 4);
  EXPECT_EQ(Lines(Run("trace.json")), 2);
  const std::string manifest = FileText(Run("run.json"));
  EXPECT_THAT(manifest, HasSubstr(R"("status":"completed")"));
  EXPECT_THAT(manifest, HasSubstr(R"("inputs":{"pin":"***","word":"fine"})"));
  EXPECT_THAT(manifest, HasSubstr(R"("audit":{"seq":3,"hash":")" + summary_.audit.hash + R"("})"));
  for (const char* file : {"log.jsonl", "audit.jsonl", "trace.json", "run.json"})
    EXPECT_EQ(FileText(Run(file)).find("canary-12345"), std::string::npos) << file;
  EXPECT_EQ(summary_.start.workflow, "pass");
  EXPECT_EQ(summary_.folder, Run("").parent_path());
  EXPECT_EQ(summary_.trace, Run("trace.json"));
}

TEST_F(RunSessionTest, AFailureTerminalIsAnError) {
  Write("name: fail\nstates:\n  initial: end\n  end:\n    type: terminal\n    status: failure\n    message: no luck\n");
  options_.global.quiet = true;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 3);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(told.starts_with("Error: EXECUTION.WORKFLOW.FAILED\nStep: end\nDetails: no luck (")) << told;
}

TEST_F(RunSessionTest, JsonIsAllThatStdoutHolds) {
  Write(kPass);
  options_.global.format = OutputFormat::kJson;
  options_.inputs = {{"word", "well"}};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 0);
  testing::internal::GetCapturedStderr();
  const json::value out = json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(out.at("run_id").as_string(), "r");
  EXPECT_EQ(out.at("status").as_string(), "completed");
  EXPECT_EQ(out.at("exit_code").as_int64(), 0);
  EXPECT_EQ(out.at("audit").at("seq").as_int64(), 3);
}

TEST_F(RunSessionTest, ATraceContextOfTheEnvironmentIsTheParent) {
  Write(kPass);
  options_.otel_exporter = "file:" + (folder_ / "spans.json").string();
  ::setenv("TRACEPARENT", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", 1);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, &summary_).exit_code, 0);
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
  ::unsetenv("TRACEPARENT");
  EXPECT_EQ(summary_.start.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_THAT(FileText(folder_ / "spans.json"),
              HasSubstr(R"("parentSpanId":"00f067aa0ba902b7","name":"workflow.execution")"));
  EXPECT_FALSE(std::filesystem::exists(Run("trace.json")));
}

TEST_F(RunSessionTest, StrictRefusesWarningsBeforeAnythingRuns) {
  Write("name: w\nstates:\n  initial: z\n  y: {type: terminal}\n  z: {type: terminal}\n");
  options_.strict = true;
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("WORKFLOW.VALIDATION.UNREACHABLE_STATE\nStep: y\n"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "store"));
}

TEST_F(RunSessionTest, InputsComeFromConfigurationFileAndFlagInThisOrder) {
  Write(
      "name: w\ninputs: [{name: a}, {name: b}, {name: c}]\nstates:\n  initial: end\n"
      "  end: {type: terminal, message: '{{.inputs.a}} {{.inputs.b}} {{.inputs.c}}'}\n");
  options_.config.inputs = {{"a", "config"}, {"b", "config"}, {"c", "config"}, {"other", "of another workflow"}};
  options_.input_file = (folder_ / "in.yaml").string();
  std::ofstream(options_.input_file) << "b: file\nc: file\n";
  options_.inputs = {{"c", "flag"}};
  options_.global.quiet = true;
  testing::internal::CaptureStdout();
  EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "config file flag\n");
}

TEST_F(RunSessionTest, MocksAreForASingleState) {
  Write(kPass);
  options_.mocks = {{"states.end.Output", "x"}};
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("Hint: Add --step STATE."));
  options_.mocks.clear();
  options_.only_state = "ned";
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("--step: there is no state 'ned'\nHint: did you mean 'end'?"));
}

constexpr char kFails[] =
    "name: w\ninputs: [{name: word, default: first}, {name: pin, secret: true, required: true}]\n"
    "states:\n  initial: end\n  end: {type: terminal, status: failure, message: '{{.inputs.word}} {{.inputs.pin}}'}\n";

TEST_F(RunSessionTest, AFailedRunIsTakenUpAgainWithItsInputs) {
  Write(kFails);
  options_.inputs = {{"pin", "canary-12345"}, {"word", "second"}};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 3);
  testing::internal::GetCapturedStdout();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("Hint: awf resume r goes on where it stopped\n"));
  EXPECT_TRUE(std::filesystem::exists(Run("state.json")));

  // The file of today is another one: without --reload it does not count.
  Write(kPass);
  const auto resume = [this](ResumeOptions how) {
    how.run = options_;
    how.run.workflow.clear();
    auto run = ResumedRun::Open(telemetry::RunStore(folder_ / "store").Find("r").value());
    EXPECT_TRUE(run) << run.error().message;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code = ExecuteResume(how, std::move(*run)).exit_code;
    const std::string out = testing::internal::GetCapturedStdout();
    return std::to_string(exit_code) + " " + testing::internal::GetCapturedStderr() + out;
  };
  options_.inputs.clear();
  const std::string again = resume({});
  EXPECT_THAT(again, testing::StartsWith("3 "));
  EXPECT_THAT(again, HasSubstr("Details: second *** ("));
  options_.inputs = {{"word", "third"}};
  EXPECT_THAT(resume({}), HasSubstr("Details: third *** ("));

  ResumeOptions reload;
  reload.reload = true;
  EXPECT_THAT(resume(reload), HasSubstr("\nall third ***\nrun r completed in "));
  EXPECT_FALSE(std::filesystem::exists(Run("state.json")));
  EXPECT_EQ(FileText(Run("workflow.yaml")), kPass);
  const json::value manifest = json::parse(FileText(Run("run.json")));
  EXPECT_EQ(manifest.at("workflow").at("resumed_sha256").as_array().size(), 1U);
  EXPECT_THAT(FileText(Run("audit.jsonl")), testing::Not(HasSubstr("canary-12345")));
}

TEST_F(RunSessionTest, APipeIsNoTraceFile) {
  Write(kPass);
  ASSERT_EQ(::mkfifo((folder_ / "ff").c_str(), 0600), 0);
  options_.otel_exporter = "file:" + (folder_ / "ff").string();
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 4);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(HasSubstr("SYSTEM.IO.WRITE_FAILED"), HasSubstr("it is no regular file")));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "store" / "runs"));  // its id is free again
}

TEST_F(RunSessionTest, TheTraceFileIsNoOtherRecordOfTheRun) {
  Write(kPass);
  std::filesystem::create_directory_symlink(folder_ / "store", folder_ / "link");
  for (const char* name : {"run.json", "workflow.yaml", "state.json", "audit.jsonl", "log.jsonl", "transcript.jsonl"}) {
    options_.run_id = std::string("r-") + name[0] + name[1];
    options_.otel_exporter = "file:" + (folder_ / "link" / "runs" / options_.run_id / name).string();
    testing::internal::CaptureStderr();
    EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 1) << name;
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the trace file is a record of the run itself"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "store" / "runs" / options_.run_id));
  }
}

TEST_F(RunSessionTest, ATraceFileThatFailsIsNamedWithTheCause) {
  Write(kPass);
  options_.otel_exporter = "file:/dev/full";
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, nullptr).exit_code, 0);
  testing::internal::GetCapturedStdout();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("/dev/full"));
  EXPECT_THAT(FileText(Run("log.jsonl")),
              testing::AllOf(HasSubstr(R"("file":"/dev/full")"), HasSubstr("No space left on device")));
}

TEST_F(RunSessionTest, NothingIsLeftWhenItCannotStart) {
  Write("name: x\nstates:\n  initial: nowhere\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(ExecuteRun(options_, &summary_).exit_code, 2);
  Write(kPass);
  options_.inputs = {{"wrod", "x"}};
  EXPECT_EQ(ExecuteRun(options_, &summary_).exit_code, 1);
  options_.inputs.clear();
  options_.otel_exporter = "otpl";
  EXPECT_EQ(ExecuteRun(options_, &summary_).exit_code, 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("--otel-exporter: there is no exporter 'otpl'"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "store"));
  EXPECT_TRUE(summary_.folder.empty());
}

}  // namespace
}  // namespace awf::cli
