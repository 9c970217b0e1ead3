// The records of plugin calls that an agent CLI makes: one log line, audit record and span each, whose id the plugin
// gets as its parent.
#include "application/records/recorder_fixture_for_tests.h"
#include "tests/agents/plugin_tools_fixture.h"

namespace awf::agents {
namespace {

using PluginCallRecordsTest = PluginToolsTest;

std::string Attribute(const Attributes& attributes, std::string_view name) {
  for (const auto& [key, value] : attributes) {
    if (key == name) return Text(value);
  }
  return "";
}

TEST_F(PluginCallRecordsTest, OneCallIsOneLineOneRecordOneSpanWithItsRpc) {
  tracing_.spans = true;
  tracing_.trace_state = "vendor=1";
  FakeLog log;
  FakeAudit audit;
  FakeSpans spans;
  RunRecorder recorder({"me", "box", "0.1.0", {}, {}}, {{&log}, &audit, &spans}, nullptr);
  RunStart start;
  start.trace_id = request_.step.trace_id;
  start.span_id = kRoot;
  recorder.RunStarted(start);
  recorder.StepStarted(request_.step, {});
  Scenario(Steps({Forge("say", {{"text", "hello"}}), Forge("fail"), Forge("late"), Forge("say")}));
  const StepResult result = Run(&recorder);
  EXPECT_EQ(Message(result), "");
  recorder.StepEnded(request_.step, result.end);

  const auto count_of = [](const std::vector<std::string>& lines, std::string_view text) {
    return std::ranges::count_if(lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_EQ(count_of(log.lines, " tool call {"), 4);
  EXPECT_EQ(count_of(log.lines, R"("source":"plugin:forge")"), 4);
  EXPECT_EQ(count_of(audit.lines, "tool.call {"), 4);
  ASSERT_EQ(spans.spans.size(), 5U);
  std::vector<std::string> told;
  for (const SpanRecord& span : spans.spans) {
    if (!span.name.starts_with("tool.call: ")) continue;
    std::string line = Attribute(span.attributes, "tool.name") + " " + Attribute(span.attributes, "error.type");
    for (const SpanEvent& event : span.events) {
      line += " " + event.name + " " + Attribute(event.attributes, "rpc.response.status_code");
      if (event.name != "rpc") continue;
      EXPECT_GE(event.time, span.start);
      EXPECT_LE(event.time, span.end);
    }
    told.push_back(line);
    EXPECT_EQ(span.kind, SpanKind::kServer);
    EXPECT_EQ(span.parent_span_id, request_.step.span_id);
    EXPECT_EQ(Attribute(span.attributes, "tool.source"), "plugin:forge");
    EXPECT_EQ(Attribute(span.attributes, "gen_ai.tool.type"), "extension");
    if (span.events.empty() || span.events[0].name != "rpc") continue;
    EXPECT_EQ(traces_.at(span.span_id), "00-" + request_.step.trace_id + "-" + span.span_id + "-01");
  }
  EXPECT_EQ(told, (std::vector<std::string>{"forge_say  rpc OK", "forge_fail tool_error rpc OK exception ",
                                            "forge_late timeout rpc DEADLINE_EXCEEDED exception ",
                                            "forge_say invalid_arguments exception "}));
  EXPECT_EQ(traces_.size(), 3U);
}

}  // namespace
}  // namespace awf::agents
