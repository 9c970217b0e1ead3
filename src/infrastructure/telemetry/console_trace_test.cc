#include "infrastructure/telemetry/console_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace awf::telemetry {
namespace {

using testing::ElementsAre;

SpanRecord Span(const std::string& id, const std::string& parent, const std::string& name, int start, int end) {
  SpanRecord span;
  span.span_id = id;
  span.parent_span_id = parent;
  span.name = name;
  span.start = WallClock::time_point(std::chrono::milliseconds(start));
  span.end = WallClock::time_point(std::chrono::milliseconds(end));
  return span;
}

class ConsoleTraceTest : public testing::Test {
 protected:
  ConsoleTrace Make(SpanId remote_parent = {}, std::size_t most = ConsoleTrace::kMostSpans) {
    return {std::move(remote_parent), masker_, [this](std::string_view text) { printed_.emplace_back(text); }, most};
  }

  Masker masker_;
  std::vector<std::string> printed_;
};

TEST_F(ConsoleTraceTest, DrawsTheTreeAtTheEndOfTheRoot) {
  masker_.AddSecret("hunter2hunter2");
  ConsoleTrace trace = Make();
  trace.Write(Span("c2", "s1", "tool.call: Grep", 40, 41));
  SpanRecord bash = Span("c1", "s1", "tool.call: Bash", 20, 37);
  bash.failed = true;
  bash.status_message = "exit code 1: hunter2hunter2\x1b[31m\nmore";
  trace.Write(bash);
  SpanRecord review = Span("s1", "r", "step: review", 10, 5130);
  review.attributes = {{"step.name", "review"},
                       {"awf.provider", "claude"},
                       {"awf.attempts", std::int64_t{2}},
                       {"gen_ai.usage.input_tokens", std::int64_t{910}},
                       {"awf.isolation.level", "proven"}};
  trace.Write(review);
  SpanRecord test = Span("s2", "r", "step: test", 5140, 5150);
  test.failed = true;
  test.attributes = {{"error.type", "EXECUTION.COMMAND.FAILED"}};
  trace.Write(test);
  EXPECT_TRUE(printed_.empty());
  SpanRecord root = Span("r", "", "workflow.execution", 0, 5200);
  root.attributes = {{"workflow.name", "w"}, {"awf.run.status", "failed"}};
  root.failed = true;
  EXPECT_TRUE(trace.Write(root));
  EXPECT_THAT(printed_, ElementsAre("workflow.execution  5.2 s  w  failed  ✗ error\n"
                                    "├─ step: review  5.1 s  claude  attempts 2  tokens in 910  isolation proven\n"
                                    "│  ├─ tool.call: Bash  17 ms  ✗ error: exit code 1: *** more\n"
                                    "│  └─ tool.call: Grep  1 ms\n"
                                    "└─ step: test  10 ms  ✗ error: EXECUTION.COMMAND.FAILED\n"));
}

TEST_F(ConsoleTraceTest, ARootMayHaveAParentElsewhereAndTheNextOneBeginsAnew) {
  ConsoleTrace trace = Make("remote");
  trace.Write(Span("s", "r", "step: a", 0, 1));
  trace.Write(Span("r", "remote", "workflow.execution", 0, 2));
  trace.Write(Span("lost", "nowhere", "step: b", 3, 4));
  trace.Write(Span("q", "remote", "workflow.execution", 3, 5));
  EXPECT_THAT(printed_, ElementsAre("workflow.execution  2 ms\n└─ step: a  1 ms\n",
                                    "workflow.execution  2 ms\n└─ step: b  1 ms\n"));
}

TEST_F(ConsoleTraceTest, KeepsSoManySpansAndNoMore) {
  ConsoleTrace trace = Make({}, 2);
  for (const char* id : {"a", "b", "c", "d"}) trace.Write(Span(id, "s", std::string("tool.call: ") + id, 0, 1));
  trace.Write(Span("s", "r", "step: s", 0, 1));
  trace.Write(Span("r", "", "workflow.execution", 0, 2));
  EXPECT_THAT(printed_, ElementsAre("workflow.execution  2 ms\n├─ tool.call: a  1 ms\n└─ tool.call: b  1 ms\n"
                                    "… and 3 more spans\n"));
}

TEST_F(ConsoleTraceTest, LongTextsAreCut) {
  ConsoleTrace trace = Make();
  trace.Write(Span("r", "", std::string(199, 'x') + "äy", 0, 2));
  EXPECT_THAT(printed_, ElementsAre(std::string(199, 'x') + "…  2 ms\n"));
}

}  // namespace
}  // namespace awf::telemetry
