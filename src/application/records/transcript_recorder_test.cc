#include "application/records/transcript_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "domain/test_time.h"

namespace awf {
namespace {

using testing::ElementsAre;

// "TYPE PATH#ATTEMPT @TIME PAYLOAD"
struct FakeTranscript : TranscriptSink {
  bool Write(const TranscriptRecord& r) override {
    const std::lock_guard lock(mutex);
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(r.time.time_since_epoch()).count();
    lines.push_back(r.type + " " + r.path + "#" + std::to_string(r.attempt) + " @" + std::to_string(ms) + " " +
                    json::serialize(r.payload));
    return !fails;
  }
  std::string Name() const override { return "transcript.jsonl"; }
  std::mutex mutex;
  std::vector<std::string> lines;
  bool fails = false;
};

MessageBlock Block(std::string type, std::string text, std::string name = {}, std::string id = {}) {
  MessageBlock block;
  block.type = std::move(type);
  block.text = std::move(text);
  block.name = std::move(name);
  block.call_id = std::move(id);
  return block;
}

TokenUsage Tokens(std::int64_t input, std::int64_t output, std::optional<double> cost = {}) {
  TokenUsage usage;
  usage.input = input;
  usage.output = output;
  usage.cost_usd = cost;
  return usage;
}

class TranscriptRecorderTest : public testing::Test {
 protected:
  TranscriptRecorderTest() {
    step_.step = "work";
    step_.path = "loop:2/work";
    step_.kind = StepKind::kAgent;
    step_.span_id = "2222222222222222";
    call_.call = "9f02c4d17be6a038";
    call_.tool = "Grep";
    call_.source = "builtin";
    call_.client_call_id = "toolu_1";
    call_.time = At(1500);
    call_.arguments = R"({"pattern":"x"})";
    call_.bytes_in = call_.arguments.size();
    end_.duration = std::chrono::microseconds(6500);
    end_.result = "a.cc:1:x";
    end_.bytes_out = end_.result.size();
  }

  TranscriptRecorder& Recorder(TranscriptContent content) {
    recorder_.emplace(sink_, content, [this] { ++failures_; }, [] { return At(5000); });
    StepStart start;
    start.time = At(1000);
    start.provider = "claude";
    recorder_->StepStarted(step_, start);
    sink_.lines.clear();
    return *recorder_;
  }
  std::vector<std::string> Taken() { return std::exchange(sink_.lines, {}); }
  void Say(MessageRole role, std::vector<MessageBlock> blocks) {
    recorder_->MessageSaid(step_, {role, std::move(blocks)});
  }
  void SayUse(const std::string& id, const std::string& tool, bool native = false) {
    MessageBlock use = Block("tool_use", R"({"pattern":"x"})", native ? tool : "mcp__awf-proxy__" + tool, id);
    use.native = native;
    if (!native) use.tool = tool;
    Say(MessageRole::kAssistant, {use});
  }
  void SayResult(const std::string& id, const std::string& text, bool is_error = false) {
    MessageBlock result = Block("tool_result", text, {}, id);
    result.is_error = is_error;
    Say(MessageRole::kUser, {result});
  }
  // Of records without messages, "TYPE FIDELITY CALL_ID/CLIENT_CALL_ID".
  std::vector<std::string> Calls() {
    std::vector<std::string> calls;
    for (const std::string& line : Taken()) {
      if (!line.starts_with("tool.")) continue;
      const json::value payload = json::parse(line.substr(line.find('{')));
      const json::value* client = payload.as_object().if_contains("client_call_id");
      calls.push_back(line.substr(0, line.find(' ')) + " " + std::string(payload.at("fidelity").as_string()) + " " +
                      std::string(payload.at("call_id").as_string()) + "/" +
                      (client == nullptr ? "" : std::string(client->as_string())));
    }
    return calls;
  }

  FakeTranscript sink_;
  int failures_ = 0;
  StepContext step_;
  CallRecord call_;
  CallEnd end_;
  std::optional<TranscriptRecorder> recorder_;
};

TEST_F(TranscriptRecorderTest, RunsAndStepsSayHowTheyEnded) {
  TranscriptRecorder recorder(sink_, TranscriptContent::kText, {}, [] { return At(5000); });
  RunStart run;
  run.workflow = "review";
  run.version = "1.0";
  run.time = At(900);
  recorder.RunStarted(run);
  StepStart start;
  start.time = At(1000);
  start.provider = "claude";
  recorder.StepStarted(step_, start);
  StepEnd end;
  end.status = StepStatus::kFailure;
  end.error = Error{"EXECUTION.AGENT.FAILED", "it said no", {}, {}, {}, {}};
  end.provider = "claude";
  end.model = "opus";
  step_.attempt = 2;
  recorder.StepEnded(step_, end);
  recorder.RunEnded({"failed", 3, end.error, {}, {}});
  run.resumed = true;
  recorder.RunStarted(run);
  EXPECT_THAT(
      sink_.lines,
      ElementsAre(R"(run.started #1 @900 {"workflow":"review","version":"1.0"})",
                  R"(step.started loop:2/work#1 @1000 {"name":"work","kind":"agent","provider":"claude"})",
                  R"(step.completed loop:2/work#2 @5000 {"name":"work","kind":"agent","provider":"claude",)"
                  R"("model":"opus","status":"failure","code":"EXECUTION.AGENT.FAILED","error":"it said no"})",
                  R"(run.completed #1 @5000 {"workflow":"review","version":"1.0","status":"failed","exit_code":3,)"
                  R"("code":"EXECUTION.AGENT.FAILED","error":"it said no"})",
                  R"(run.started #1 @900 {"workflow":"review","version":"1.0","resumed":true})"));
}

TEST_F(TranscriptRecorderTest, LevelsOfMessages) {
  MessageBlock use = Block("tool_use", "{}", "mcp__awf-proxy__Grep", "toolu_1");
  const AgentMessage message{MessageRole::kAssistant, {Block("text", "secret"), Block("thinking", "hmm"), use}};
  Recorder(TranscriptContent::kNone).MessageSaid(step_, message);
  EXPECT_THAT(Taken(),
              ElementsAre(R"(message.assistant loop:2/work#1 @5000 {"role":"assistant","blocks":[)"
                          R"({"type":"text","bytes":6},{"type":"thinking","bytes":3},)"
                          R"({"type":"tool_use","name":"mcp__awf-proxy__Grep","call_id":"toolu_1","bytes":2}]})"));
  for (const auto content : {TranscriptContent::kText, TranscriptContent::kFull}) {
    Recorder(content).MessageSaid(step_, message);
    EXPECT_THAT(Taken(),
                ElementsAre(R"(message.assistant loop:2/work#1 @5000 {"role":"assistant","blocks":[)"
                            R"({"type":"text","text":"secret","bytes":6},)"
                            R"({"type":"thinking","text":"hmm","bytes":3},)"
                            R"({"type":"tool_use","name":"mcp__awf-proxy__Grep","call_id":"toolu_1","bytes":2}]})"));
  }
}

TEST_F(TranscriptRecorderTest, LevelsOfCalls) {
  const std::string head = R"("call_id":"9f02c4d17be6a038","client_call_id":"toolu_1","name":"Grep",)"
                           R"("source":"builtin","fidelity":"router",)";
  end_.outcome = CallOutcome::kError;
  end_.error = "no such file";
  const auto run = [&](TranscriptContent content) {
    Recorder(content).CallStarted(step_, call_);
    recorder_->CallFinished(step_, call_, end_);
    return Taken();
  };
  EXPECT_THAT(run(TranscriptContent::kNone), ElementsAre("tool.call loop:2/work#1 @1500 {" + head + R"("bytes":15})",
                                                         "tool.result loop:2/work#1 @5000 {" + head +
                                                             R"("outcome":"error","bytes":8,"duration_ms":6})"));
  EXPECT_THAT(run(TranscriptContent::kText),
              ElementsAre("tool.call loop:2/work#1 @1500 {" + head + R"("bytes":15})",
                          "tool.result loop:2/work#1 @5000 {" + head +
                              R"("outcome":"error","error":"no such file","bytes":8,"duration_ms":6})"));
  EXPECT_THAT(
      run(TranscriptContent::kFull),
      ElementsAre("tool.call loop:2/work#1 @1500 {" + head + R"("input":{"pattern":"x"},"bytes":15})",
                  "tool.result loop:2/work#1 @5000 {" + head +
                      R"("outcome":"error","output":"a.cc:1:x","error":"no such file","bytes":8,"duration_ms":6})"));
}

TEST_F(TranscriptRecorderTest, WhatWasCutIsNamed) {
  call_.bytes_in = 100'000;
  end_.result = std::string(kLongestContent, 'x');
  end_.bytes_out = 100'000;
  Recorder(TranscriptContent::kFull).CallStarted(step_, call_);
  recorder_->CallFinished(step_, call_, end_);
  const auto lines = Taken();
  EXPECT_TRUE(lines[0].ends_with(R"("input":{"pattern":"x"},"cut":["input"],"bytes":100000})")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with(R"("cut":["output"],"bytes":100000,"duration_ms":6})")) << lines[1].substr(65000);
}

TEST_F(TranscriptRecorderTest, ACallThatIsSeenBothWaysIsOne) {
  Recorder(TranscriptContent::kFull);
  SayUse("toolu_1", "Grep");
  recorder_->CallStarted(step_, call_);
  recorder_->CallFinished(step_, call_, end_);
  SayResult("toolu_1", "a.cc:1:x");
  EXPECT_THAT(Calls(),
              ElementsAre("tool.call router 9f02c4d17be6a038/toolu_1", "tool.result router 9f02c4d17be6a038/toolu_1"));

  call_.client_call_id = "toolu_2";
  recorder_->CallStarted(step_, call_);
  recorder_->CallFinished(step_, call_, end_);
  SayUse("toolu_2", "Grep");
  SayResult("toolu_2", "a.cc:1:x");
  EXPECT_THAT(Calls(),
              ElementsAre("tool.call router 9f02c4d17be6a038/toolu_2", "tool.result router 9f02c4d17be6a038/toolu_2"));

  call_.client_call_id = "";
  SayUse("toolu_3", "Grep");
  recorder_->CallStarted(step_, call_);
  recorder_->CallFinished(step_, call_, end_);
  SayResult("toolu_3", "a.cc:1:x");
  recorder_->StepEnded(step_, {});
  EXPECT_THAT(Calls(),
              ElementsAre("tool.call router 9f02c4d17be6a038/toolu_3", "tool.result router 9f02c4d17be6a038/toolu_3"));
}

TEST_F(TranscriptRecorderTest, WhatNeverReachedTheRouterIsAClaim) {
  Recorder(TranscriptContent::kFull);
  SayUse("toolu_1", "Grep");
  SayResult("toolu_1", "Permission denied", true);
  SayUse("toolu_2", "Grep");
  recorder_->StepEnded(step_, {});
  const std::string head = R"("name":"Grep","source":"unknown","fidelity":"agent_emitted",)";
  std::vector<std::string> lines = Taken();
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("tool."); });
  EXPECT_THAT(lines, ElementsAre(R"(tool.call loop:2/work#1 @5000 {"call_id":"toolu_1",)" + head +
                                     R"("input":{"pattern":"x"},"bytes":15})",
                                 R"(tool.result loop:2/work#1 @5000 {"call_id":"toolu_1",)" + head +
                                     R"("outcome":"error","output":"Permission denied","bytes":17})",
                                 R"(tool.call loop:2/work#1 @5000 {"call_id":"toolu_2",)" + head +
                                     R"("input":{"pattern":"x"},"bytes":15})"));
}

TEST_F(TranscriptRecorderTest, NativeToolsAreClaimsAndBypassesBearTheirInput) {
  Recorder(TranscriptContent::kFull);
  SayUse("toolu_1", "Bash", true);
  recorder_->Bypassed(step_, {"Bash", "toolu_1", "tool_use", "claude", false});
  SayResult("toolu_1", "it ran");
  std::vector<std::string> lines = Taken();
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("message."); });
  const std::string head = R"("call_id":"toolu_1","name":"Bash","source":"native","fidelity":"agent_emitted",)";
  EXPECT_THAT(
      lines,
      ElementsAre("tool.call loop:2/work#1 @5000 {" + head + R"("input":{"pattern":"x"},"bytes":15})",
                  R"(bypass loop:2/work#1 @5000 {"native_tool":"Bash","call_id":"toolu_1","input":{"pattern":"x"}})",
                  "tool.result loop:2/work#1 @5000 {" + head + R"("outcome":"ok","output":"it ran","bytes":6})"));
  Recorder(TranscriptContent::kText);
  SayUse("toolu_1", "Bash", true);
  recorder_->Bypassed(step_, {"Bash", "toolu_1", "tool_use", "claude", false});
  EXPECT_EQ(Taken().back(), R"(bypass loop:2/work#1 @5000 {"native_tool":"Bash","call_id":"toolu_1"})");
}

TEST_F(TranscriptRecorderTest, CommandsSayWhatTheyRunAndWhatTheyWrote) {
  step_.kind = StepKind::kCommand;
  const auto run = [&](TranscriptContent content) {
    Recorder(content);
    Say(MessageRole::kUser, {Block("command", "make")});
    recorder_->CommandOutput(step_, false, "one\n");
    recorder_->CommandOutput(step_, true, "warning\n");
    recorder_->CommandOutput(step_, false, std::string(kLongestContent, 'x'));
    recorder_->StepRetried(step_, {});
    ++step_.attempt;
    recorder_->CommandOutput(step_, false, "two\n");
    recorder_->StepEnded(step_, {});
    step_.attempt = 1;
    auto lines = Taken();
    lines.pop_back();
    return lines;
  };
  const std::string told = R"(message.user loop:2/work#1 @5000 {"role":"user","blocks":[{"type":"command",)";
  const std::string said = R"( @5000 {"role":"assistant","blocks":[{"type":"stream","name":"stdout",)";
  EXPECT_THAT(run(TranscriptContent::kText),
              ElementsAre(told + R"("text":"make","bytes":4}]})",
                          "message.assistant loop:2/work#1" + said +
                              R"("bytes":65540},{"type":"stream","name":"stderr","bytes":8}]})",
                          "message.assistant loop:2/work#2" + said + R"("bytes":4}]})"));
  EXPECT_THAT(
      run(TranscriptContent::kFull),
      ElementsAre(
          told + R"("text":"make","bytes":4}]})",
          "message.assistant loop:2/work#1" + said + R"("text":"one\n)" + std::string(kLongestContent - 4, 'x') +
              R"(","cut":["text"],"bytes":65540},{"type":"stream","name":"stderr","text":"warning\n","bytes":8}]})",
          "message.assistant loop:2/work#2" + said + R"("text":"two\n","bytes":4}]})"));
  EXPECT_EQ(run(TranscriptContent::kNone)[0], told + R"("bytes":4}]})");
}

TEST_F(TranscriptRecorderTest, UsageOfTheAttemptsAddsUpToTheSteps) {
  Recorder(TranscriptContent::kNone);
  recorder_->TokensUsed(step_, Tokens(5, 1));
  recorder_->TokensUsed(step_, Tokens(10, 2, 0.25));
  recorder_->StepRetried(step_, {});
  step_.attempt = 2;
  recorder_->TokensUsed(step_, Tokens(7, 3));
  StepEnd end;
  end.usage = Tokens(17, 5, 0.75);
  end.usage.estimated = true;
  recorder_->StepEnded(step_, end);
  auto lines = Taken();
  lines.pop_back();
  EXPECT_THAT(lines, ElementsAre(R"(usage loop:2/work#1 @5000 {"input_tokens":10,"output_tokens":2,"cost_usd":2.5E-1,)"
                                 R"("estimated":false})",
                                 R"(usage loop:2/work#2 @5000 {"input_tokens":7,"output_tokens":3,"cost_usd":5E-1,)"
                                 R"("estimated":true})"));
}

TEST_F(TranscriptRecorderTest, AFailureIsToldOnceAndTheSinkAskedAgain) {
  Recorder(TranscriptContent::kText);
  sink_.fails = true;
  Say(MessageRole::kUser, {Block("text", "a")});
  Say(MessageRole::kUser, {Block("text", "b")});
  EXPECT_EQ(failures_, 1);
  EXPECT_EQ(sink_.lines.size(), 2U);
}

TEST_F(TranscriptRecorderTest, EachCallOfParallelStepsIsThereOnce) {
  constexpr int kSteps = 8, kCalls = 60;
  TranscriptRecorder recorder(sink_, TranscriptContent::kFull, {});
  const auto work = [&](int number) {
    StepContext step = step_;
    step.span_id = std::to_string(number);
    recorder.StepStarted(step, {});
    for (int i = 0; i < kCalls; ++i) {
      CallRecord call = call_;
      call.call = std::to_string(number) + "-" + std::to_string(i);
      call.client_call_id = i % 3 == 0 ? "" : "toolu_" + std::to_string(i);
      MessageBlock use = Block("tool_use", "{}", "Grep", "toolu_" + std::to_string(i));
      if (i % 2 == 0) recorder.MessageSaid(step, {MessageRole::kAssistant, {use}});
      // As in a step whose calls are told on threads of their own.
      std::jthread([&] {
        recorder.CallStarted(step, call);
        recorder.CallFinished(step, call, end_);
      }).join();
      if (i % 2 != 0) recorder.MessageSaid(step, {MessageRole::kAssistant, {use}});
      recorder.MessageSaid(step, {MessageRole::kUser, {Block("tool_result", "x", {}, use.call_id)}});
      recorder.CommandOutput(step, false, "x");
      recorder.TokensUsed(step, Tokens(1, 1));
    }
    recorder.StepEnded(step, {});
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kSteps; ++i) threads.emplace_back(work, i);
  }
  std::map<std::string, int> calls, results;
  for (const std::string& line : sink_.lines) {
    if (!line.starts_with("tool.")) continue;
    const json::value payload = json::parse(line.substr(line.find('{')));
    EXPECT_EQ(payload.at("fidelity"), "router") << line;
    ++(line.starts_with("tool.call ") ? calls : results)[std::string(payload.at("call_id").as_string())];
  }
  EXPECT_EQ(calls.size(), std::size_t{kSteps} * kCalls);
  EXPECT_EQ(calls, results);
  for (const auto& [id, count] : calls) EXPECT_EQ(count, 1) << id;
}

}  // namespace
}  // namespace awf
