// awf doctor with the whole program, on a machine that has none of the agent CLIs, and on one that has.
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <filesystem>

#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::HasSubstr;

class DoctorTest : public testing::Test {
 protected:
  DoctorTest() { world_.environment()["PATH"] = world_.Path("bin").string() + ":/usr/bin:/bin"; }

  void Put(const std::string& name, const std::string& script) {
    world_.Write("bin/" + name, "#!/bin/sh\n" + script + "\n", true);
  }
  int Doctor(const std::string& arguments = {}) {
    return world_.Shell("'" + std::string(std::getenv("AWF_PROGRAM")) + "' doctor " + arguments);
  }
  json::object Provider(const std::string& name) {
    const json::value report = json::parse(world_.Read("stdout"));
    for (const json::value& provider : report.at("providers").as_array()) {
      if (provider.at("provider").as_string() == name) return provider.as_object();
    }
    return {};
  }

  World world_;
};

TEST_F(DoctorTest, AMachineWithNothing) {
  ASSERT_EQ(Doctor("--json"), 0) << world_.Read("stderr");
  const json::value report = json::parse(world_.Read("stdout"));
  EXPECT_EQ(report.at("providers").as_array().size(), 7U);
  for (const json::value& provider : report.at("providers").as_array()) {
    const bool in_process = provider.at("provider").as_string() == "openai_compatible";
    EXPECT_EQ(provider.at("installed").as_bool(), in_process) << provider;
    EXPECT_EQ(provider.as_object().contains("isolation"), in_process) << provider;
  }
  EXPECT_TRUE(report.at("healthy").as_bool());
  EXPECT_EQ(report.at("telemetry"), json::parse(R"({"endpoint":""})"));
  EXPECT_EQ(report.at("other_awf").as_array().size(), 0U);
}

TEST_F(DoctorTest, StartsNoProgramThatAProjectNames) {
  world_.Write("ws/evil.sh", "#!/bin/sh\ntouch '" + world_.Path("ran").string() + "'\n", true);
  world_.Write("ws/.awf/config.yaml", "providers: {claude: {path: " + world_.Path("ws/evil.sh").string() + "}}\n");
  EXPECT_EQ(Doctor(), 1);
  EXPECT_THAT(world_.Read("stderr"), HasSubstr("USER.CONFIG.INVALID"));
  EXPECT_THAT(world_.Read("stderr"), HasSubstr("ws/.awf/config.yaml:1:28"));
  EXPECT_FALSE(fs::exists(world_.Path("ran")));
}

TEST_F(DoctorTest, AMachineWithAll) {
  Put("claude", "echo '2.1.332 (Claude Code)'");
  Put("gemini", "echo 0.61.0");
  Put("codex", "echo codex-cli 0.200.0");
  Put("opencode", "echo 1.0.0");
  Put("copilot", "echo 'GitHub Copilot CLI 1.0.102.'; echo 'Run copilot update'");
  Put("vibe", "exit 1");
  Put("awf", "echo another");
  world_.environment()["ANTHROPIC_API_KEY"] = "k";
  ASSERT_EQ(Doctor("-f json"), 0) << world_.Read("stderr");
  EXPECT_EQ(Provider("claude").at("isolation").as_string(), "proven");
  EXPECT_EQ(Provider("claude").at("proven_by").as_string(), "announcement in each run");
  EXPECT_EQ(Provider("claude").at("login").as_string(), "found");
  EXPECT_EQ(Provider("gemini").at("isolation").as_string(), "flags");
  EXPECT_EQ(Provider("codex").at("isolation").as_string(), "flags");
  EXPECT_EQ(Provider("opencode").at("isolation").as_string(), "coexisting");
  EXPECT_EQ(Provider("opencode").at("reason").as_string(), "older than verified");
  EXPECT_EQ(Provider("github_copilot").at("version").as_string(), "1.0.102");
  EXPECT_EQ(Provider("mistral_vibe").at("error").as_string(), "does not start: exit code 1");
  EXPECT_FALSE(Provider("mistral_vibe").contains("isolation"));
  EXPECT_EQ(json::parse(world_.Read("stdout")).at("other_awf").as_array().size(), 1U);
  ASSERT_EQ(Doctor(), 0);
  EXPECT_THAT(world_.Read("stdout"), HasSubstr("other awf       " + world_.Path("bin/awf").string()));
  EXPECT_THAT(world_.Read("stdout"), HasSubstr("\n  mistral_vibe: does not start: exit code 1\n"));
}

TEST_F(DoctorTest, ACollectorThatIsNotThereIsTold) {
  world_.environment()["OTEL_TRACES_EXPORTER"] = "otlp";
  world_.environment()["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:1";
  ASSERT_EQ(Doctor(), 0) << world_.Read("stderr");
  EXPECT_THAT(world_.Read("stdout"), HasSubstr("nobody answers there (Connection refused)"));
}

TEST_F(DoctorTest, ProbesOfWhatCannotBeProbed) {
  EXPECT_EQ(Doctor("--probe cluade"), 1);
  EXPECT_THAT(world_.Read("stderr"), HasSubstr("did you mean 'claude'?"));
  EXPECT_EQ(Doctor("--probe openai-compatible"), 1);
  EXPECT_THAT(world_.Read("stderr"), HasSubstr("runs inside awf"));
  EXPECT_EQ(Doctor("--probe codex"), 3);
  EXPECT_THAT(world_.Read("stderr"), HasSubstr("EXECUTION.AGENT.NOT_INSTALLED"));
}

TEST_F(DoctorTest, WhatGoesWrongWithOneProbeSaysNothingOfTheOthers) {
  Put("codex", "[ \"$1\" = --version ] && echo 0.171.0 || exit 7");
  EXPECT_EQ(Doctor("--probe gemini --probe codex"), 3);
  EXPECT_THAT(world_.Read("stdout"), HasSubstr("codex 0.171.0: not proven"));
  EXPECT_THAT(world_.Read("stderr"), HasSubstr("EXECUTION.AGENT.NOT_INSTALLED"));
  EXPECT_EQ(Doctor("--probe gemini --probe codex -f json"), 3);
  const json::value report = json::parse(world_.Read("stdout"));
  EXPECT_EQ(report.at("probes").at(0).at("error").at("code").as_string(), "EXECUTION.AGENT.NOT_INSTALLED");
  EXPECT_EQ(report.at("probes").at(1).at("version").as_string(), "0.171.0");
  EXPECT_EQ(Doctor("--probe codex -q"), 3);
  EXPECT_EQ(world_.Read("stdout"), "");
}

TEST_F(DoctorTest, QuietAndMalformed) {
  for (const char* flag : {"-q", "-f quiet"}) {
    EXPECT_EQ(Doctor(flag), 0) << world_.Read("stderr");
    EXPECT_EQ(world_.Read("stdout"), "") << flag;
  }
  EXPECT_EQ(Doctor("--model gpt-5.5"), 1);
  EXPECT_THAT(world_.Read("stderr"), HasSubstr("Hint: awf doctor --probe codex --model gpt-5.5"));
}

TEST_F(DoctorTest, AProgramThatIsNoneOfTheKnownOnesIsNotProven) {
  Put("codex", "[ \"$1\" = --version ] && echo 0.171.0 || exit 7");
  EXPECT_EQ(Doctor("--probe codex --json"), 3) << world_.Read("stderr");
  const json::value probe = json::parse(world_.Read("stdout")).at("probes").at(0);
  EXPECT_FALSE(probe.at("proven").as_bool());
  EXPECT_NE(probe.at("reason").as_string(), "");
  EXPECT_EQ(world_.Read("home/.local/state/awf/probes.jsonl"), "");
}

}  // namespace
}  // namespace awf::e2e
