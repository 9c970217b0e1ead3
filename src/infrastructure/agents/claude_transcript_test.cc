// What recorded streams of Claude Code become in the transcript, with the calls that a router would have told.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "application/records/transcript_recorder.h"
#include "infrastructure/agents/claude.h"
#include "infrastructure/agents/claude_messages.h"
#include "infrastructure/agents/stream_monitor.h"

namespace awf::agents {
namespace {

constexpr const char* kTools[] = {"Bash", "Edit", "Glob", "Grep", "Read", "Write"};

// A record a line: type and payload.
struct Lines : TranscriptSink {
  bool Write(const TranscriptRecord& record) override {
    text += record.type + " " + json::serialize(record.payload) + "\n";
    return true;
  }
  std::string Name() const override { return "lines"; }
  std::string text;
};

// The step around it is left out. With `router` each tool use of ours has reached it by the time of its result.
std::string Transcript(const std::string& recording, bool router, bool proxy = true) {
  std::ifstream file(std::filesystem::path(std::getenv("AWF_SOURCE_DIR")) / "tests/streams" /
                     ("claude-" + recording + ".jsonl"));
  EXPECT_TRUE(file) << recording;
  ClaudeProvider claude({.step_folder = "/step", .version = "2.1.332", .server = "awf"});
  const ProxyEndpoint endpoint{"/bin/awf", "/step/serve.json", "/step", {std::begin(kTools), std::end(kTools)}, 1000};
  AgentRequest request;
  request.working_dir = "/";
  if (proxy) request.proxy.emplace().enable = true;
  EXPECT_TRUE(claude.Prepare(request, proxy ? &endpoint : nullptr));

  Lines lines;
  TranscriptRecorder recorder(lines, TranscriptContent::kFull, {});
  StepContext step;
  step.step = step.path = "ask";
  step.kind = StepKind::kAgent;
  step.span_id = "1";
  recorder.StepStarted(step, {});
  lines.text.clear();
  std::string waiting;  // the id of the use that the router has not told yet
  std::set<std::string> ours;
  if (proxy) {
    for (const char* tool : kTools) ours.insert(claude.ShownName(tool));
  }
  StreamMonitor monitor(
      {.step = step, .provider = "claude", .version = "2.1.332", .proxy = proxy, .intercept = proxy, .ours = ours},
      recorder, [&] {
        if (router && !waiting.empty()) {
          CallRecord call;
          call.call = "0123456789abcdef";
          call.tool = "Read";
          call.source = "builtin";
          call.client_call_id = std::exchange(waiting, {});
          call.arguments = R"({"path":"/x"})";
          call.bytes_in = call.arguments.size();
          CallEnd end;
          end.result = "the router's text";
          end.bytes_out = end.result.size();
          recorder.CallStarted(step, call);
          recorder.CallFinished(step, call, end);
        }
        return true;
      });
  for (std::string line; std::getline(file, line);) {
    claude.Read(line, monitor);
    const std::size_t id = line.find(R"("type":"tool_use","id":")");
    if (id != std::string::npos) waiting = line.substr(id + 24, line.find('"', id + 24) - id - 24);
  }
  monitor.Finish();
  recorder.StepEnded(step, {});
  return lines.text.substr(0, lines.text.rfind("step.completed"));
}

constexpr char kBegin[] =
    R"(message.assistant {"role":"assistant","blocks":[{"type":"text","text":"let me","bytes":6}]}
message.assistant {"role":"assistant","blocks":[{"type":"tool_use","name":"mcp__awf__Read","call_id":"toolu_fake0001","bytes":13}]}
)";

constexpr char kDone[] =
    R"(message.assistant {"role":"assistant","blocks":[{"type":"text","text":"done","bytes":4}]}
)";

constexpr char kRouterCall[] =
    R"(tool.call {"call_id":"0123456789abcdef","client_call_id":"toolu_fake0001","name":"Read","source":"builtin","fidelity":"router","input":{"path":"/x"},"bytes":13}
tool.result {"call_id":"0123456789abcdef","client_call_id":"toolu_fake0001","name":"Read","source":"builtin","fidelity":"router","outcome":"ok","output":"the router's text","bytes":17,"duration_ms":0}
)";

TEST(ClaudeTranscriptTest, CallsThatTheRouterTellsAreItsOwn) {
  const std::string golden =
      std::string(kBegin)
          .append(kRouterCall)
          .append(
              R"(message.user {"role":"user","blocks":[{"type":"tool_result","call_id":"toolu_fake0001","bytes":33}]})")
          .append("\n")
          .append(kDone);
  for (const char* recording : {"2.1.332.success", "2.1.197.success", "2.1.332.partial-messages"}) {
    EXPECT_EQ(Transcript(recording, true), golden) << recording;
  }
}

TEST(ClaudeTranscriptTest, ARefusedCallIsWhatTheAgentClaims) {
  EXPECT_EQ(
      Transcript("2.1.332.permission-denied", false),
      std::string(kBegin)
          .append(
              R"(tool.call {"call_id":"toolu_fake0001","name":"Read","source":"unknown","fidelity":"agent_emitted","input":{"path":"/x"},"bytes":13}
tool.result {"call_id":"toolu_fake0001","name":"Read","source":"unknown","fidelity":"agent_emitted","outcome":"error","output":"Claude requested permissions to use mcp__awf__Read, but you haven't granted it yet.","bytes":83}
message.user {"role":"user","blocks":[{"type":"tool_result","call_id":"toolu_fake0001","bytes":83,"is_error":true}]}
)")
          .append(kDone));
}

TEST(ClaudeTranscriptTest, WithoutProxyEveryToolIsNative) {
  EXPECT_EQ(
      Transcript("2.1.332.success", false, false),
      std::string(kBegin)
          .append(
              R"(tool.call {"call_id":"toolu_fake0001","name":"mcp__awf__Read","source":"native","fidelity":"agent_emitted","input":{"path":"/x"},"bytes":13}
tool.result {"call_id":"toolu_fake0001","name":"mcp__awf__Read","source":"native","fidelity":"agent_emitted","outcome":"ok","output":"dummy Read ran with {\"path\":\"/x\"}","bytes":33}
message.user {"role":"user","blocks":[{"type":"tool_result","call_id":"toolu_fake0001","bytes":33}]}
)")
          .append(kDone));
}

TEST(ClaudeTranscriptTest, WhatTheCliSaysOfErrorsIsNoMessage) {
  for (const char* recording : {"2.1.332.no-key", "2.1.332.api-400", "2.1.332.slash-prompt"}) {
    EXPECT_EQ(Transcript(recording, false), "") << recording;
  }
}

TEST(ClaudeMessagesTest, ReadsEachKindOfBlock) {
  const auto read = [](const char* event) {
    const AgentMessage said =
        ReadClaudeMessage(json::parse(event).as_object(), MessageRole::kAssistant,
                          [](std::string_view name) { return std::string(name == "our_Read" ? "Read" : ""); });
    std::string text;
    for (const MessageBlock& block : said.blocks) {
      text += block.type + "|" + block.text + "|" + block.name + "|" + block.call_id + "|" + block.tool +
              (block.native ? "|native" : "") + (block.is_error ? "|error" : "") + "\n";
    }
    return text;
  };
  EXPECT_EQ(
      read(R"({"message":{"content":[{"type":"thinking","thinking":"hmm"},{"type":"redacted_thinking","data":"x"},
              {"type":"text","text":"hi"},{"type":"tool_use","id":"1","name":"our_Read","input":{"a":1}},
              {"type":"tool_use","id":"2","name":"Bash"},7,{"type":"image"}]}})"),
      "thinking|hmm|||\nthinking||||\ntext|hi|||\ntool_use|{\"a\":1}|our_Read|1|Read\ntool_use||Bash|2||native\n");
  EXPECT_EQ(read(R"({"message":{"content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":"no"},
              {"type":"tool_result","tool_use_id":"2","content":[{"type":"text","text":"a"},{"type":"image"},
               {"type":"text","text":"b"}]}]}})"),
            "tool_result|no||1||error\ntool_result|a\nb||2|\n");
  EXPECT_EQ(read(R"({"message":{"content":"plain"}})"), "text|plain|||\n");
  // Of a subagent only what it does.
  EXPECT_EQ(read(R"({"parent_tool_use_id":"9","message":{"content":[{"type":"text","text":"hi"},
              {"type":"tool_use","id":"2","name":"Bash"}]}})"),
            "tool_use||Bash|2||native\n");
  EXPECT_EQ(read(R"({"message":{"model":"<synthetic>","content":[{"type":"text","text":"no login"}]}})"), "");
  EXPECT_EQ(read(R"({"message":{"content":7}})"), "");
  EXPECT_EQ(read(R"({})"), "");
}

}  // namespace
}  // namespace awf::agents
