#include "cli/doctor_report.h"

#include <gtest/gtest.h>

namespace awf::cli {
namespace {

using agents::LoginState;

DoctorReport Sample() {
  DoctorReport report;
  report.version = "1.2.3";
  report.program = "/usr/bin/awf";
  report.providers = {
      {"claude",
       "/opt/claude",
       "2.1.332",
       {LoginState::Kind::kFound, "logged in"},
       {IsolationLevel::kProven, "announces its tools in every run"},
       ""},
      {"codex",
       "/opt/codex",
       "0.172.0",
       {LoginState::Kind::kUnknown, "who knows"},
       {IsolationLevel::kFlags, "not proven"},
       "awf doctor --probe codex proves its isolation"},
      {"gemini", "", "", {LoginState::Kind::kMissing, "log in"}, {}, "npm install -g @google/gemini-cli"},
  };
  report.kernel = {"6.1.0", 2, true};
  report.private_folder = "/run/user/7/awf";
  return report;
}

TEST(DoctorReportTest, TellsWhatIsThereAndWhatToDo) {
  EXPECT_EQ(
      DoctorText(Sample(), {}),
      "awf 1.2.3 /usr/bin/awf\n"
      "\n"
      "provider           version  program        isolation  login    what to do\n"
      "claude             2.1.332  /opt/claude    proven     found\n"
      "codex              0.172.0  /opt/codex     flags      unknown  awf doctor --probe codex proves its isolation\n"
      "gemini             -        not installed  -          -        npm install -g @google/gemini-cli\n"
      "openai_compatible  -        in awf         proven     unknown  set OPENAI_BASE_URL, or options.base_url of "
      "a step\n"
      "\n"
      "kernel          6.1.0: openat2 yes, Landlock ABI 2\n"
      "private folder  /run/user/7/awf\n"
      "telemetry       no exporter is set; run.json, log.jsonl and audit.jsonl are always written\n");
}

TEST(DoctorReportTest, TellsWhatIsWrong) {
  DoctorReport report = Sample();
  report.providers.clear();
  report.http_fault = "libcurl.so.4 is missing";
  report.kernel = {"5.4.0", 0, false};
  report.private_folder_fault = Fail("SYSTEM.IO.PERMISSION_DENIED", "somebody else owns it").error();
  report.other_awf = {"/usr/local/bin/awf"};
  report.endpoint = "http://localhost:4317/x";
  report.endpoint_fault = "Connection refused";
  EXPECT_FALSE(report.healthy());
  EXPECT_EQ(DoctorText(report, {}),
            "awf 1.2.3 /usr/bin/awf\n"
            "\n"
            "provider           version  program  isolation  login    what to do\n"
            "openai_compatible  -        in awf   proven     unknown  libcurl.so.4 is missing\n"
            "\n"
            "kernel          5.4.0: openat2 no, Landlock no\n"
            "private folder  somebody else owns it\n"
            "telemetry       http://localhost:4317/x: nobody answers there (Connection refused)\n"
            "other awf       /usr/local/bin/awf is another program of this name on the PATH\n");
}

TEST(DoctorReportTest, AsJson) {
  DoctorReport report = Sample();
  report.providers.erase(report.providers.begin());
  report.has_base_url = true;
  report.other_awf = {"/usr/local/bin/awf"};
  report.endpoint = "http://localhost:4317/x";
  EXPECT_EQ(json::serialize(DoctorJson(report)),
            R"({"version":"1.2.3","program":"/usr/bin/awf","healthy":true,"providers":[)"
            R"({"provider":"codex","installed":true,"program":"/opt/codex","version":"0.172.0","isolation":"flags",)"
            R"("reason":"not proven","login":"unknown","login_detail":"who knows",)"
            R"("hint":"awf doctor --probe codex proves its isolation"},)"
            R"({"provider":"gemini","installed":false,"login":"missing","login_detail":"log in",)"
            R"("hint":"npm install -g @google/gemini-cli"},)"
            R"({"provider":"openai_compatible","installed":true,"isolation":"proven","reason":"in-process",)"
            R"("login":"found"}],"kernel":{"release":"6.1.0","landlock_abi":2,"openat2":true},)"
            R"("private_folder":"/run/user/7/awf","telemetry":{"endpoint":"http://localhost:4317/x","reachable":true},)"
            R"("other_awf":["/usr/local/bin/awf"]})");
}

TEST(DoctorReportTest, OfAProbe) {
  agents::ProbeReport report{true, "codex", "0.171.0", {"a", "b"}, {}, ""};
  EXPECT_EQ(ProbeText(report), "codex 0.171.0: proven\n  offered: a, b\n");
  report.proven = false;
  report.foreign = {"b"};
  report.reason = "it offers b";
  EXPECT_EQ(ProbeText(report), "codex 0.171.0: not proven\n  why:     it offers b\n  offered: a, b\n  foreign: b\n");
  EXPECT_EQ(json::serialize(ProbeJson(report)),
            R"({"provider":"codex","version":"0.171.0","proven":false,"reason":"it offers b","offered":["a","b"],)"
            R"("foreign":["b"]})");
}

}  // namespace
}  // namespace awf::cli
