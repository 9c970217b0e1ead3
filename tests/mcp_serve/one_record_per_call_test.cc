// One tool call over stdio = one log line = one audit record = one span, for every way in which a call can end.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <map>

#include "application/records/recorder_fixture_for_tests.h"
#include "infrastructure/agents/proxy_monitor.h"
#include "served_step.h"

namespace awf {
namespace {

constexpr int kWorkers = 8;  // of the server: further calls wait

class OneRecordPerCallTest : public RunRecorderTest {
 protected:
  OneRecordPerCallTest() : recorder_(Make()), monitor_(step_, recorder_) {
    recorder_.RunStarted(start_);
    recorder_.StepStarted(step_, {});
  }

  std::size_t Finished() const { return served_.Messages<channel::CallFinished>().size(); }
  std::size_t Started() const { return served_.Messages<channel::CallStarted>().size(); }

  static std::size_t CountOf(const std::vector<std::string>& lines, const std::string& begin) {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines, [&](const std::string& line) { return line.find(begin) <= 6; }));
  }

  ServedStep served_;
  RunRecorder recorder_;
  agents::ProxyMonitor monitor_;
};

TEST_F(OneRecordPerCallTest, HoweverACallEnds) {
  served_.config().tools.sandbox.mode = SandboxMode::kStrict;
  served_.config().tools.trace.trace_id = kTrace;
  served_.Start();
  served_.Send(InitializeLine());
  served_.Answer(0);
  served_.Send(R"({"jsonrpc":"2.0","id":"list","method":"tools/list"})");
  served_.Answer("list");
  served_.Send(CallLine(1, "Bash", {{"command", "echo $TRACEPARENT"}}));
  const json::object parent = served_.Answer(1);
  served_.Send(CallLine(2, "Bash", {{"command", "exit 3"}}));
  served_.Send(CallLine(3, "Read", {{"path", "missing"}}));
  served_.Send(CallLine(4, "Read", {}));
  served_.Send(CallLine(5, "Nonsense", {}));
  served_.Send(CallLine(6, "Write", {{"path", "/etc/x"}, {"content", ""}}));
  served_.Send(CallLine(7, "Bash", {{"command", "sleep 1000"}, {"timeout", 50}}));
  served_.Send(R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"Read","arguments":7}})");
  served_.Send(R"({"jsonrpc":"2.0","id":[9],"method":"tools/call","params":{"name":"Read","arguments":{}}})");
  served_.Send(R"({"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"arguments":{}}})");
  ASSERT_TRUE(served_.ServeUntil([&] { return Finished() >= 10; })) << served_.Stderr();

  // All workers are busy, so the last one is cancelled before it starts; the first while it runs.
  for (int i = 0; i < kWorkers; ++i)
    served_.Send(CallLine(20 + i, "Bash", {{"command", "echo > busy" + std::to_string(i) + "; exec sleep 1000"}}));
  ASSERT_TRUE(served_.ServeUntil([&] {
    for (int i = 0; i < kWorkers; ++i)
      if (!std::filesystem::exists(served_.Path("work/busy" + std::to_string(i)))) return false;
    return true;
  }));
  served_.Send(CallLine(30, "Glob", {{"pattern", "*"}}));
  for (const char* id : {"30", "20"}) {
    served_.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + std::string(id) +
                 "}}");
  }
  ASSERT_TRUE(served_.ServeUntil([&] { return Finished() == 12; }));
  served_.Kill(SIGKILL);
  ASSERT_TRUE(served_.ServeUntil([&] { return served_.Count(channel::ServerEvent::Kind::kClosed) == 1; }));
  for (const channel::ServerEvent& event : served_.events()) monitor_.Handle(event);
  monitor_.Finish();

  const std::size_t calls = 12 + kWorkers - 1;
  EXPECT_EQ(Started(), calls);
  EXPECT_EQ(CountOf(log_.lines, "tool call "), calls);
  EXPECT_EQ(CountOf(audit_.lines, "tool.call "), calls);
  ASSERT_EQ(spans_.spans.size(), calls);
  std::map<std::string, int> ends;
  std::vector<std::string> ids;
  for (const SpanRecord& span : spans_.spans) {
    std::string type = "ok", request;
    for (const auto& [key, value] : span.attributes) {
      if (key == "error.type") type = Text(value);
      if (key == "jsonrpc.request.id") request = Text(value);
    }
    ++ends[type];
    ids.push_back(span.span_id);
    EXPECT_EQ(span.kind, SpanKind::kServer);
    EXPECT_EQ(span.parent_span_id, kStep);
    if (request == "30") {
      EXPECT_EQ(span.start, span.end);
    }
    if (request == "1") {
      EXPECT_EQ(parent.at("result").at("content").at(0).at("text").as_string(),
                "00-" + std::string(kTrace) + "-" + span.span_id + "-01");
    }
  }
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::unique(ids).size(), 0U);
  EXPECT_EQ(ends, (std::map<std::string, int>{{"ok", 1},
                                              {"tool_error", 2},
                                              {"invalid_arguments", 1},
                                              {"-32602", 3},
                                              {"-32600", 1},
                                              {"policy_denied", 1},
                                              {"timeout", 1},
                                              {"cancelled", 2},
                                              {"proxy_lost", kWorkers - 1}}));
}

}  // namespace
}  // namespace awf
