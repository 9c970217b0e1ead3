// IsolationProbe, and steps that require isolation, against a fake `copilot` that really talks to its model over HTTP
// and to awf over MCP; honest, or with one of many ways to hide a native tool from the probe.
#include "infrastructure/probe/isolation_probe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "domain/test_folder.h"
#include "infrastructure/agents/cli_program.h"
#include "infrastructure/agents/test_observer.h"
#include "infrastructure/model_server/model_server.h"

namespace awf::probe {
namespace {

namespace fs = std::filesystem;
using agents::ProbeReport;
using std::chrono::seconds;

const std::vector<std::string> kOurs = {"awf-proxy-Bash", "awf-proxy-Edit", "awf-proxy-Glob",
                                        "awf-proxy-Grep", "awf-proxy-Read", "awf-proxy-Write"};

class IsolationProbeTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"bin", "home", "work", "tmp"}) fs::create_directory(top_ / folder);
    ASSERT_NE(std::getenv("AWF_FAKE_PROBE_CLI"), nullptr);
    ASSERT_NE(std::getenv("AWF_PROGRAM"), nullptr);
    fs::create_symlink(std::getenv("AWF_FAKE_PROBE_CLI"), top_ / "bin/copilot");
    request_.step = {"run", "work", StepKind::kAgent, 1, std::string(32, 'a'), std::string(16, 'b'), {}, "work",
                     {},    {}};
    request_.provider = "github_copilot";
    request_.provider_as_written = "copilot";
    request_.prompt = "do it";
    request_.working_dir = top_ / "work";
    request_.proxy.emplace();
    request_.proxy->enable = true;
    request_.deadline = SteadyClock::now() + seconds(100);
  }

  void TearDown() override {
    for (const char* folder : {"tmp", "private", "work"}) {
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(top_ / folder, error)) {
        ADD_FAILURE() << entry.path() << " was left";
      }
    }
  }

  agents::AgentHost Host(const std::string& cheat) const {
    auto folder = process::PrivateFolder::OpenIn({}, top_ / "private");
    EXPECT_TRUE(folder);
    const std::vector<std::string> environment = {"PATH=" + (top_ / "bin").string() + ":/usr/bin:/bin",
                                                  "HOME=" + (top_ / "home").string(),
                                                  "TMPDIR=" + (top_ / "tmp").string(),
                                                  "http_proxy=http://127.0.0.1:9",
                                                  "FAKE_PROBE_LOG=" + (top_ / "log").string(),
                                                  "FAKE_PROBE_CHEAT=" + cheat};
    return {std::getenv("AWF_PROGRAM"), *folder, environment, {}, {}, agents::ProbeProofs(file_)};
  }
  std::expected<ProbeReport, Error> Prove(const std::string& cheat, seconds patience = seconds(60)) {
    IsolationProbe probe(Host(cheat), patience);
    return probe.Prove(request_);
  }
  bool Holds() const {
    const auto* provider = agents::FindCliProvider("github_copilot");
    return proofs_.Holds(agents::ProofKeyOf(*provider, top_ / "bin/copilot", "1.0.102", request_, {}));
  }
  std::size_t Starts() const { return FileLines(top_ / "log").size(); }

  const TestFolder top_{"/tmp"};
  const fs::path file_ = top_ / "state/probes.jsonl";
  const agents::ProbeProofs proofs_{file_};
  AgentRequest request_;
};

TEST_F(IsolationProbeTest, AnHonestCliIsProven) {
  const auto report = Prove("");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->reason, "");
  EXPECT_TRUE(report->proven);
  EXPECT_EQ(report->provider, "copilot");
  EXPECT_EQ(report->version, "1.0.102");
  EXPECT_EQ(report->offered, kOurs);
  EXPECT_EQ(report->foreign, std::vector<std::string>());
  EXPECT_TRUE(Holds());
}

struct Cheat {
  const char* name;
  const char* reason;
  std::vector<std::string> foreign{};
};

const std::vector<Cheat>& Cheats() {
  static const std::vector<Cheat> cheats = {
      {"offers_native", "the model was offered tools that are not awf's: bash", {"bash"}},
      {"offers_native_later", "the model was offered tools that are not awf's: bash", {"bash"}},
      {"renames_native", "the model was offered tools that are not awf's: awf-proxy-Shell", {"awf-proxy-Shell"}},
      {"offers_twice", "awf-proxy-Bash was offered twice in one request"},
      {"offers_less", "a request to the model left out awf-proxy-Grep"},
      {"offers_nothing", "no request to the model offered any tool"},
      {"side_request", "the model was offered tools that are not awf's: bash", {"bash"}},
      {"other_endpoint", "the model was offered tools that are not awf's: bash", {"bash"}},
      {"unreadable", "a request to the model could not be read"},
      {"runs", "a native tool ran: the call of bash, create, str_replace_editor, apply_patch had its effect"},
      {"runs_silently", "a native tool ran: the call of bash, create, str_replace_editor, apply_patch had its effect"},
      {"runs_and_denies",
       "a native tool ran: the call of bash, create, str_replace_editor, apply_patch had its effect"},
      {"answers_native", "the call of the native tool bash was not refused"},
      {"tells_native", "a native tool ran, by the CLI's own account: apply_patch, bash, create, str_replace_editor"},
      {"drops_native", "the call of the native tool bash was not refused"},
      {"fakes_bash", "Bash was called by the model, but not through the proxy"},
      {"fakes_read", "Read was called by the model, but not through the proxy"},
      {"makes_up_read", "what Read returned did not reach the model"},
      {"writes", "files of the workspace were changed: notes.txt"},
      {"disables_less",
       "the step of the probe lost its level: the CLI did not disable all tools that it is known to have"},
      {"asks_nobody", "the model was asked nothing"},
      {"stops_early", "the call of the native tool bash was not answered"},
      {"exits_early", "the step of the probe failed: copilot ended without its final event (exit code 0)"},
      {"fails", "the step of the probe failed: copilot: out of luck"},
      {"never_connects",
       "no request to the model offered any tool: copilot went on without ever having connected to its MCP server"},
  };
  return cheats;
}

class CheatingCliTest : public IsolationProbeTest, public testing::WithParamInterface<Cheat> {};

TEST_P(CheatingCliTest, IsNotProven) {
  const auto report = Prove(GetParam().name);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->proven);
  EXPECT_EQ(report->reason, GetParam().reason);
  EXPECT_EQ(report->foreign, GetParam().foreign);
  EXPECT_FALSE(Holds());
}

INSTANTIATE_TEST_SUITE_P(All, CheatingCliTest, testing::ValuesIn(Cheats()),
                         [](const auto& cheat) { return std::string(cheat.param.name); });

TEST_F(IsolationProbeTest, OneThatHangsIsEndedInTime) {
  ASSERT_TRUE(Prove(""));
  const auto report = Prove("hangs", seconds(3));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->proven);
  EXPECT_TRUE(report->reason.ends_with("copilot did not end in time")) << report->reason;
  EXPECT_FALSE(Holds());
}

TEST_F(IsolationProbeTest, AStepWithoutTimeLeftSaysNothing) {
  ASSERT_TRUE(Prove(""));
  request_.deadline = SteadyClock::now() + seconds(2);
  auto report = Prove("hangs");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "EXECUTION.AGENT.TIMEOUT");
  EXPECT_EQ(report.error().message, "the step ran into its timeout while the isolation of copilot was probed");
  EXPECT_TRUE(Holds());
  report = Prove("");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "EXECUTION.AGENT.TIMEOUT");
}

TEST_F(IsolationProbeTest, OneStepsTimeoutIsNoReportForAnother) {
  IsolationProbe probe(Host("hangs"), seconds(4));
  AgentRequest hasty = request_;
  hasty.deadline = SteadyClock::now() + seconds(2);
  std::jthread first([&] {
    const auto report = probe.Prove(hasty);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, "EXECUTION.AGENT.TIMEOUT");
  });
  while (Starts() < 1 && !Passed(hasty.deadline)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const auto report = probe.Prove(request_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->reason.ends_with("copilot did not end in time")) << report->reason;
}

TEST_F(IsolationProbeTest, WhoWaitsForAnothersProbeWaitsNoLongerThanItMay) {
  IsolationProbe probe(Host("hangs"));
  std::stop_source source;
  AgentRequest other = request_;
  other.cancelled = source.get_token();
  std::jthread first([&] { EXPECT_FALSE(probe.Prove(other)); });
  while (Starts() < 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  request_.deadline = SteadyClock::now() + seconds(1);
  const auto report = probe.Prove(request_);
  EXPECT_FALSE(source.stop_requested());
  source.request_stop();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "EXECUTION.AGENT.TIMEOUT");
  EXPECT_EQ(Starts(), 1U);
}

TEST_F(IsolationProbeTest, ACancelledProbeSaysNothing) {
  ASSERT_TRUE(Prove(""));
  std::stop_source source;
  request_.cancelled = source.get_token();
  std::jthread canceller([&] {
    while (Starts() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    source.request_stop();
  });
  const auto report = Prove("hangs");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "EXECUTION.RUN.CANCELLED");
  EXPECT_TRUE(Holds());
}

TEST_F(IsolationProbeTest, AFailedProbeTakesTheProofBack) {
  ASSERT_TRUE(Prove(""));
  EXPECT_TRUE(Holds());
  ASSERT_TRUE(Prove("offers_native"));
  EXPECT_FALSE(Holds());
}

TEST_F(IsolationProbeTest, ProbesOfOneKindShareOneRun) {
  IsolationProbe probe(Host(""));
  std::vector<std::jthread> steps;
  for (int i = 0; i < 4; ++i) {
    steps.emplace_back([&] {
      const auto report = probe.Prove(request_);
      EXPECT_TRUE(report && report->proven && report->offered == kOurs);
    });
  }
  steps.clear();
  // Who comes when the run is over starts another one.
  EXPECT_LT(Starts(), 4U);
}

TEST_F(IsolationProbeTest, WhatCannotBeDriven) {
  fs::remove(top_ / "bin/copilot");
  auto report = Prove("");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "EXECUTION.AGENT.NOT_INSTALLED");
  request_.provider = request_.provider_as_written = "openai_compatible";
  report = Prove("");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "USER.PROVIDER.UNKNOWN");
}

TEST_F(IsolationProbeTest, WithoutAPlaceForProofsTheReportIsAll) {
  agents::AgentHost host = Host("");
  host.proofs = {};
  IsolationProbe probe(std::move(host));
  const auto report = probe.Prove(request_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->proven);
  EXPECT_EQ(report->not_kept, "there is no place for proofs: neither XDG_STATE_HOME nor HOME is set");
}

TEST_F(IsolationProbeTest, AProofThatCannotBeKeptHoldsForTheRun) {
  fs::create_directories(file_);
  IsolationProbe probe(Host(""));
  auto report = probe.Prove(request_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->proven);
  EXPECT_EQ(report->not_kept, "cannot write " + file_.string() + ": Is a directory");
  report = probe.Prove(request_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->proven);
  EXPECT_EQ(report->not_kept, "") << "told once";
  EXPECT_EQ(Starts(), 1U);
}

TEST_F(IsolationProbeTest, AnotherEnvironmentNeedsAnotherProof) {
  ASSERT_TRUE(Prove(""));
  const auto holds = [&](const std::vector<std::string>& environment) {
    return proofs_.Holds(agents::ProofKeyOf(*agents::FindCliProvider("github_copilot"), top_ / "bin/copilot", "1.0.102",
                                            request_, environment));
  };
  EXPECT_TRUE(holds({"TERM=x", "COPILOT_GITHUB_TOKEN=t"}));
  EXPECT_FALSE(holds({"NODE_OPTIONS=--require /x.js"}));
  EXPECT_FALSE(holds({"COPILOT_ALLOW_ALL=1"}));
}

// Steps, with and without proofs.
class RequiredIsolationTest : public IsolationProbeTest {
 protected:
  StepResult Run(const std::string& cheat, bool with_prover = true) {
    agents::AgentHost host = Host(cheat);
    // One for all: where the model is reached is part of a proof.
    host.environment.push_back("COPILOT_PROVIDER_BASE_URL=" + (*model_)->base_url());
    IsolationProbe probe(host);
    if (with_prover) host.prover = &probe;
    agents::AgentRunner runner(std::move(host));
    StepResult result = runner.Run(request_, observer_);
    for (const auto& request : (*model_)->requests()) asked_ += json::serialize(request.body);
    return result;
  }
  static std::string Message(const StepResult& result) { return result.end.error ? result.end.error->message : ""; }
  static std::string Code(const StepResult& result) { return result.end.error ? result.end.error->code : ""; }

  // The model of the steps themselves: it has no script, and says so.
  const std::expected<std::unique_ptr<model_server::ModelServer>, Error> model_ = model_server::ModelServer::Start(
      model_server::MakeScriptedModel(model_server::WireFormat::kChatCompletions, {{"hello", {}}}));
  agents::TestObserver observer_;
  std::string asked_;
};

constexpr char kSentence[] = "Use only MCP tools, never built-in tools.";

TEST_F(RequiredIsolationTest, IsProbedForWhereNoProofIsThere) {
  request_.proxy->isolation_required = true;
  const StepResult result = Run("");
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.isolation, IsolationLevel::kProven);
  EXPECT_EQ(result.output, "hello");
  EXPECT_EQ(Starts(), 2U) << "the probe and the step";
  EXPECT_TRUE(observer_.Has(R"(log info probing isolation {"provider":"copilot","version":"1.0.102"})"))
      << observer_.All();
  EXPECT_TRUE(observer_.Has("isolation proven probed")) << observer_.All();
  EXPECT_EQ(asked_.find(kSentence), std::string::npos);
  EXPECT_EQ(observer_.Count("call "), 0) << "the probe's calls are not the step's";

  Run("");
  EXPECT_EQ(Starts(), 3U) << "the proof was kept";
  EXPECT_EQ(observer_.Count("log info probing isolation"), 1);
}

TEST_F(RequiredIsolationTest, FailsWithWhatWasOffered) {
  request_.proxy->isolation_required = true;
  const StepResult result = Run("offers_native");
  EXPECT_EQ(Code(result), "USER.MCP_PROXY.UNSUPPORTED_PROVIDER");
  EXPECT_EQ(Message(result),
            "isolation: required cannot be met by copilot 1.0.102: the model was offered tools that are not awf's: "
            "bash; offered: awf-proxy-Bash, awf-proxy-Edit, awf-proxy-Glob, awf-proxy-Grep, awf-proxy-Read, "
            "awf-proxy-Write, bash");
  EXPECT_EQ(result.end.error->field, "mcp_proxy.isolation");
  EXPECT_EQ(Starts(), 1U) << "the step itself was not started";
  EXPECT_EQ(asked_, "");
}

TEST_F(RequiredIsolationTest, RunsThoughTheProofCannotBeKept) {
  fs::create_directories(file_);
  request_.proxy->isolation_required = true;
  const StepResult result = Run("");
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.isolation, IsolationLevel::kProven);
  EXPECT_TRUE(observer_.Has(R"(log warn the outcome of the isolation probe could not be kept {"provider":"copilot",)"
                            R"("version":"1.0.102","reason":"cannot write )" +
                            file_.string() + R"(: Is a directory"})"))
      << observer_.All();
}

TEST_F(RequiredIsolationTest, WhoseTimeIsOverDuringTheProbeEndsWithATimeout) {
  request_.proxy->isolation_required = true;
  request_.deadline = SteadyClock::now() + seconds(2);
  const StepResult result = Run("hangs");
  EXPECT_EQ(Code(result), "EXECUTION.AGENT.TIMEOUT") << Message(result);
  EXPECT_EQ(result.end.status, StepStatus::kTimeout);
  EXPECT_LE(Starts(), 1U);
}

TEST_F(RequiredIsolationTest, WithoutAProverTheStepIsStoppedBelowProven) {
  request_.proxy->isolation_required = true;
  EXPECT_EQ(Code(Run("", false)), "USER.MCP_PROXY.UNSUPPORTED_PROVIDER");
}

TEST_F(RequiredIsolationTest, BestEffortDoesNotProbe) {
  const StepResult result = Run("");
  EXPECT_EQ(Message(result), "");
  EXPECT_EQ(result.end.isolation, IsolationLevel::kFlags);
  EXPECT_EQ(Starts(), 1U);
  EXPECT_NE(asked_.find(kSentence), std::string::npos);
}

TEST_F(RequiredIsolationTest, MoreArgumentsCountOnlyWithAProofOfThem) {
  request_.options["extra_args"] = json::array{"--more"};
  EXPECT_EQ(Run("").end.isolation, IsolationLevel::kCoexisting);
  EXPECT_TRUE(observer_.Has("isolation coexisting extra_args are not proven")) << observer_.All();
  request_.proxy->isolation_required = true;
  EXPECT_EQ(Run("").end.isolation, IsolationLevel::kProven);
  request_.options["extra_args"] = json::array{"--others"};
  request_.proxy->isolation_required = false;
  EXPECT_EQ(Run("").end.isolation, IsolationLevel::kCoexisting);
}

}  // namespace
}  // namespace awf::probe
