#include "infrastructure/telemetry/run_manifest.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "domain/test_time.h"

namespace awf::telemetry {
namespace {

RunManifest Full() {
  RunManifest manifest;
  manifest.workflow = "review";
  manifest.version = "1.0";
  manifest.file = "review.yaml";
  manifest.sha256 = "abc";
  manifest.awf_version = "0.1.0";
  manifest.inputs = {{"pin", "1"}, {"text", "a"}};
  manifest.secret_inputs = {"pin"};
  manifest.trace_id = "t";
  manifest.root_span_id = "s";
  manifest.working_dir = "/w";
  manifest.resumed_sha256 = {"d1", "d2"};
  manifest.resumes = 3;
  manifest.status = "failed";
  manifest.started = At(1793700909125);
  manifest.ended = At(1793700919125);
  manifest.duration = std::chrono::milliseconds(4000);
  manifest.exit_code = 3;
  manifest.error = Error{"EXECUTION.COMMAND.FAILED", "boom", "", {}, "s", ""};
  manifest.counts = {5, 4, 3, 2, 1, 10, 20, true, 0.5};
  manifest.audit = {7, "ff"};
  return manifest;
}

TEST(RunManifest, ComesBackAsItWasWritten) {
  const std::string text = json::serialize(ToJson(Full(), "r", {12, 34}));
  const auto read = ParseManifest(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->run_id, "r");
  EXPECT_EQ(read->owner.pid, 12);
  EXPECT_EQ(read->owner.start_time, 34U);
  EXPECT_EQ(read->manifest.inputs.at("pin"), "***");
  EXPECT_EQ(read->manifest.secret_inputs, std::set<std::string>{"pin"});
  EXPECT_EQ(json::serialize(ToJson(read->manifest, "r", read->owner)), text);
}

TEST(RunManifest, WorksFromStartToEndUnlessToldOtherwise) {
  RunManifest manifest;
  EXPECT_FALSE(manifest.Worked());
  manifest.started = At(1000);
  manifest.ended = At(3500);
  EXPECT_EQ(manifest.Worked(), std::chrono::milliseconds(2500));
  manifest.duration = std::chrono::milliseconds(70);
  EXPECT_EQ(manifest.Worked(), std::chrono::milliseconds(70));
}

TEST(RunManifest, OldOnesLackWhatCameLater) {
  json::object run = ToJson(Full(), "r", {12, 34});
  for (const char* key : {"working_dir", "root_span_id", "resumes", "ended_at", "error"}) run.erase(key);
  const auto read = ParseManifest(json::serialize(run));
  ASSERT_TRUE(read) << read.error();
  EXPECT_FALSE(read->manifest.ended);
  EXPECT_FALSE(read->manifest.error);
}

TEST(RunManifest, WhatAwfDidNotWriteIsRefused) {
  const auto fault = [](const char* pointer, json::value value) {
    json::value run = ToJson(Full(), "r", {12, 34});
    run.at_pointer(pointer) = std::move(value);
    const auto read = ParseManifest(json::serialize(run));
    return read ? std::string() : read.error();
  };
  EXPECT_EQ(fault("/status", "strange"), "status is none that awf knows");
  EXPECT_EQ(fault("/run_id", 1), "run_id is no text");
  EXPECT_EQ(fault("/inputs", json::array()), "inputs is no object");
  EXPECT_EQ(fault("/inputs/text", 1), "inputs.text is no text");
  EXPECT_EQ(fault("/owner/pid", "1"), "owner.pid is no fitting integer");
  EXPECT_EQ(fault("/owner/pid", 1LL << 40), "owner.pid is no fitting integer");
  EXPECT_EQ(fault("/owner/start_time", -1), "owner.start_time is no fitting integer");
  EXPECT_EQ(fault("/exit_code", 1.5), "exit_code is no fitting integer");
  EXPECT_EQ(fault("/started_at", "2026-11-03T10:15:09Z"), "started_at is no time");
  EXPECT_EQ(fault("/started_at", "2026-13-03T10:15:09.000Z"), "started_at is no time");
  EXPECT_EQ(fault("/ended_at", "2026-02-30T10:15:09.000Z"), "ended_at is no time");
  EXPECT_EQ(fault("/counts/tokens_estimated", 1), "counts.tokens_estimated is not true or false");
  EXPECT_EQ(fault("/workflow/resumed_sha256", 1), "workflow.resumed_sha256 is no list");
  EXPECT_EQ(fault("/audit/seq", nullptr), "audit.seq is no fitting integer");
  EXPECT_EQ(ParseManifest("{}").error(), "run_id is missing");
  EXPECT_EQ(ParseManifest("[]").error(), "it is no JSON object");
  EXPECT_TRUE(ParseManifest("{\"run_id\":").error().starts_with("it is no JSON: "));
  EXPECT_FALSE(ParseManifest(""));
}

TEST(RunOwner, LivesAsLongAsItsProcess) {
  EXPECT_TRUE(RunOwner::ThisProcess().Alive());
  RunOwner other = RunOwner::ThisProcess();
  ++other.start_time;  // the pid went to another process
  EXPECT_FALSE(other.Alive());
  EXPECT_FALSE(RunOwner{}.Alive());

  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const RunOwner owner{child, ProcessStartTime(child)};
  EXPECT_TRUE(owner.Alive());
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(owner.Alive());  // ended, and nobody has noticed
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(owner.Alive());
}

TEST(ProcessStartTime, TellsProcessesApart) {
  EXPECT_GT(ProcessStartTime(::getpid()), 0U);
  EXPECT_EQ(ProcessStartTime(::getpid()), ProcessStartTime(::getpid()));
  EXPECT_EQ(ProcessStartTime(-1), 0U);
}

}  // namespace
}  // namespace awf::telemetry
