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
       "",
       "",
       true},
      {"codex",
       "/opt/codex",
       "0.172.0",
       {LoginState::Kind::kUnknown, "who knows"},
       {IsolationLevel::kFlags, "not proven"},
       "awf doctor --probe codex proves its isolation"},
      {"gemini", "", "", {LoginState::Kind::kMissing, "log in"}, {}, "npm install -g @google/gemini-cli"},
  };
  report.providers.push_back(
      {"opencode", "/opt/opencode", "", {LoginState::Kind::kFound, ""}, {}, "", "does not start: exit code 1"});
  report.kernel = {"6.1.0", 2, true};
  report.private_folder = "/run/user/7/awf";
  return report;
}

TEST(DoctorReportTest, TellsWhatIsThereAndWhatToDo) {
  EXPECT_EQ(DoctorText(Sample(), {}),
            "awf 1.2.3 /usr/bin/awf\n"
            "\n"
            "provider           version  program        isolation  login\n"
            "claude             2.1.332  /opt/claude    proven*    found\n"
            "codex              0.172.0  /opt/codex     flags      unknown\n"
            "gemini             -        not installed  -          -\n"
            "opencode           unknown  /opt/opencode  -          found\n"
            "openai_compatible  -        in awf         proven     unknown\n"
            "* claude announces its tools in every run: each step is judged by that\n"
            "\n"
            "what to do\n"
            "  codex: awf doctor --probe codex proves its isolation\n"
            "  gemini: npm install -g @google/gemini-cli\n"
            "  opencode: does not start: exit code 1\n"
            "  openai_compatible: set OPENAI_BASE_URL, or options.base_url of a step\n"
            "\n"
            "kernel          6.1.0: openat2 yes, Landlock ABI 2\n"
            "private folder  /run/user/7/awf\n"
            "telemetry       no exporter is set; run.json, log.jsonl and audit.jsonl are always written\n");
}

// What a narrow terminal has no room for goes on in the next line.
TEST(DoctorReportTest, NothingIsCut) {
  DoctorReport report = Sample();
  report.endpoint = "http://localhost:4317/x";
  const LineStyle narrow{false, 40};
  EXPECT_EQ(DoctorText(report, narrow),
            "awf 1.2.3 /usr/bin/awf\n"
            "\n"
            "claude 2.1.332\n"
            "  /opt/claude\n"
            "  isolation proven*, login found\n"
            "codex 0.172.0\n"
            "  /opt/codex\n"
            "  isolation flags, login unknown\n"
            "gemini\n"
            "  not installed\n"
            "opencode unknown\n"
            "  /opt/opencode\n"
            "  isolation -, login found\n"
            "openai_compatible\n"
            "  in awf\n"
            "  isolation proven, login unknown\n"
            "* claude announces its tools in every\n"
            "  run: each step is judged by that\n"
            "\n"
            "what to do\n"
            "  codex: awf doctor --probe codex\n"
            "    proves its isolation\n"
            "  gemini: npm install -g\n"
            "    @google/gemini-cli\n"
            "  opencode: does not start: exit code\n"
            "    1\n"
            "  openai_compatible: set\n"
            "    OPENAI_BASE_URL, or\n"
            "    options.base_url of a step\n"
            "\n"
            "kernel          6.1.0: openat2 yes,\n"
            "                Landlock ABI 2\n"
            "private folder  /run/user/7/awf\n"
            "telemetry       http://localhost:4317/x:\n"
            "                somebody listens there\n");
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
            "provider           version  program  isolation  login\n"
            "openai_compatible  -        in awf   proven     unknown\n"
            "\n"
            "what to do\n"
            "  openai_compatible: libcurl.so.4 is missing\n"
            "\n"
            "kernel          5.4.0: openat2 no, Landlock no\n"
            "private folder  somebody else owns it\n"
            "telemetry       http://localhost:4317/x: nobody answers there (Connection refused)\n"
            "other awf       /usr/local/bin/awf is another program of this name on the PATH\n");
}

TEST(DoctorReportTest, TellsOfPluginsButNotOfThoseThatAreBuiltIn) {
  DoctorReport report = Sample();
  PluginRow good, bad, builtin;
  good.name = "kubernetes";
  good.version = "1.2.0";
  good.status = "ok";
  good.capabilities = {"operations"};
  good.place = "./.awf/plugins";
  bad.name = "broken";
  bad.status = "invalid";
  bad.reason = "plugin.yaml:2:1: 'version' is missing";
  bad.place = ".awf/plugins.yaml";
  builtin.name = "http";
  builtin.place = kBuiltinPlace;
  report.plugins = {bad, builtin, good};
  EXPECT_NE(DoctorText(report, {})
                .find("\n\n"
                      "plugins\n"
                      "  broken, invalid: plugin.yaml:2:1: 'version' is missing, in .awf/plugins.yaml\n"
                      "  kubernetes 1.2.0, ok, in ./.awf/plugins\n\n"),
            std::string::npos)
      << DoctorText(report, {});
  const json::array plugins = DoctorJson(report).at("plugins").as_array();
  ASSERT_EQ(plugins.size(), 3U);
  EXPECT_EQ(json::serialize(plugins[0]),
            R"({"name":"broken","version":"","status":"invalid","capabilities":[],"place":".awf/plugins.yaml",)"
            R"("description":"","reason":"plugin.yaml:2:1: 'version' is missing"})");

  report.plugins.clear();
  report.plugins_fault = Error{"USER.CONFIG.INVALID", "unknown key 'pth'", {}, {".awf/plugins.yaml", 3, 5}, {}, {}};
  EXPECT_NE(DoctorText(report, {}).find("plugins\n  unknown key 'pth' (.awf/plugins.yaml:3)\n"), std::string::npos);
  EXPECT_EQ(DoctorJson(report).at("plugins_error").at("code"), "USER.CONFIG.INVALID");
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
            R"({"provider":"opencode","installed":true,"program":"/opt/opencode","version":"",)"
            R"("error":"does not start: exit code 1","login":"found","login_detail":""},)"
            R"({"provider":"openai_compatible","installed":true,"isolation":"proven","reason":"in-process",)"
            R"("login":"found"}],"plugins":[],"kernel":{"release":"6.1.0","landlock_abi":2,"openat2":true},)"
            R"("private_folder":"/run/user/7/awf","telemetry":{"endpoint":"http://localhost:4317/x","reachable":true},)"
            R"("other_awf":["/usr/local/bin/awf"]})");
}

TEST(DoctorReportTest, OfAProbe) {
  agents::ProbeReport report{true, "codex", "0.171.0", {"a", "b"}, {}, ""};
  EXPECT_EQ(ProbeText(report), "codex 0.171.0: proven\n  offered: a, b\n");
  report.not_kept = "the disk is full";
  EXPECT_EQ(ProbeText(report), "codex 0.171.0: proven\n  offered: a, b\n  not kept: the disk is full\n");
  EXPECT_EQ(ProbeJson(report).at("not_kept"), "the disk is full");
  report.not_kept.clear();
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
