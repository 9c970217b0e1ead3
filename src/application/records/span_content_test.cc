// The captured content of a call on its span.
#include "application/records/recorder_fixture_for_tests.h"
#include "domain/tool_observer.h"

namespace awf {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;

class SpanContentTest : public RunRecorderTest {
 protected:
  SpanContentTest() {
    masker_.AddSecret("hunter2hunter2");
    call_.arguments = R"({"pattern":"hunter2hunter2","password":"x"})";
    call_.bytes_in = call_.arguments.size();
  }
  // The attributes of the span of a call with that result.
  std::vector<std::string> Attributes(const std::string& result, bool wanted) {
    RunRecorder recorder({"me", "box", "0.1.0", {}, {}}, {{&log_}, &audit_, &spans_, wanted ? &masker_ : nullptr},
                         nullptr, [] { return At(5000); });
    CallEnd end = Ended(CallOutcome::kOk);
    end.result = result;
    end.bytes_out = result.size();
    recorder.CallStarted(step_, call_);
    recorder.CallFinished(step_, call_, end);
    return Texts(spans_.spans.back().attributes);
  }
  Masker masker_;
};

TEST_F(SpanContentTest, IsMaskedByKeyAndValue) {
  const auto attributes = Attributes("found hunter2hunter2", true);
  EXPECT_THAT(attributes, Contains(R"(gen_ai.tool.call.arguments={"pattern":"***","password":"***"})"));
  EXPECT_THAT(attributes, Contains("gen_ai.tool.call.result=found ***"));
}

TEST_F(SpanContentTest, IsCutAfterItWasMasked) {
  const std::string lead(kLongestSpanContent - 5, 'x');
  EXPECT_THAT(Attributes(lead + "hunter2hunter2" + "yyyyyyyy", true),
              Contains("gen_ai.tool.call.result=" + lead + "***yy"));
  call_.arguments = json::serialize(json::object{{"content", std::string(10'000, 'x')}});
  const auto attributes = Attributes("", true);
  EXPECT_THAT(attributes,
              Contains(R"(gen_ai.tool.call.arguments={"content":")" + std::string(kLongestSpanContent - 12, 'x')));
  EXPECT_THAT(attributes, Not(Contains(StartsWith("gen_ai.tool.call.result"))));
}

TEST_F(SpanContentTest, StaysOffWhereItIsNotWanted) {
  EXPECT_THAT(Attributes("found", false), Not(Contains(StartsWith("gen_ai.tool.call.arg"))));
  EXPECT_THAT(Attributes("found", false), Not(Contains(StartsWith("gen_ai.tool.call.res"))));
}

}  // namespace
}  // namespace awf
