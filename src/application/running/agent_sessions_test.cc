// Steps that go on with the conversation of another one, through whole runs.
#include "application/running/agent_sessions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "application/running/run_fixture_for_tests.h"
#include "application/running/session_record.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLost = "EXECUTION.AGENT.SESSION_LOST";

class SessionsTest : public RunFixture {
 protected:
  State& Continue(State& state, const std::string& source) {
    BodyOf(state).continue_from = StateTarget{source, {"f.yaml", 7, 3}};
    return state;
  }

  StepResult WithSession(const std::string& id, const std::string& provider = "claude") const {
    StepResult result = Success("done");
    AgentSession session;
    session.provider = provider;
    session.id = id;
    session.working_dir = folder_;
    result.session = std::make_shared<const AgentSession>(session);
    return result;
  }

  // "conversation>session" of each request.
  std::string Asked() const {
    std::string asked;
    for (const AgentRequest& request : agents_.requests) {
      asked += request.conversation + ">" + (request.continued ? request.continued->id : "-") + " ";
    }
    return asked;
  }

  RunState Replayed() const {
    RunState state;
    for (const json::object& record : journal_.records) EXPECT_TRUE(state.Apply(record)) << json::serialize(record);
    return state;
  }
};

TEST_F(SessionsTest, AStepGoesOnWithTheSessionOfTheStateThatItNames) {
  Agent("plan", "hi", "alone");
  Agent("alone", "hi", "work");
  Continue(Agent("work", "hi", "check"), "plan");
  Continue(Agent("check", "hi", "done"), "work");
  Terminal("done");
  agents_.results = {WithSession("s1"), WithSession("x"), WithSession("s2"), WithSession("s3")};
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(Asked(), "plan>- >- plan>s1 plan>s2 ");
}

TEST_F(SessionsTest, EveryAttemptStartsFromTheSameSession) {
  Agent("plan", "hi", "work");
  Continue(Agent("work", "hi", "done"), "plan").retry.max_attempts = 3;
  Terminal("done");
  StepResult failed = WithSession("half");
  failed.end = Failure("EXECUTION.AGENT.FAILED", 1).end;
  agents_.results = {WithSession("s1"), failed, failed, WithSession("s2")};
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(Asked(), "plan>- plan>s1 plan>s1 plan>s1 ");
}

TEST_F(SessionsTest, AFailedStepThatLeftASessionCanBeGoneOnWith) {
  State& ask = Agent("ask", "hi", "done");
  BodyOf(ask).output_format = AgentOutputFormat::kJson;
  ask.on_failure = To("mend");
  Continue(Agent("mend", "JSON only", "done"), "ask");
  Terminal("done");
  agents_.results = {WithSession("s1"), WithSession("s2")};
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(Asked(), "ask>- ask>s1 ");
}

TEST_F(SessionsTest, WithoutASessionTheStepFailsAndNothingStarts) {
  Agent("plan", "hi", "work");
  State& work = Continue(Agent("work", "hi", "done"), "plan");
  work.retry.max_attempts = 3;
  work.on_failure = To("sorry");
  Command("sorry", "echo {{.states.work.ErrorCode}}", "done");
  Terminal("done");
  agents_.results = {Success("no session")};
  const RunResult result = Run();
  EXPECT_EQ(result.end.status, "completed");
  EXPECT_EQ(agents_.requests.size(), 1U);
  EXPECT_EQ(commands_.Commands(), std::vector<std::string>{"echo EXECUTION.AGENT.SESSION_LOST"});
  const Error& error = *events_.EndOf("work").error;
  EXPECT_EQ(error.message, "state 'work' goes on with the conversation of 'plan', which has left no session");
  EXPECT_EQ(error.hint, "run 'plan' again");
  EXPECT_EQ(error.position.line, 7U);
  EXPECT_EQ(error.field, "conversation.continue_from");
  EXPECT_EQ(Field(result, "work", "Attempts"), "1");
}

TEST_F(SessionsTest, TheErrorTellsOfAStateThatFailedOrHasNotRun) {
  Agent("plan", "hi", "work").continue_on_error = true;
  Continue(Agent("work", "hi", "done"), "plan");
  Terminal("done");
  agents_.results = {Failure("EXECUTION.AGENT.AUTH", 1)};
  EXPECT_EQ(Run().end.error->message,
            "state 'work' goes on with the conversation of 'plan', which has left no session; it failed: "
            "EXECUTION.AGENT.AUTH");
  workflow_.initial = To("work");
  const Error error = *Run().end.error;
  EXPECT_EQ(error.code, kLost);
  EXPECT_EQ(error.message, "state 'work' goes on with the conversation of 'plan', which has not run");
}

TEST_F(SessionsTest, AnotherProviderOrFolderLosesTheSession) {
  Agent("plan", "hi", "work");
  State& work = Continue(Agent("work", "hi", "done"), "plan");
  Terminal("done");
  work.dir = Text("sub");
  fs::create_directory(folder_ / "sub");
  agents_.results = {WithSession("s1")};
  Error error = *Run().end.error;
  EXPECT_EQ(error.code, kLost);
  EXPECT_EQ(error.message, "'plan' ran in " + folder_.string() + ", 'work' runs in " + (folder_ / "sub").string() +
                               ": claude finds its sessions in the same folder only");

  work.dir = {};
  StepResult other = WithSession("s1");
  AgentSession session = *other.session;
  session.provider = "gemini";
  other.session = std::make_shared<const AgentSession>(session);
  agents_.results = {other};
  error = *Run().end.error;
  EXPECT_EQ(error.code, kLost);
  EXPECT_EQ(error.message, "'plan' ran with gemini, 'work' runs with claude: it cannot go on with that conversation");
  EXPECT_EQ(error.hint, "give both steps the same provider and the same dir");
}

TEST_F(SessionsTest, AFolderByAnotherNameIsTheSameAndMessagesAreGoodAnywhere) {
  fs::create_directory(folder_ / "real");
  fs::create_directory_symlink("real", folder_ / "link");
  Agent("plan", "hi", "work").dir = Text("real");
  Continue(Agent("work", "hi", "elsewhere"), "plan").dir = Text("link");
  Continue(Agent("elsewhere", "hi", "done"), "work").dir = Text(".");
  Terminal("done");
  StepResult first = WithSession("s1"), second = WithSession("");
  AgentSession session = *first.session;
  session.working_dir = folder_ / "real";
  first.session = std::make_shared<const AgentSession>(session);
  session.id.clear();
  session.messages = json::array{json::object{{"role", "user"}, {"content", "bad \xFF byte"}}};
  second.session = std::make_shared<const AgentSession>(session);
  agents_.results = {first, second};
  EXPECT_EQ(Run().end.status, "completed");
  ASSERT_EQ(agents_.requests.size(), 3U);
  EXPECT_EQ(json::serialize(agents_.requests[2].continued->messages), R"([{"role":"user","content":"bad )"
                                                                      "\xEF\xBF\xBD"
                                                                      R"( byte"}])");
}

TEST_F(SessionsTest, AStepThatGoesOnFromItselfBeginsInTheFirstPass) {
  Loop("tries", json::array{1, 2, 3}, {"work"}, "done");
  Continue(Agent("work", "hi"), "work");
  Terminal("done");
  agents_.results = {WithSession("s1"), WithSession("s2"), WithSession("s3")};
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(Asked(), "work>- work>s1 work>s2 ");
}

TEST_F(SessionsTest, APassThatFailedBeforeItHadASessionIsGoneOnFromAgain) {
  Loop("tries", json::array{1, 2, 3}, {"work"}, "done");
  Continue(Agent("work", "hi"), "work").continue_on_error = true;
  Terminal("done");
  const StepResult failed = Failure("EXECUTION.AGENT.FAILED", 1);
  agents_.results = {failed, WithSession("s1"), failed};
  Run();
  agents_.results = {WithSession("s1"), failed, WithSession("s3")};
  Run();
  EXPECT_EQ(Asked(), "work>- work>- work>s1 work>- work>s1 work>s1 ");
}

TEST_F(SessionsTest, APassThatSucceededWithoutASessionIsLost) {
  Loop("tries", json::array{1, 2}, {"work"}, "done");
  Continue(Agent("work", "hi"), "work");
  Terminal("done");
  EXPECT_EQ(Run().end.error->code, kLost);
}

TEST_F(SessionsTest, ALaterEndWithoutASessionReplacesTheEarlierOne) {
  Loop("tries", json::array{1, 2}, {"plan", "work"}, "done");
  Agent("plan", "hi");
  Continue(Agent("work", "hi"), "plan");
  Terminal("done");
  agents_.results = {WithSession("s1"), WithSession("s2"), Success("no session")};
  const RunResult result = Run();
  EXPECT_EQ(result.end.error->code, kLost);
  EXPECT_EQ(Asked(), "plan>- plan>s1 plan>- ");
}

TEST_F(SessionsTest, AResumedRunFindsTheSessionsInItsJournal) {
  Agent("plan", "hi", "work");
  Continue(Agent("work", "hi", "done"), "plan");
  Terminal("done");
  StepResult first = WithSession("s1");
  AgentSession session = *first.session;
  session.usage = {
      .input = 5, .output = 6, .total = 11, .estimated = false, .cost_usd = {}, .cached = 2, .reasoning = 3};
  session.folder = "c-1";
  session.messages = json::array{"m"};
  first.session = std::make_shared<const AgentSession>(session);
  agents_.results = {first, Failure("EXECUTION.AGENT.FAILED", 1)};
  EXPECT_EQ(Run().end.status, "failed");
  for (const char* from : {"", "work"}) {
    request_.resume = *PrepareResume(Replayed(), workflow_, from);
    agents_.requests.clear();
    agents_.results = {Failure("EXECUTION.AGENT.FAILED", 1)};
    Run();
    ASSERT_EQ(Asked(), "plan>s1 ") << from;
    const AgentSession& found = *agents_.requests[0].continued;
    EXPECT_EQ(json::serialize(ToJson(found)), json::serialize(ToJson(session)));
    EXPECT_EQ(found.working_dir, session.working_dir);
  }
}

TEST_F(SessionsTest, ADamagedSessionIsNoRecord) {
  Agent("plan", "hi", "done");
  Terminal("done");
  agents_.results = {WithSession("s1")};
  Run();
  for (const char* damage : {R"({"provider":"claude"})", R"({"id":"s1"})", "[]", "3"}) {
    RunState state;
    bool refused = false;
    for (json::object record : journal_.records) {
      if (record.contains("session")) record["session"] = json::parse(damage);
      refused = refused || !state.Apply(record);
    }
    EXPECT_TRUE(refused) << damage;
  }
}

TEST_F(SessionsTest, AStateThatRunsAloneHasNothingToGoOnWith) {
  Agent("plan", "hi", "work");
  Continue(Agent("work", "hi", "done"), "plan");
  Terminal("done");
  request_.only_state = "work";
  request_.mocks["plan"] = std::make_shared<const json::object>(json::object{{"Output", "x"}, {"Status", "success"}});
  const RunResult result = Run();
  EXPECT_EQ(result.end.error->code, kLost);
  EXPECT_EQ(result.end.error->message,
            "state 'work' runs alone, without the conversation of 'plan' that it goes on with");
  EXPECT_EQ(result.end.error->hint, "run the whole workflow, or take a run up from here: awf resume RUN --from work");
  EXPECT_TRUE(agents_.requests.empty());
}

TEST_F(SessionsTest, BranchesGoOnFromOneSessionAtTheSameTime) {
  Agent("plan", "hi", "both");
  Parallel("both", {"one", "two"}, "done", ParallelStrategy::kAllSucceed, 1);
  Continue(Agent("one", "hi"), "plan");
  Continue(Agent("two", "hi"), "plan");
  Terminal("done");
  agents_.results = {WithSession("s1"), WithSession("s2"), WithSession("s3")};
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(Asked(), "plan>- plan>s1 plan>s1 ");
}

// Whose provider is a template is not known to `awf validate`.
class BranchesTest : public SessionsTest {
 protected:
  // Runs two branches that go on from `plan`; each stays until the other runs too, or has ended.
  RunResult RunBoth(const std::string& provider) {
    request_.inputs = {{"provider", provider}};
    Agent("plan", "hi", "both");
    Parallel("both", {"one", "two"}, "done", ParallelStrategy::kBestEffort);
    for (const char* name : {"one", "two"}) {
      State& branch = Continue(Agent(name, "hi"), "plan");
      branch.retry.max_attempts = 2;
    }
    for (const char* name : {"plan", "one", "two"})
      BodyOf(*std::ranges::find(workflow_.states, name, &State::name)).provider = Text("{{.inputs.provider}}");
    Terminal("done");
    agents_.results = {WithSession("s1", provider)};
    agents_.result = WithSession("s2", provider);
    const auto one_more = [this](const std::string& step) {
      if (step == "plan") return;
      const std::lock_guard lock(mutex_);
      ++arrived_;
      changed_.notify_all();
    };
    events_.on_ended = [one_more](const StepContext& step) { one_more(step.step); };
    agents_.on_run = [this, one_more](const AgentRequest& request) {
      one_more(request.step.step);
      std::unique_lock lock(mutex_);
      if (request.step.step != "plan") changed_.wait(lock, [this] { return arrived_ >= 2; });
    };
    return Run();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
};

TEST_F(BranchesTest, OneSessionIsNotGoneOnWithTwiceAtTheSameTime) {
  EXPECT_EQ(RunBoth("codex").end.status, "completed");
  EXPECT_EQ(Asked(), "plan>- plan>s1 ");
  const std::string winner = agents_.requests[1].step.step;
  const std::string loser = winner == "one" ? "two" : "one";
  const StepEnd& end = events_.EndOf("both/" + loser);
  ASSERT_TRUE(end.error);
  EXPECT_EQ(end.error->code, kLost);
  EXPECT_EQ(end.error->message, "'" + winner + "' runs at the same time as '" + loser +
                                    "' and goes on with the same conversation, of which codex keeps one only");
  EXPECT_EQ(end.error->field, "conversation.continue_from");
  EXPECT_EQ(end.attempts, 1);
  EXPECT_EQ(events_.EndOf("both/" + winner).status, StepStatus::kSuccess);
}

TEST_F(BranchesTest, CopiesOfASessionAreGoneOnWithAtTheSameTime) {
  EXPECT_EQ(RunBoth("claude").end.status, "completed");
  EXPECT_EQ(Asked(), "plan>- plan>s1 plan>s1 ");
}

TEST_F(SessionsTest, ASessionIsFreeAgainWhenItsStepHasEnded) {
  Agent("plan", "hi", "both");
  Parallel("both", {"one", "two"}, "done", ParallelStrategy::kAllSucceed, 1);
  Continue(Agent("one", "hi"), "plan").retry.max_attempts = 2;
  Continue(Agent("two", "hi"), "plan");
  for (const char* name : {"plan", "one", "two"})
    BodyOf(*std::ranges::find(workflow_.states, name, &State::name)).provider = Text("codex");
  Terminal("done");
  agents_.results = {WithSession("s1", "codex"), Failure("EXECUTION.AGENT.FAILED", 1)};
  agents_.result = WithSession("s1", "codex");
  EXPECT_EQ(Run().end.status, "completed");
  EXPECT_EQ(Asked(), "plan>- plan>s1 plan>s1 plan>s1 ");
}

}  // namespace
}  // namespace awf
