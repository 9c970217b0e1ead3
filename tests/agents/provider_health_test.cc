#include "infrastructure/agents/provider_health.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "domain/test_folder.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVerified[] = {"1.2.0", "1.4.0"};

class ProviderHealthTest : public testing::Test {
 protected:
  ProviderHealthTest() {
    provider_.name = "some";
    provider_.program = "some-cli";
    provider_.verified = kVerified;
    provider_.login = [](const Environment& environment) -> LoginState {
      if (environment.Get("SOME_KEY").empty()) return {LoginState::Kind::kMissing, "set SOME_KEY"};
      return {LoginState::Kind::kFound, "SOME_KEY is set"};
    };
    provider_.install = "fetch it";
  }

  void Install(const std::string& version) {
    top_.Put("bin/some-cli", "#!/bin/sh\necho some " + version + "\n");
    fs::permissions(top_ / "bin/some-cli", fs::perms::owner_all);
  }
  ProviderHealth Check(const ProviderConfig& configured = {}) {
    ProgramAnswers answers(std::getenv("AWF_PROGRAM"));
    return CheckProvider(provider_, configured, environment_, answers, ProbeProofs(top_ / "proofs"));
  }

  const TestFolder top_;
  CliProvider provider_;
  std::vector<std::string> environment_ = {"PATH=" + (top_ / "bin").string() + ":/usr/bin:/bin", "SOME_KEY=k"};
};

TEST_F(ProviderHealthTest, WhatIsNotInstalled) {
  const ProviderHealth health = Check();
  EXPECT_EQ(health.program, "");
  EXPECT_EQ(health.hint, "fetch it");
  EXPECT_EQ(Check({(top_ / "nowhere").string(), {}}).hint,
            (top_ / "nowhere").string() +
                " is no program that can be run: correct providers.some.path of the "
                "configuration");
}

TEST_F(ProviderHealthTest, LevelAndHintByVersion) {
  const auto seen = [&](const std::string& version) {
    Install(version);
    const ProviderHealth health = Check();
    return health.version + " " + std::string(ToString(health.isolation.level)) + ": " + health.hint;
  };
  EXPECT_EQ(seen("1.4.0"), "1.4.0 flags: awf doctor --probe some proves its isolation");
  EXPECT_EQ(seen("1.5.0"), "1.5.0 coexisting: awf doctor --probe some proves its isolation");
  EXPECT_EQ(seen("1.0.0"), "1.0.0 coexisting: update it: awf was verified with 1.4.0");
  EXPECT_EQ(Check({{}, {{"extra_args", {"--more"}}}}).isolation.reason, "extra_args are not proven");
  EXPECT_FALSE(Check().announces);
  provider_.announces = true;
  EXPECT_EQ(seen("1.5.0"), "1.5.0 proven: ");
  EXPECT_TRUE(Check().announces);
  EXPECT_EQ(seen("1.0.0"), "1.0.0 coexisting: update it: awf was verified with 1.4.0");
}

TEST_F(ProviderHealthTest, AProofCounts) {
  Install("1.5.0");
  const ProofKey key{.provider = "some",
                     .version = "1.5.0",
                     .program = top_ / "bin/some-cli",
                     .recipe = 1,
                     .intercept = true,
                     .extra_args = {},
                     .env = {}};
  ASSERT_TRUE(ProbeProofs(top_ / "proofs").Add(key));
  const ProviderHealth health = Check();
  EXPECT_EQ(health.isolation.level, IsolationLevel::kProven);
  EXPECT_EQ(health.isolation.reason, "probed");
  EXPECT_FALSE(health.announces);
  EXPECT_EQ(health.hint, "");
}

TEST_F(ProviderHealthTest, WhoIsNotLoggedInIsToldHow) {
  Install("1.4.0");
  environment_.pop_back();
  const ProviderHealth health = Check();
  EXPECT_EQ(health.login.kind, LoginState::Kind::kMissing);
  EXPECT_EQ(health.hint, "set SOME_KEY");
}

TEST_F(ProviderHealthTest, WhoseLoginNobodyCanTellIsToldWhatServes) {
  provider_.login = [](const Environment&) -> LoginState { return {LoginState::Kind::kUnknown, "run some /login"}; };
  Install("1.4.0");
  EXPECT_EQ(Check().hint, "login unknown: run some /login; awf doctor --probe some proves its isolation");
  provider_.announces = true;
  EXPECT_EQ(Check().hint, "login unknown: run some /login");
}

TEST_F(ProviderHealthTest, WhyAProgramIsOfNoUse) {
  environment_.pop_back();  // a login is missing too
  const auto fault = [&](const std::string& text) {
    top_.Put("bin/some-cli", text);
    fs::permissions(top_ / "bin/some-cli", fs::perms::owner_all);
    const ProviderHealth health = Check();
    EXPECT_EQ(health.hint, "");
    return health.fault;
  };
  EXPECT_EQ(fault("#!/bin/sh\nexit 1\n"), "does not start: exit code 1");
  EXPECT_EQ(fault("#!/no/such/node\n"), "cannot be started: No such file or directory (its interpreter)");
  EXPECT_EQ(fault("#!/bin/sh\necho hello\n"), "--version tells no version");
}

TEST_F(ProviderHealthTest, AConfiguredProgramIsTaken) {
  Install("1.4.0");
  fs::rename(top_ / "bin/some-cli", top_ / "other");
  EXPECT_EQ(Check({(top_ / "other").string(), {}}).version, "1.4.0");
}

}  // namespace
}  // namespace awf::agents
