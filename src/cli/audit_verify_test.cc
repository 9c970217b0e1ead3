#include <gmock/gmock.h>

#include <fstream>
#include <optional>

#include "cli/test_runs.h"
#include "infrastructure/telemetry/audit_chain_for_tests.h"

namespace awf::cli {
namespace {

using telemetry::AuditChain;
using telemetry::RunManifest;
using telemetry::RunOwner;
using testing::HasSubstr;
using testing::StartsWith;

class AuditVerifyTest : public StoredRunsTest {
 protected:
  AuditVerifyTest() {
    options_.global = global_;
    whole_.RunStarted().RunEnd();
  }
  Printed Verify(const std::string& target, std::optional<std::string> head = {}) {
    options_.target = target;
    options_.head = std::move(head);
    return PrintedBy([&] { return AuditVerifyCommand(options_); });
  }
  // A run that has ended with that head.
  void PutEnded(const std::string& id, const AuditChain& chain, AuditHead head) {
    RunManifest manifest = Manifest("w", "completed", 1793700900000, 100);
    manifest.audit = std::move(head);
    Put(id, manifest);
    PutText(id, "audit.jsonl", chain.Text());
  }
  AuditChain whole_;
  AuditVerifyOptions options_;
};

TEST_F(AuditVerifyTest, AWholeRunIsOk) {
  PutEnded("r", whole_, {1, whole_.Head()});
  Printed printed = Verify("r");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out, "ok: 2 records, head " + whole_.Head() + "\nChecked: run r\n");
  std::string upper = whole_.Head();
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  EXPECT_EQ(Verify("r", upper).exit_code, 0);
  options_.json = true;
  printed = Verify("r", whole_.Head());
  EXPECT_EQ(printed.out, R"({"status":"ok","run_id":"r","file":")" + Folder("r").string() +
                             R"(/audit.jsonl","records":2,"head":")" + whole_.Head() +
                             R"(","live":false,"compared":["run.json","--head"],"warnings":[],"exit_code":0})"
                             "\n");
}

TEST_F(AuditVerifyTest, ABrokenOneNamesTheRecord) {
  PutEnded("r", whole_, {1, std::string(64, 'a')});
  Printed printed = Verify("r");
  EXPECT_EQ(printed.exit_code, 3);
  EXPECT_EQ(printed.out, "BROKEN at record 1 (line 2): its hash is not the head in run.json, " + std::string(64, 'a') +
                             "\nChecked: run r\nHint: the records before that one are proven\n");
  options_.global.quiet = true;
  EXPECT_EQ(Verify("r").out.find('\n') + 1, Verify("r").out.size());
  options_.global.quiet = false;
  PutText("r", "audit.jsonl", "\x1b[31m\n");
  EXPECT_EQ(Verify("r").out,
            "BROKEN at record 0 (line 1): it is not JSON\nChecked: run r\nHint: nothing in it is proven\n");
  options_.json = true;
  EXPECT_THAT(Verify("r").out, HasSubstr(R"("records":0,"head":"","live":false,"record":0,"line":1,)"
                                         R"("reason":"it is not JSON","compared":["run.json"])"));
}

TEST_F(AuditVerifyTest, AnOpenOneIsFineWhileItsOwnerLives) {
  AuditChain open;
  open.RunStarted();
  PutText("r", "audit.jsonl", open.Text());
  Put("r", Manifest("w", "running", 1793700900000), RunOwner::ThisProcess());
  Printed printed = Verify("r");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out, "open: 1 record, head " + open.Head() + ": the run goes on (process " +
                             std::to_string(RunOwner::ThisProcess().pid) + ")\nChecked: run r\n");
  EXPECT_THAT(Verify(Folder("r").string()).out, StartsWith(printed.out.substr(0, printed.out.find('\n') + 1)));
  Put("r", Manifest("w", "running", 1793700900000));
  printed = Verify("r");
  EXPECT_EQ(printed.exit_code, 3);
  EXPECT_EQ(printed.out,
            "open: 1 record, head " + open.Head() +
                ": truncated or killed\nChecked: run r\nHint: awf resume r takes the run up again, in the same file\n");
}

TEST_F(AuditVerifyTest, AFileStandsAloneUnlessItIsThatOfARunFolder) {
  PutEnded("r", whole_, {1, std::string(64, 'a')});
  EXPECT_EQ(Verify((Folder("r") / "audit.jsonl").string()).exit_code, 3);
  PutText("r", "copy.jsonl", whole_.Text());
  EXPECT_EQ(Verify((Folder("r") / "copy.jsonl").string()).exit_code, 0);
  PutText("moved", "audit.jsonl", AuditChain("s").RunStarted().RunEnd().Text());
  EXPECT_EQ(Verify((Folder("moved") / "audit.jsonl").string()).exit_code, 0);
  EXPECT_THAT(Verify("moved").out, StartsWith("BROKEN at record 0 (line 1): it is of run s, not of moved\n"));
}

// The tests run in one folder, so files there have names of their own.
TEST_F(AuditVerifyTest, ARunWinsOverAFileOfItsName) {
  const std::string name = "shadow-" + std::to_string(RunOwner::ThisProcess().pid);
  AuditChain chain(name);
  chain.RunStarted().RunEnd();
  PutEnded(name, chain, {1, chain.Head()});
  std::ofstream(name) << "no audit\n";
  const auto remove = [&](const std::string& file) { EXPECT_TRUE(std::filesystem::remove(file)); };
  EXPECT_EQ(Verify(name).out, "ok: 2 records, head " + chain.Head() + "\nChecked: run " + name + "\n");
  EXPECT_THAT(Verify("./" + name).out, HasSubstr("\nChecked: file ./" + name + "\n"));
  EXPECT_EQ(Verify("./" + name).exit_code, 3);
  remove(name);
  const std::string beginning = name.substr(0, name.size() - 1);
  EXPECT_THAT(Verify(beginning).out, HasSubstr("\nChecked: run " + name + "\n"));
  std::ofstream(beginning) << "no audit\n";
  EXPECT_THAT(Verify(beginning).out, HasSubstr("\nChecked: file ./" + beginning + "\n"));
  remove(beginning);
}

TEST_F(AuditVerifyTest, TheCurrentFolderIsAPath) {
  const Printed printed = Verify(".");
  EXPECT_EQ(printed.exit_code, 4);
  EXPECT_THAT(printed.err, HasSubstr("cannot read ./audit.jsonl"));
}

TEST_F(AuditVerifyTest, SaysWhatCouldNotBeCompared) {
  PutEnded("r", whole_, {1, "***"});
  Printed printed = Verify("r");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_THAT(printed.out, HasSubstr("\nWarning: the head is compared with nothing: run.json does not tell it\n"));
  PutText("r", "run.json", "{}");
  printed = Verify("r");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_THAT(printed.out, HasSubstr("\nWarning: the head is compared with nothing: "));
}

TEST_F(AuditVerifyTest, WhatIsNotThereOrNotReadableIsAnError) {
  EXPECT_EQ(Verify("nothing").exit_code, 1);
  EXPECT_THAT(Verify("nothing").err, HasSubstr("USER.RUN.NOT_FOUND"));
  EXPECT_EQ(Verify("nothing.jsonl").exit_code, 4);
  PutEnded("r", whole_, {1, whole_.Head()});
  const Printed printed = Verify("r", "12ab");
  EXPECT_EQ(printed.exit_code, 1);
  EXPECT_THAT(printed.err, HasSubstr("--head needs the 64 hex digits of a hash"));
  EXPECT_EQ(Verify("r", "").exit_code, 1) << "of a variable that is not set";
  EXPECT_THAT(Verify("r", "").err, HasSubstr("--head needs the 64 hex digits of a hash"));
  std::filesystem::remove(Folder("r") / "audit.jsonl");
  EXPECT_EQ(Verify("r").exit_code, 4);
}

}  // namespace
}  // namespace awf::cli
