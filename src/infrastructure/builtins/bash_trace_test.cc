// Where a command of the Bash tool stands in the run's trace.
#include <gmock/gmock.h>

#include "infrastructure/builtins/bash.h"
#include "infrastructure/builtins/test_workspace.h"
#include "infrastructure/builtins/tool_fixture_for_tests.h"
#include "infrastructure/process/process_test_support.h"

namespace awf::builtins {
namespace {

class BashTraceTest : public process::ProcessTest {
 protected:
  BashTraceTest() {
    settings_ = workspace_.Settings();
    settings_.environment = {"PATH=/usr/bin:/bin", "TRACEPARENT=outer", "TRACESTATE=outer=1"};
  }
  void TearDown() override {
    child_.reset();
    process::ProcessTest::TearDown();
  }
  std::string Seen() {
    const BashTool tool(settings_, child_);
    return TextOf(CallTool(tool, {{"command", "echo \"${TRACEPARENT-none} ${TRACESTATE-none}\""}}));
  }

  TestWorkspace workspace_;
  ToolSettings settings_;
  std::shared_ptr<CommandChild> child_ = std::make_shared<CommandChild>(CommandChildOptions{});
};

TEST_F(BashTraceTest, TheCallIsTheParentOfItsCommand) {
  settings_.trace = {std::string(32, 'a'), true, ""};
  EXPECT_EQ(Seen(), "00-" + std::string(32, 'a') + "-0123456789abcdef-01 none");
}

TEST_F(BashTraceTest, WithoutSpansTheEnvironmentPassesUnchanged) { EXPECT_EQ(Seen(), "outer outer=1"); }

}  // namespace
}  // namespace awf::builtins
