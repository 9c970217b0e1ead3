// Steps that go on with the conversation of another one, through the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "infrastructure/agents/test_chat_server.h"
#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;
using agents::StreamAnswer;
using agents::TestChatServer;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

constexpr milliseconds kPatience{60'000};

class ConversationTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.PutPrograms();
    world_.environment()["AWF_STORAGE"] = world_.Path("storage").string();
    world_.environment()["FAKE_CLAUDE_SCENARIO"] = world_.Path("scenario.json").string();
    world_.Write("scenario.json", R"({"sessions": true})");
  }

  // An agent step with a scenario of its own, if one is named.
  std::string Step(const std::string& name, const std::string& from, const std::string& more,
                   const std::string& scenario = {}) const {
    std::string text = "  " + name + ": {type: agent, provider: claude, prompt: " + name;
    if (!from.empty()) text += ", conversation: {continue_from: " + from + "}";
    if (!scenario.empty()) text += ", options: {env: {FAKE_CLAUDE_SCENARIO: " + world_.Path(scenario).string() + "}}";
    return text + (more.empty() ? "" : ", ") + more + "}\n";
  }
  void Workflow(const std::string& states, const std::string& message = {}) const {
    world_.Write("ws/talk.yaml", "name: talk\nstates:\n  initial: plan\n" + states +
                                     "  done: {type: terminal, message: '" + message + "'}\n");
  }
  int Awf(const std::string& arguments) const { return world_.Shell("awf " + arguments); }
  std::string Out() const { return world_.Read("stdout"); }
  std::string Errors() const { return world_.Read("stderr"); }
  bool HasState() const { return fs::exists(world_.RunFolder() / "state.json"); }

  World world_;
};

TEST_F(ConversationTest, StepsBranchesAndPassesGoOnFromWhereTheOtherOneEnded) {
  world_.Write("fails.json", R"({"sessions": true, "error_status": 500})");
  Workflow(
      Step("plan", "", "on_success: both") + "  both: {type: parallel, parallel: [one, two], on_success: worse}\n" +
          Step("one", "plan", "") + Step("two", "plan", "") +
          Step("worse", "one", "on_failure: better, on_success: done, retry: {max_attempts: 2, initial_delay: 1ms}",
               "fails.json") +
          Step("better", "one", "on_success: mend") + Step("mend", "worse", "on_success: tries") +
          "  tries: {type: for_each, items: [1, 2, 3], body: [pass], on_success: done}\n" + Step("pass", "pass", ""),
      "[{{.states.one.Output}}][{{.states.two.Output}}][{{.states.better.Output}}][{{.states.mend.Output}}]"
      "[{{.states.pass.Output}}]");
  ASSERT_EQ(Awf("run talk.yaml"), 0) << Errors();
  EXPECT_THAT(Out(), HasSubstr("[plan | one][plan | two][plan | one | better][plan | one | worse | mend]"
                               "[pass | pass | pass]"));
  EXPECT_FALSE(HasState());
  EXPECT_EQ(world_.PrivateFolders(), std::vector<std::string>{});
}

TEST_F(ConversationTest, AKilledRunLeavesNoPrivateFolderAndGoesOnWithTheSession) {
  world_.Write("hangs.json", R"({"sessions": true, "steps": [{"touch": ")" + world_.Path("ws/started").string() +
                                 R"("}, {"hang": true}]})");
  Workflow(Step("plan", "", "on_success: work") + Step("work", "plan", "on_success: done", "hangs.json"),
           "{{.states.work.Output}}");
  const pid_t awf = world_.StartAwf({"run", "talk.yaml"});
  ASSERT_TRUE(WaitFor(kPatience, [&] { return fs::exists(world_.Path("ws/started")); })) << Errors();
  // The step's, and that of the conversation.
  EXPECT_EQ(world_.PrivateFolders().size(), 2U);
  ::kill(awf, SIGKILL);
  std::string left;
  ASSERT_TRUE(WaitUntilNoChildIsLeft(kPatience, &left, nullptr)) << left;
  EXPECT_EQ(world_.PrivateFolders(), std::vector<std::string>{});
  world_.Write("hangs.json", R"({"sessions": true})");
  ASSERT_EQ(Awf("resume"), 0) << Errors();
  EXPECT_THAT(Out(), HasSubstr("plan | work"));
  EXPECT_FALSE(HasState());
}

TEST_F(ConversationTest, ASessionThatIsGoneFailsTheStepInsteadOfBeginningAnew) {
  Workflow(Step("plan", "", "on_success: clear") +
           "  clear: {type: step, command: rm -r ~/sessions, on_success: work}\n" +
           Step("work", "plan", "on_success: done, retry: {max_attempts: 5, initial_delay: 1h}"));
  EXPECT_EQ(Awf("run talk.yaml"), 3);
  EXPECT_THAT(Errors(), HasSubstr("EXECUTION.AGENT.SESSION_LOST"));
  EXPECT_THAT(Errors(), HasSubstr("claude no longer has the session"));
}

TEST_F(ConversationTest, AnotherFolderLosesTheSessionAndSaysSo) {
  world_.Write("ws/sub/file", "");
  Workflow(Step("plan", "", "on_success: work") + Step("work", "plan", "dir: sub, on_success: done"));
  EXPECT_EQ(Awf("run talk.yaml"), 3);
  EXPECT_THAT(Errors(), HasSubstr("EXECUTION.AGENT.SESSION_LOST"));
  EXPECT_THAT(Errors(), HasSubstr("claude finds its sessions in the same folder only"));
}

TEST_F(ConversationTest, ADryRunShowsThePlaceholderAndAStateAloneHasNothingToGoOnWith) {
  Workflow(Step("plan", "", "on_success: work") + Step("work", "plan", "on_success: done"));
  ASSERT_EQ(Awf("run talk.yaml --dry-run"), 0) << Errors();
  EXPECT_THAT(Out(), HasSubstr("goes on from plan"));
  EXPECT_THAT(Out(), HasSubstr("--resume '<session of plan>' --fork-session"));
  world_.environment()["FAKE_CLAUDE_RECORD"] = world_.Path("record.json").string();
  EXPECT_EQ(Awf("run talk.yaml --step work --mock states.plan.Output=x"), 3);
  EXPECT_THAT(Errors(), HasSubstr("state 'work' runs alone"));
  EXPECT_THAT(Errors(), HasSubstr("awf resume RUN --from work"));
  EXPECT_FALSE(fs::exists(world_.Path("record.json")));
  EXPECT_EQ(Awf("run talk.yaml --step plan"), 0) << Errors();
}

TEST_F(ConversationTest, MessagesOfAnHttpModelOutliveTheProcess) {
  const auto says = [](const std::string& text) {
    return StreamAnswer(
        {R"(data: {"choices":[{"index":0,"delta":{"content":")" + text + "\"}}]}\n\n", "data: [DONE]\n\n"});
  };
  const TestChatServer server({says("the plan"), says(""), says("the work")});
  world_.environment()["OPENAI_BASE_URL"] = server.base_url();
  world_.environment()["OPENAI_MODEL"] = "m";
  world_.Write("ws/talk.yaml", R"(
name: talk
states:
  initial: plan
  plan: {type: agent, provider: openai_compatible, prompt: make a plan, options: {stream: true}, on_success: work}
  work:
    type: agent
    provider: openai_compatible
    prompt: now work
    options: {stream: true}
    output_format: json
    conversation: {continue_from: plan}
    on_success: done
  done: {type: terminal}
)");
  EXPECT_EQ(Awf("run talk.yaml"), 3);
  EXPECT_TRUE(HasState());
  Awf("resume");
  ASSERT_EQ(server.Requests().size(), 3U);
  for (const std::size_t request : {1U, 2U}) {
    EXPECT_THAT(
        server.Requests()[request],
        HasSubstr(R"("messages":[{"role":"user","content":"make a plan"},{"role":"assistant","content":"the plan"},)"
                  R"({"role":"user","content":"now work"}])"));
  }
  EXPECT_THAT(server.Requests()[0], Not(HasSubstr("assistant")));
}

}  // namespace
}  // namespace awf::e2e
