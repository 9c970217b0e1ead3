#include "infrastructure/mcp/call_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "domain/test_folder.h"

namespace awf {
namespace {

CallRecord SomeCall() {
  CallRecord call;
  call.call = "9f02c4d17be6a038";
  call.tool = "Bash";
  call.source = "builtin";
  call.request_id = "7";
  call.client_call_id = "toolu_1";
  call.time = WallClock::time_point(std::chrono::seconds(1'793'700'909));
  return call;
}

CallEnd Ended(CallOutcome outcome, std::string error = {}) {
  CallEnd end;
  end.outcome = outcome;
  end.duration = std::chrono::microseconds(6'600);
  end.error = std::move(error);
  end.exit_code = 2;
  return end;
}

TEST(CallLogLine, HasTheFoundingFieldsAndTheCall) {
  EXPECT_EQ(CallLogLine(SomeCall(), Ended(CallOutcome::kOk), {}),
            R"({"level":"info","message":"tool call","tool":"Bash","source":"builtin","duration_ms":7,)"
            R"("call":"9f02c4d17be6a038","timestamp":"2026-11-03T10:15:09Z"})");
  EXPECT_EQ(CallLogLine(SomeCall(), Ended(CallOutcome::kError, "command exited with code 2"), {}),
            R"({"level":"error","message":"tool call","tool":"Bash","source":"builtin","duration_ms":7,)"
            R"("call":"9f02c4d17be6a038","error":"command exited with code 2","timestamp":"2026-11-03T10:15:09Z"})");
}

std::string LevelFor(CallOutcome outcome) {
  const json::value line = json::parse(CallLogLine(SomeCall(), Ended(outcome, "e"), {}));
  return std::string(line.at("level").as_string());
}

TEST(CallLogLine, LevelTellsHowTheCallEnded) {
  EXPECT_EQ(LevelFor(CallOutcome::kCancelled), "warn");
  EXPECT_EQ(LevelFor(CallOutcome::kDenied), "warn");
  EXPECT_EQ(LevelFor(CallOutcome::kTimeout), "error");
  EXPECT_EQ(LevelFor(CallOutcome::kLost), "error");
}

TEST(CallLogLine, StaysShortWhateverTheTextsHold) {
  CallRecord call = SomeCall();
  call.tool = std::string(1000, '\x01');
  const CallEnd end = Ended(CallOutcome::kError, std::string(1000, '"'));
  const std::string line = CallLogLine(call, end, {});
  EXPECT_LE(line.size(), 4095U);
  EXPECT_EQ(json::parse(line).at("call").as_string(), "9f02c4d17be6a038");
}

TEST(CallLogLine, MasksSecrets) {
  Masker masker;
  masker.AddSecret("hunter2-hunter2");
  const std::string line = CallLogLine(SomeCall(), Ended(CallOutcome::kError, "no hunter2-hunter2 here"), masker);
  EXPECT_EQ(json::parse(line).at("error").as_string(), "no *** here");
}

TEST(CallLog, AppendsToItsFile) {
  const TestFolder folder;
  const std::filesystem::path path = folder / "log";
  for (int i = 0; i < 2; ++i) {
    auto log = CallLog::ToFile({}, path);
    ASSERT_TRUE(log) << log.error().message;
    log->Finished(SomeCall(), Ended(CallOutcome::kOk));
  }
  const std::string line = CallLogLine(SomeCall(), Ended(CallOutcome::kOk), {}) + "\n";
  EXPECT_EQ(FileText(path), line + line);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST(CallLog, SaysWhyAFileCannotBeWritten) {
  const auto log = CallLog::ToFile({}, "/nonexistent-folder/log");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_EQ(log.error().message, "cannot write the log /nonexistent-folder/log: No such file or directory");
}

}  // namespace
}  // namespace awf
