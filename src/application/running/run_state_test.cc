#include "application/running/run_state.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

json::object Status(const char* status) { return {{"Status", status}, {"Output", "out"}}; }
json::object Done(const std::string& path, const std::string& next = "", const char* status = "success") {
  return EndedRecord(path, path.substr(path.rfind('/') + 1), Status(status), {}, next);
}
json::object Entered(const std::string& path) { return EnteredRecord(path, path.substr(path.rfind('/') + 1)); }

RunState Replay(const std::vector<json::object>& records) {
  RunState state;
  for (const json::object& record : records) {
    const auto applied = state.Apply(record);
    EXPECT_TRUE(applied) << applied.error() << ": " << json::serialize(record);
  }
  return state;
}

std::string Refusal(RunState state, const json::object& record) {
  const auto applied = state.Apply(record);
  return applied ? "accepted" : applied.error();
}

TEST(RunState, FollowsTheTopLevel) {
  RunState state = Replay({BegunRecord({{"who", "Ann"}}), Entered("a")});
  EXPECT_EQ(state.inputs, (json::object{{"who", "Ann"}}));
  EXPECT_EQ(state.cursor, "a");
  ASSERT_TRUE(state.Apply(EndedRecord("a", "a", Status("success"), {{"text", "t"}}, "b")));
  EXPECT_EQ(state.cursor, "b");
  EXPECT_EQ(state.captures, (json::object{{"text", "t"}}));
  EXPECT_EQ(*state.results.at("a"), Status("success"));
  ASSERT_TRUE(state.Apply(Entered("b")));
  ASSERT_TRUE(state.Apply(Done("b", "", "failure")));
  EXPECT_EQ(state.cursor, "b");
  EXPECT_EQ(state.trail, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(state.order, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(state.entered, 2);
}

TEST(RunState, AFailureTerminalLeavesTheCursorAtTheLastWorkingState) {
  const RunState state = Replay({BegunRecord({}), Entered("a"), Done("a", "bad", "failure"),
                                 EnteredRecord("bad", "bad", false), Done("bad", "", "failure")});
  EXPECT_EQ(state.cursor, "a");
  EXPECT_FALSE(state.results.contains("bad"));
}

TEST(RunState, ASuccessTerminalKeepsTheCursor) {
  const RunState state =
      Replay({BegunRecord({}), Entered("a"), Done("a", "done"), EnteredRecord("done", "done", false), Done("done")});
  EXPECT_EQ(state.cursor, "done");
  EXPECT_FALSE(state.results.contains("done"));
}

TEST(RunState, KeepsTheProgressOfNestedLoopsAndBranches) {
  const std::vector<json::object> records = {BegunRecord({}),
                                             Entered("outer"),
                                             LoopBegunRecord("outer", {1, 2}),
                                             Entered("outer:0/par"),
                                             ParallelBegunRecord("outer:0/par"),
                                             Entered("outer:0/par/lint"),
                                             Entered("outer:0/par/inner"),
                                             LoopBegunRecord("outer:0/par/inner", {"x", "y"}),
                                             Done("outer:0/par/lint"),
                                             Entered("outer:0/par/inner:0/fix"),
                                             Done("outer:0/par/inner:0/fix", "inner"),
                                             PassEndedRecord("outer:0/par/inner", 0, "out", false),
                                             Entered("outer:0/par/inner:1/fix")};
  RunState state = Replay(records);
  const LoopProgress& inner = state.loops.at("outer:0/par/inner");
  EXPECT_EQ(inner.items, (json::array{"x", "y"}));
  EXPECT_EQ(inner.pass, 1U);
  EXPECT_EQ(inner.cursor, "fix");
  EXPECT_EQ(inner.results, (json::array{"out"}));
  EXPECT_EQ(state.parallels.at("outer:0/par").succeeded, (std::vector<std::string>{"lint"}));
  EXPECT_EQ(state.loops.at("outer").cursor, "par");
  // From text and back, as the journal keeps them.
  RunState read;
  for (const json::object& record : records) {
    ASSERT_TRUE(read.Apply(json::parse(json::serialize(record)).get_object()));
  }
  EXPECT_EQ(read.loops.at("outer:0/par/inner").pass, 1U);

  for (const json::object& record : {Done("outer:0/par/inner:1/fix", "inner"),
                                     PassEndedRecord("outer:0/par/inner", 1, "out", true), Done("outer:0/par/inner")}) {
    ASSERT_TRUE(state.Apply(record));
  }
  EXPECT_FALSE(state.loops.contains("outer:0/par/inner"));
  ASSERT_TRUE(state.Apply(Done("outer:0/par", "outer")));
  EXPECT_TRUE(state.parallels.empty());
  EXPECT_EQ(state.loops.at("outer").cursor, "outer");
  EXPECT_EQ(state.loops.at("outer").last, "par");
}

TEST(RunState, ProgressOutlivesAFailureUntilAnotherStateIsEntered) {
  const std::vector<json::object> failed = {BegunRecord({}), Entered("loop"), LoopBegunRecord("loop", {1}),
                                            Entered("loop:0/a"), Done("loop:0/a", "", "failure")};
  RunState state = Replay(failed);
  ASSERT_TRUE(state.Apply(Done("loop", "", "failure")));
  EXPECT_EQ(state.loops.at("loop").cursor, "a");
  EXPECT_EQ(state.cursor, "loop");

  state = Replay(failed);
  ASSERT_TRUE(state.Apply(Done("loop", "bad", "failure")));
  ASSERT_TRUE(state.Apply(EnteredRecord("bad", "bad", false)));
  EXPECT_TRUE(state.loops.contains("loop"));

  state = Replay(failed);
  ASSERT_TRUE(state.Apply(Done("loop", "fix", "failure")));
  ASSERT_TRUE(state.Apply(Entered("fix")));
  EXPECT_TRUE(state.loops.empty());

  state = Replay(failed);
  ASSERT_TRUE(state.Apply(Done("loop", "loop", "failure")));
  EXPECT_TRUE(state.loops.empty());
}

TEST(RunState, AnotherAttemptBeginsAnew) {
  RunState state = Replay({BegunRecord({}), Entered("loop"), LoopBegunRecord("loop", {1}), Entered("loop:0/a"),
                           Done("loop:0/a", "loop"), PassEndedRecord("loop", 0, 1, true)});
  EXPECT_TRUE(state.loops.at("loop").over);
  ASSERT_TRUE(state.Apply(LoopBegunRecord("loop", {2})));
  EXPECT_EQ(state.loops.at("loop").pass, 0U);
  EXPECT_TRUE(state.loops.at("loop").results.empty());
  EXPECT_FALSE(state.loops.at("loop").over);
}

TEST(RunState, ABranchThatWasNeverEnteredMayEndAsCancelled) {
  RunState state =
      Replay({BegunRecord({}), Entered("par"), ParallelBegunRecord("par"), Done("par/b", "", "cancelled")});
  EXPECT_EQ(*state.results.at("b"), Status("cancelled"));
  EXPECT_TRUE(state.parallels.at("par").succeeded.empty());
  EXPECT_EQ(Refusal(state, Done("par/c")), "state 'par/c' does not run");
}

TEST(RunState, RefusesRecordsThatDoNotBelong) {
  EXPECT_EQ(Refusal({}, Entered("a")), "the run has not begun");
  RunState state = Replay({BegunRecord({}), Entered("a")});
  EXPECT_EQ(Refusal(state, BegunRecord({})), "the run had begun before");
  EXPECT_EQ(Refusal(state, {{"type", "odd"}}), "there is no record of type 'odd'");
  EXPECT_EQ(Refusal(state, {{"path", "a"}}), "there is no record of type ''");
  EXPECT_EQ(Refusal(state, {{"type", "entered"}, {"path", 3}}), "it lacks a proper 'path'");
  EXPECT_EQ(Refusal(state, {{"type", "pass_ended"}, {"path", "a"}, {"pass", -1}}), "it lacks a proper 'pass'");
  EXPECT_EQ(Refusal(state, Entered("a")), "state 'a' runs already");
  EXPECT_EQ(Refusal(state, Entered("b")), "state 'a' has not ended");
  EXPECT_EQ(Refusal(state, EnteredRecord("a:0/b", "c")), "'a:0/b' is no path of state 'c'");
  EXPECT_EQ(Refusal(state, Entered("x:0/b")), "state 'x' does not run");
  EXPECT_EQ(Refusal(state, Entered("a:0/b")), "loop 'a' is not in pass 0");
  EXPECT_EQ(Refusal(state, Entered("a/b")), "parallel state 'a' has not begun");
  EXPECT_EQ(Refusal(state, Done("b")), "state 'b' does not run");
  EXPECT_EQ(Refusal(state, LoopBegunRecord("b", {})), "state 'b' does not run");
  ASSERT_TRUE(state.Apply(LoopBegunRecord("a", {1, 2})));
  ASSERT_TRUE(state.Apply(Entered("a:0/b")));
  EXPECT_EQ(Refusal(state, Done("a")), "a state within state 'a' has not ended");
  EXPECT_EQ(Refusal(state, PassEndedRecord("a", 0, 1, false)), "a state of that pass has not ended");
  EXPECT_EQ(Refusal(state, PassEndedRecord("a", 1, 1, false)), "loop 'a' is not in pass 1");
  EXPECT_EQ(Refusal(state, Entered("a:1/b")), "loop 'a' is not in pass 1");
  ASSERT_TRUE(state.Apply(Done("a:0/b", "c")));
  EXPECT_EQ(Refusal(state, Entered("a:0/b")), "state 'c' comes next, not 'a:0/b'");
  ASSERT_TRUE(state.Apply(PassEndedRecord("a", 0, 1, false)));
  ASSERT_TRUE(state.Apply(Done("a", "z")));
  EXPECT_EQ(Refusal(state, Entered("b")), "state 'z' comes next, not 'b'");
}

TEST(RunState, ARefusedRecordChangesNothing) {
  RunState state = Replay({BegunRecord({{"a", 1}}), Entered("a")});
  EXPECT_FALSE(state.Apply(Entered("b")));
  EXPECT_EQ(state.cursor, "a");
  EXPECT_EQ(state.entered, 1);
  EXPECT_EQ(state.open.size(), 1U);
}

// PrepareResume

class PrepareResumeTest : public testing::Test {
 protected:
  PrepareResumeTest() {
    workflow_.initial = {"first", {}};
    Add("first", CommandState(), "loop");
    ForEachState loop;
    loop.body = {{"body", {}}};
    Add("loop", loop, "last");
    Add("body", CommandState(), "");
    Add("last", CommandState(), "done");
    Add("island", CommandState(), "done");
    Add("done", TerminalState(), "");
  }
  void Add(const char* name, StateBody body, const char* next) {
    State state;
    state.name = name;
    state.body = std::move(body);
    if (*next != '\0') state.on_success = StateTarget{next, {}};
    workflow_.states.push_back(std::move(state));
  }
  static RunState InLoop() {
    return Replay({BegunRecord({}), Entered("first"), Done("first", "loop"), Entered("loop"),
                   LoopBegunRecord("loop", {1, 2}), Entered("loop:0/body"), Done("loop:0/body", "loop"),
                   PassEndedRecord("loop", 0, 1, false), Entered("loop:1/body")});
  }
  std::string From(const std::string& from, RunState run) {
    const auto prepared = PrepareResume(std::move(run), workflow_, from);
    if (!prepared) return prepared.error().code + ": " + prepared.error().message + " | " + prepared.error().hint;
    std::string text = prepared->cursor + (prepared->loops.empty() ? "" : " continued");
    // The journal says the same.
    RunState replayed = InLoop();
    EXPECT_TRUE(replayed.Apply(ResumedRecord(*prepared)));
    EXPECT_EQ(replayed.cursor, prepared->cursor);
    EXPECT_EQ(replayed.trail, prepared->trail);
    EXPECT_EQ(replayed.loops.size(), prepared->loops.size());
    EXPECT_TRUE(replayed.open.empty());
    for (const std::string& state : prepared->trail) text += " <" + state;
    return text;
  }
  Workflow workflow_;
};

TEST_F(PrepareResumeTest, CurrentContinuesTheOthersStartAnew) {
  EXPECT_EQ(From("", InLoop()), "loop continued <first");
  EXPECT_EQ(From("current", InLoop()), "loop continued <first");
  EXPECT_EQ(From("loop", InLoop()), "loop <first");
  EXPECT_EQ(From("previous", InLoop()), "first");
  EXPECT_EQ(From("first", InLoop()), "first");
  EXPECT_EQ(From("last", InLoop()), "last <first <loop");
}

TEST_F(PrepareResumeTest, BetweenTwoStatesThePreviousIsTheOneThatEnded) {
  RunState run = Replay({BegunRecord({}), Entered("first"), Done("first", "loop")});
  EXPECT_EQ(PrepareResume(run, workflow_, "")->cursor, "loop");
  EXPECT_EQ(PrepareResume(run, workflow_, "previous")->cursor, "first");
}

TEST_F(PrepareResumeTest, RefusesWhatIsNoPlaceToGoOnFrom) {
  EXPECT_EQ(From("frist", InLoop()),
            "USER.INPUT.INVALID_FORMAT: the workflow has no state 'frist' to resume from | did you mean 'first'?");
  EXPECT_EQ(From("body", InLoop()),
            "USER.INPUT.INVALID_FORMAT: the run cannot resume from state 'body': it belongs to a loop or a parallel "
            "state | resume from the state that holds it");
  EXPECT_EQ(From("island", InLoop()),
            "USER.INPUT.INVALID_FORMAT: the run cannot resume from state 'island': it never entered it and cannot "
            "reach it | resume from a state that the run can reach");
  EXPECT_EQ(From("previous", Replay({BegunRecord({}), Entered("first")})),
            "USER.INPUT.INVALID_FORMAT: the run has no state before the one it stands at | resume with --from current");
}

TEST_F(PrepareResumeTest, AReloadedWorkflowMustStillHaveWhatTheRunStandsIn) {
  const std::string hint = " | resume from another state with --from, or without --reload";
  State loop = workflow_.states[1];
  workflow_.states[1].body = CommandState();
  EXPECT_EQ(From("", InLoop()),
            "USER.RUN.NOT_RESUMABLE: the run stands in state 'loop', which is no loop any more" + hint);
  workflow_.states.erase(workflow_.states.begin() + 1);
  EXPECT_EQ(From("", InLoop()),
            "USER.RUN.NOT_RESUMABLE: the run stands in state 'loop', which the workflow no longer has" + hint);
  EXPECT_EQ(From("first", InLoop()), "first");
  workflow_.states.erase(workflow_.states.begin() + 1);
  workflow_.states.push_back(loop);
  EXPECT_EQ(From("", InLoop()),
            "USER.RUN.NOT_RESUMABLE: the run stands in state 'body', which the workflow no longer has" + hint);
}

}  // namespace
}  // namespace awf
