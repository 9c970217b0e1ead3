// What AuditFile writes, AuditVerifier accepts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "domain/test_folder.h"
#include "infrastructure/telemetry/audit_chain_for_tests.h"
#include "infrastructure/telemetry/audit_file.h"

namespace awf::telemetry {
namespace {

class AuditVerifierFiles : public testing::Test {
 protected:
  std::string Verify(AuditExpectation expected = {}) const {
    const auto verdict = VerifyAuditFile(path_, std::move(expected));
    return verdict ? Told(*verdict) : verdict.error().code + ": " + verdict.error().message;
  }
  const TestFolder folder_;
  const std::filesystem::path path_ = folder_ / "audit.jsonl";
  Masker masker_;
};

TEST_F(AuditVerifierFiles, AcceptsWhatSixteenCallersWroteAtOnce) {
  constexpr int kThreads = 16, kCalls = 50;
  auto audit = AuditFile::Create(path_, "r", masker_);
  ASSERT_TRUE(audit);
  const auto append = [&](std::string_view type, const json::object& fields) {
    EXPECT_TRUE((*audit)->Append(type, fields, Durability::kWritten));
  };
  append("run.started", {{"resumed", false}});
  append("step.started", {{"step", "a"}});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < kCalls; ++j) append("tool.call", {{"step", "a"}, {"error", std::string(200, 'x')}});
      });
    }
  }
  append("step.completed", {{"step", "a"}, {"tool_calls", kThreads * kCalls}, {"bypasses", 0}});
  append("run.completed", {{"records", kThreads * kCalls + 4}});
  AuditExpectation expected;
  expected.recorded = (*audit)->Head();
  expected.ended = true;
  EXPECT_EQ(Verify(expected), "ok 804");
}

TEST_F(AuditVerifierFiles, AcceptsWhatIsWrittenBehindACutRecord) {
  const auto append = [&](AuditFile& audit, std::string_view type, const json::object& fields) {
    ASSERT_TRUE(audit.Append(type, fields, Durability::kWritten));
  };
  auto first = AuditFile::Create(path_, "r", masker_);
  ASSERT_TRUE(first);
  append(**first, "run.started", {{"resumed", false}});
  append(**first, "step.started", {{"step", "a"}});
  for (const std::uintmax_t cut : {1U, 40U, 100U}) {  // without its line feed; in the hash; before it
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - cut);
    auto next = AuditFile::Continue(path_, "r", masker_);
    ASSERT_TRUE(next) << cut;
    append(**next, "run.started", {{"resumed", true}});
    append(**next, "step.started", {{"step", "a"}});
    EXPECT_THAT(Verify(), testing::StartsWith("open ")) << cut;
  }
  auto last = AuditFile::Continue(path_, "r", masker_);
  ASSERT_TRUE(last);
  append(**last, "run.started", {{"resumed", true}});
  append(**last, "run.completed", {{"records", (*last)->Head().seq + 2}});
  EXPECT_EQ(Verify(), "ok 10");
}

TEST_F(AuditVerifierFiles, ThatCannotBeReadAreAnError) {
  EXPECT_EQ(Verify(), "SYSTEM.IO.READ_FAILED: cannot read " + path_.string() + ": No such file or directory");
  std::filesystem::create_directory(path_);
  EXPECT_EQ(Verify(), "SYSTEM.IO.READ_FAILED: cannot read " + path_.string() + ": Is a directory");
}

}  // namespace
}  // namespace awf::telemetry
