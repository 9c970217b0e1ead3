// transcript.jsonl of whole runs: with a fake agent CLI, with a scripted model, with commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "infrastructure/model_server/model_server.h"
#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace json = boost::json;
using model_server::ChatCompletionsModel;
using model_server::ModelServer;
using model_server::ScriptedTurn;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kAskClaude[] = R"(name: w
version: "1.0"
states:
  initial: ask
  ask: {type: agent, provider: claude, prompt: do it, system_prompt: be brief, mcp_proxy: {enable: true}, on_success: done}
  done: {type: terminal}
)";

std::vector<json::object> JsonLines(const std::filesystem::path& path) {
  std::vector<json::object> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line).as_object());
  return lines;
}

class TranscriptTest : public testing::Test {
 protected:
  TranscriptTest() {
    world_.PutPrograms();
    world_.Write("ws/a.txt", "line one\n");
  }

  void Scenario(const std::string& text) {
    world_.Write("scenario.json", text);
    world_.environment()["FAKE_CLAUDE_SCENARIO"] = world_.Path("scenario.json").string();
  }
  // Of openai_compatible steps.
  void Model(std::vector<ScriptedTurn> script) {
    auto server = ModelServer::Start(std::make_unique<ChatCompletionsModel>(std::move(script)));
    ASSERT_TRUE(server);
    model_ = std::move(*server);
    world_.environment()["OPENAI_BASE_URL"] = model_->base_url();
    world_.environment()["OPENAI_MODEL"] = "scripted";
  }
  void Config(const std::string& text) { world_.Write("ws/.awf/config.yaml", text); }
  int Awf(const std::string& arguments) {
    return world_.Shell("awf " + arguments + " --storage '" + world_.Path("storage").string() + "'");
  }
  int Run(const std::string& workflow, const std::string& flags = "--transcript") {
    world_.Write("ws/w.yaml", workflow);
    std::filesystem::remove_all(world_.Path("storage") / "runs");  // so that there is one run
    return Awf("run w.yaml " + flags);
  }
  std::string File() const { return FileText(world_.RunFolder() / "transcript.jsonl"); }

  // Each record as "TYPE PATH#ATTEMPT PAYLOAD", its envelope checked; ids of calls as CALL, durations left out.
  std::vector<std::string> Records() const {
    std::vector<std::string> records;
    for (json::object& record : JsonLines(world_.RunFolder() / "transcript.jsonl")) {
      std::string keys;
      for (const auto& entry : record) keys.append(entry.key()).append(" ");
      EXPECT_EQ(keys, "seq run_id type path attempt timestamp payload ");
      EXPECT_EQ(record.at("seq"), json::value(records.size() + 1));
      EXPECT_EQ(record.at("run_id"), json::value(world_.RunFolder().filename().string()));
      EXPECT_THAT(std::string(record.at("timestamp").as_string()), testing::MatchesRegex("20..-..-..T..:..:..\\....Z"));
      json::object& payload = record.at("payload").as_object();
      payload.erase("duration_ms");
      if (payload.contains("fidelity") && payload.at("fidelity") == "router") payload["call_id"] = "CALL";
      std::string line(record.at("type").as_string());
      line.append(" ").append(record.at("path").as_string()).append("#");
      line += json::serialize(record.at("attempt")) + " " + json::serialize(payload);
      records.push_back(std::move(line));
    }
    return records;
  }

  World world_;
  std::unique_ptr<ModelServer> model_;
};

constexpr char kScenario[] = R"({"steps": [
  {"text": "let me look"}, {"call": "Read", "arguments": {"file_path": "a.txt"}},
  {"deny": "Bash"}, {"native": "Bash"}], "result": "ready"})";

// What --transcript writes of a run with that scenario; `none`: what it writes of it without texts.
std::vector<std::string> Conversation(bool none) {
  const auto text = [none](const std::string& words) {
    return (none ? std::string() : R"("text":")" + words + R"(",)") + R"("bytes":)" + std::to_string(words.size());
  };
  const std::string read =
      R"("call_id":"CALL","client_call_id":"toolu_1","name":"Read","source":"builtin","fidelity":"router",)";
  const std::string denied = R"("call_id":"toolu_2","name":"Bash","source":"unknown","fidelity":"agent_emitted",)";
  const std::string native = R"("call_id":"toolu_3","name":"Bash","source":"native","fidelity":"agent_emitted",)";
  const std::string said = R"(message.assistant ask#1 {"role":"assistant","blocks":[{"type":)";
  const std::string heard = R"(message.user ask#1 {"role":"user","blocks":[{"type":"tool_result","call_id":)";
  return {
      R"(run.started #1 {"workflow":"w","version":"1.0"})",
      R"(step.started ask#1 {"name":"ask","kind":"agent","provider":"claude"})",
      R"(message.system ask#1 {"role":"system","blocks":[{"type":"text",)" + text("be brief") + "}]}",
      R"(message.user ask#1 {"role":"user","blocks":[{"type":"text",)" + text("do it") + "}]}",
      said + R"("text",)" + text("let me look") + "}]}",
      said + R"("tool_use","name":"mcp__awf-proxy__Read","call_id":"toolu_1","bytes":21}]})",
      "tool.call ask#1 {" + read + R"("bytes":21})",
      "tool.result ask#1 {" + read + R"("outcome":"ok","bytes":10})",
      heard + R"("toolu_1","bytes":10}]})",
      said + R"("tool_use","name":"mcp__awf-proxy__Bash","call_id":"toolu_2","bytes":2}]})",
      "tool.call ask#1 {" + denied + R"("bytes":2})",
      "tool.result ask#1 {" + denied + R"("outcome":"error","bytes":54})",
      heard + R"("toolu_2","bytes":54,"is_error":true}]})",
      said + R"("tool_use","name":"Bash","call_id":"toolu_3","bytes":2}]})",
      "tool.call ask#1 {" + native + R"("bytes":2})",
      R"(bypass ask#1 {"native_tool":"Bash","call_id":"toolu_3"})",
      "tool.result ask#1 {" + native + R"("outcome":"ok","bytes":6})",
      heard + R"("toolu_3","bytes":6}]})",
      R"(usage ask#1 {"input_tokens":112,"output_tokens":20,"cached":7,"cost_usd":2.5E-1,"estimated":false})",
      R"(step.completed ask#1 {"name":"ask","kind":"agent","provider":"claude","model":"fake-model","status":"success"})",
      R"(step.started done#1 {"name":"done","kind":"terminal"})",
      R"(step.completed done#1 {"name":"done","kind":"terminal","status":"success"})",
      R"(run.completed #1 {"workflow":"w","version":"1.0","status":"completed","exit_code":0})"};
}

// The channel of the server and the stream of the CLI are read in turns: what the router tells, and all the rest, each
// in its order, with one of both in front of the other as it must be.
void ExpectConversation(const std::vector<std::string>& records, const std::vector<std::string>& expected) {
  const auto of_router = [](const std::string& line) { return line.find(R"("router")") != std::string::npos; };
  const auto only = [&](std::vector<std::string> lines, bool router) {
    std::erase_if(lines, [&](const std::string& line) { return of_router(line) != router; });
    return lines;
  };
  EXPECT_EQ(only(records, true), only(expected, true));
  EXPECT_EQ(only(records, false), only(expected, false));
  const auto result = std::ranges::find_if(
      records, [&](const std::string& line) { return of_router(line) && line.starts_with("tool.result"); });
  EXPECT_NE(std::find_if(result, records.end(),
                         [](const std::string& line) {
                           return line.starts_with("message.user") &&
                                  line.find(R"("call_id":"toolu_1")") != std::string::npos;
                         }),
            records.end());
}

TEST_F(TranscriptTest, FlagAloneMeansMessages) {
  Scenario(kScenario);
  ASSERT_EQ(Run(kAskClaude), 0) << world_.Read("stderr");
  ExpectConversation(Records(), Conversation(false));
  EXPECT_EQ(FileMode(world_.RunFolder() / "transcript.jsonl"), 0600U);
  EXPECT_THAT(FileText(world_.RunFolder() / "audit.jsonl"), Not(HasSubstr("args_sha256")));
}

TEST_F(TranscriptTest, NoneIsTypesAndSizes) {
  Scenario(kScenario);
  Config("transcript: {content: none}\n");
  ASSERT_EQ(Run(kAskClaude, ""), 0) << world_.Read("stderr");
  ExpectConversation(Records(), Conversation(true));
}

TEST_F(TranscriptTest, NoneShowsNoTextOfFailuresEither) {
  Scenario(R"({"steps": [{"call": "Bash", "arguments": {"command": "echo CANARY >&2; exit 3"}}],
               "error_status": 500, "result": "CANARY"})");
  Config("transcript: {content: none}\n");
  EXPECT_EQ(Run(kAskClaude, ""), 3);
  EXPECT_THAT(Records().back(), HasSubstr(R"("status":"failed","exit_code":3,"code":"EXECUTION.AGENT.FAILED"})"));
  EXPECT_THAT(File(), Not(HasSubstr("CANARY")));
  Config("transcript: {content: text}\n");
  EXPECT_EQ(Run(kAskClaude, ""), 3);
  EXPECT_THAT(Records().back(), HasSubstr("CANARY"));
}

TEST_F(TranscriptTest, WithoutFlagAndConfigurationThereIsNoFile) {
  Scenario("{}");
  ASSERT_EQ(Run(kAskClaude, ""), 0) << world_.Read("stderr");
  EXPECT_FALSE(std::filesystem::exists(world_.RunFolder() / "transcript.jsonl"));
}

// Of the lines of a type with that fidelity, the payloads.
std::vector<json::object> Payloads(const std::filesystem::path& file, std::string_view type,
                                   std::string_view fidelity = "router") {
  std::vector<json::object> payloads;
  for (const json::object& record : JsonLines(file)) {
    const json::object& payload = record.at("payload").as_object();
    if (record.at("type").as_string() == type && payload.at("fidelity").as_string() == fidelity)
      payloads.push_back(payload);
  }
  return payloads;
}

TEST_F(TranscriptTest, FullHasWhatTheRouterSawAndSpansOnlyWhenAsked) {
  Scenario(kScenario);
  for (const bool on_spans : {false, true}) {
    Config(std::string("transcript: {content: full}\n") + (on_spans ? "telemetry: {content: true}\n" : ""));
    ASSERT_EQ(Run(kAskClaude, "--transcript --trace-file"), 0) << world_.Read("stderr");
    const auto file = world_.RunFolder() / "transcript.jsonl";
    EXPECT_EQ(Payloads(file, "tool.call").at(0).at("input"), (json::value{{"file_path", "a.txt"}}));
    EXPECT_EQ(Payloads(file, "tool.result").at(0).at("output"), "1\tline one");
    EXPECT_EQ(Payloads(file, "tool.result", "agent_emitted").at(1).at("output"), "it ran");
    const std::string trace = FileText(world_.RunFolder() / "trace.json");
    const std::string arguments =
        R"({"key":"gen_ai.tool.call.arguments","value":{"stringValue":"{\"file_path\":\"a.txt\"}"}})";
    const std::string result = R"({"key":"gen_ai.tool.call.result","value":{"stringValue":"1\tline one"}})";
    if (on_spans) {
      EXPECT_THAT(trace, testing::AllOf(HasSubstr(arguments), HasSubstr(result)));
    } else {
      EXPECT_THAT(trace, Not(HasSubstr("gen_ai.tool.call.arguments")));
      EXPECT_THAT(trace, Not(HasSubstr("gen_ai.tool.call.result")));
    }
  }
}

TEST_F(TranscriptTest, ContentOnSpansNeedsNoTranscript) {
  Scenario(kScenario);
  Config("telemetry: {content: true}\n");
  ASSERT_EQ(Run(kAskClaude, "--trace-file"), 0) << world_.Read("stderr");
  EXPECT_THAT(FileText(world_.RunFolder() / "trace.json"), HasSubstr("gen_ai.tool.call.arguments"));
  EXPECT_FALSE(std::filesystem::exists(world_.RunFolder() / "transcript.jsonl"));
}

TEST_F(TranscriptTest, NothingSecretIsWritten) {
  world_.Write("ws/secret.txt", "it is hunter2hunter2\n");
  Scenario(R"({"steps": [{"text": "so hunter2hunter2"}, {"call": "Read", "arguments": {"file_path": "secret.txt"}},
    {"call": "Write", "arguments": {"file_path": "b.txt", "content": "hunter2hunter2"}}, {"native": "Bash"},
    {"print": "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"N\",\"input\":{\"password\":\"opensesame\"}}]}}"}]})");
  Config("transcript: {content: full}\ntelemetry: {content: true}\n");
  ASSERT_EQ(Run(R"(name: w
inputs: [{name: pin, type: string, secret: true}]
states:
  initial: build
  build: {type: step, command: "echo {{.inputs.pin}}", on_success: ask}
  ask: {type: agent, provider: claude, prompt: "use {{.inputs.pin}}", mcp_proxy: {enable: true}, on_success: done}
  done: {type: terminal}
)",
                "-i pin=hunter2hunter2 --trace-file"),
            0)
      << world_.Read("stderr");
  EXPECT_THAT(File(), testing::AllOf(Not(HasSubstr("hunter2")), Not(HasSubstr("opensesame")),
                                     HasSubstr(R"("input":{"password":"***"})"), HasSubstr(R"("text":"use ***")"),
                                     HasSubstr(R"("output":"1\tit is ***")"), HasSubstr(R"("text":"so ***")"),
                                     HasSubstr(R"("content":"***")"), HasSubstr(R"("text":"echo ***")")));
  EXPECT_THAT(FileText(world_.RunFolder() / "trace.json"),
              testing::AllOf(Not(HasSubstr("hunter2")), HasSubstr("it is ***")));
}

TEST_F(TranscriptTest, ConversationWithAModelOverHttp) {
  Model({{"looking", {{"Read", {{"file_path", "a.txt"}}}}}, {"found it", {}}});
  Config("transcript: {content: full}\n");
  ASSERT_EQ(Run(R"(name: w
states:
  initial: ask
  ask: {type: agent, provider: openai-compatible, prompt: do it, mcp_proxy: {enable: true}, on_success: done}
  done: {type: terminal}
)"),
            0)
      << world_.Read("stderr");
  std::vector<std::string> records = Records();
  std::erase_if(records, [](const std::string& line) { return line.find(" ask#1 ") == std::string::npos; });
  ASSERT_EQ(records.size(), 8U) << File();
  const auto calls = Payloads(world_.RunFolder() / "transcript.jsonl", "tool.call");
  ASSERT_EQ(calls.size(), 1U);
  const std::string id(calls[0].at("client_call_id").as_string());
  const std::string head =
      R"("call_id":"CALL","client_call_id":")" + id + R"(","name":"Read","source":"builtin","fidelity":"router",)";
  EXPECT_EQ(records[1], R"(message.user ask#1 {"role":"user","blocks":[{"type":"text","text":"do it","bytes":5}]})");
  EXPECT_EQ(records[2],
            R"(message.assistant ask#1 {"role":"assistant","blocks":[{"type":"text","text":"looking","bytes":7},)"
            R"({"type":"tool_use","name":"Read","call_id":")" +
                id + R"(","bytes":21}]})");
  EXPECT_EQ(records[3], "tool.call ask#1 {" + head + R"("input":{"file_path":"a.txt"},"bytes":21})");
  EXPECT_EQ(records[4], "tool.result ask#1 {" + head + R"("outcome":"ok","output":"1\tline one","bytes":10})");
  EXPECT_EQ(records[5],
            R"(message.assistant ask#1 {"role":"assistant","blocks":[{"type":"text","text":"found it","bytes":8}]})");
  EXPECT_THAT(records[6], HasSubstr("usage ask#1 "));
}

TEST_F(TranscriptTest, EachCallOfParallelStepsIsThereOnceAsInTheAudit) {
  constexpr int kBranches = 6;
  std::vector<model_server::ScriptedCall> calls;
  for (int i = 0; i < 10; ++i)
    calls.push_back({i % 2 == 0 ? "Read" : "Glob", {{"file_path", "a.txt"}, {"pattern", "*"}}});
  Model({{"", calls}, {"", {{"Read", {}}}}, {"end", {}}});
  Scenario(R"({"steps": [{"call": "Read", "arguments": {"file_path": "a.txt"}}, {"deny": "Read"},
                         {"call": "Read", "arguments": {"file_path": "a.txt"}}, {"call": "Glob", "arguments": {}}]})");
  std::string names, states;
  for (int i = 0; i < kBranches; ++i) {
    const std::string name = "b" + std::to_string(i);
    names += (i == 0 ? "" : ", ") + name;
    states += "  " + name + ": {type: agent, provider: " + (i % 2 == 0 ? "claude" : "openai-compatible") +
              ", prompt: go, mcp_proxy: {enable: true}}\n";
  }
  ASSERT_EQ(Run("name: w\nstates:\n  initial: all\n  all: {type: parallel, parallel: [" + names +
                "], on_success: done}\n" + states + "  done: {type: terminal}\n"),
            0)
      << world_.Read("stderr");
  std::multiset<std::string> audited, told, ended;
  for (const json::object& record : JsonLines(world_.RunFolder() / "audit.jsonl")) {
    if (record.at("type") == "tool.call") audited.insert(std::string(record.at("call").as_string()));
  }
  const auto file = world_.RunFolder() / "transcript.jsonl";
  for (const json::object& call : Payloads(file, "tool.call")) told.insert(std::string(call.at("call_id").as_string()));
  for (const json::object& end : Payloads(file, "tool.result"))
    ended.insert(std::string(end.at("call_id").as_string()));
  EXPECT_EQ(audited.size(), 3U * 3 + 3U * 11);
  EXPECT_EQ(told, audited);
  EXPECT_EQ(ended, audited);
  EXPECT_EQ(Payloads(file, "tool.call", "agent_emitted").size(), 3U);  // the refused ones
  Records();                                                           // for its checks
}

TEST_F(TranscriptTest, CommandsWithPlacesAndAttempts) {
  Config("transcript: {content: full}\n");
  ASSERT_EQ(Run(R"(name: w
states:
  initial: each
  each: {type: for_each, items: ["a"], body: [try], on_complete: done}
  try: {type: step, command: "echo out; echo err >&2; [ -e again ] || { touch again; exit 1; }", retry: {max_attempts: 2, initial_delay: 1ms}}
  done: {type: terminal}
)"),
            0)
      << world_.Read("stderr");
  std::vector<std::string> records = Records();
  std::erase_if(records, [](const std::string& line) { return !line.starts_with("message."); });
  const std::string user =
      R"({"role":"user","blocks":[{"type":"command","text":"echo out; echo err >&2; [ -e again ] || { touch again; exit 1; }","bytes":64}]})";
  const std::string streams =
      R"({"role":"assistant","blocks":[{"type":"stream","name":"stdout","text":"out\n","bytes":4},{"type":"stream","name":"stderr","text":"err\n","bytes":4}]})";
  EXPECT_THAT(records, ElementsAre("message.user each:0/try#1 " + user, "message.assistant each:0/try#1 " + streams,
                                   "message.user each:0/try#2 " + user, "message.assistant each:0/try#2 " + streams));
}

constexpr char kFailsOnce[] = R"(name: w
states:
  initial: a
  a: {type: step, command: "[ -e go ]", on_success: done}
  done: {type: terminal}
)";

TEST_F(TranscriptTest, NumberingGoesOnAfterAResume) {
  EXPECT_NE(Run(kFailsOnce), 0);
  const std::size_t before = Records().size();
  world_.Write("ws/go", "");
  ASSERT_EQ(Awf("resume --transcript"), 0) << world_.Read("stderr");
  const auto records = Records();
  ASSERT_GT(records.size(), before);
  EXPECT_EQ(records[before], R"(run.started #1 {"workflow":"w","version":"","resumed":true})");
}

TEST_F(TranscriptTest, WhatCannotBeWrittenCostsOneWarning) {
  EXPECT_NE(Run(kFailsOnce), 0);
  const auto file = world_.RunFolder() / "transcript.jsonl";
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/dev/full", file);
  world_.Write("ws/go", "");
  ASSERT_EQ(Awf("resume --transcript"), 0);
  const std::string err = world_.Read("stderr");
  const std::string warning = "records cannot be written";
  const std::size_t at = err.find(warning);
  ASSERT_NE(at, std::string::npos) << err;
  EXPECT_EQ(err.find(warning, at + 1), std::string::npos) << err;
  EXPECT_THAT(err, HasSubstr(file.string()));
}

TEST_F(TranscriptTest, WhatCannotBeOpenedStopsTheRunBeforeItStarts) {
  EXPECT_NE(Run(kFailsOnce), 0);
  const auto file = world_.RunFolder() / "transcript.jsonl";
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  world_.Write("ws/go", "");
  EXPECT_EQ(Awf("resume --transcript"), 4);
  EXPECT_THAT(world_.Read("stderr"), HasSubstr("cannot write " + file.string()));
}

}  // namespace
}  // namespace awf::e2e
