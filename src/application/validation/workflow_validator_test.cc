// What findings say, and that big workflows are checked in time; which findings there are is told by
// tests/fixtures/workflows.
#include "application/validation/workflow_validator.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "application/validation/findings.h"
#include "application/validation/test_workflows.h"

namespace awf {
namespace {

std::vector<Finding> Validate(const Workflow& workflow) {
  std::vector<Finding> findings;
  ValidateWorkflow(workflow, {}, findings);
  SortFindings(findings);
  return findings;
}

struct Said {
  const char* name;
  const char* text;  // of a command
  const char* message;
  const char* hint;
};

class MessageTest : public testing::TestWithParam<Said> {};

TEST_P(MessageTest, NamesTheThingAndWhatToDo) {
  WorkflowBuilder builder;
  builder.Input("who");
  builder.Parallel("checks", {"lint"}, "a");
  builder.Step("lint").capture.stdout_name = "report";
  builder.Step("a", "z").body = CommandState{builder.Text(GetParam().text), {}};
  builder.Terminal("z");
  const std::vector<Finding> findings = Validate(builder.workflow());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].error.message, GetParam().message);
  EXPECT_EQ(findings[0].error.hint, GetParam().hint);
  EXPECT_EQ(findings[0].error.code, "WORKFLOW.VALIDATION.UNDEFINED_REFERENCE");
  EXPECT_EQ(findings[0].error.step, "a");
  EXPECT_EQ(findings[0].error.field, "command");
}

INSTANTIATE_TEST_SUITE_P(
    References, MessageTest,
    testing::Values(
        Said{"Input", "{{.inputs.hwo}}", "there is no input 'hwo'", "did you mean 'who'?"},
        Said{"State", "{{.states.lnit.Output}}", "there is no state 'lnit'", "did you mean 'lint'?"},
        Said{"Field", "{{.states.lint.exitcode}}", "'lint' is of type step, which has no field 'exitcode'",
             "did you mean 'ExitCode'?"},
        Said{"Container", "{{.states.checks.Output}}", "'checks' is of type parallel, which has no field 'Output'",
             "what it yields is in Response"},
        Said{"Branch", "{{.states.checks.Response.lnt}}", "'checks' has no branch 'lnt'", "did you mean 'lint'?"},
        Said{"Key", "{{.workflow.id}}", "'workflow' has no 'id'", "did you mean 'ID'?"},
        Said{"OtherKey", "{{.context.Hostess}}", "'context' has no 'Hostess'", "it has WorkingDir, User, Hostname"},
        Said{"Capture", "{{.captures.reprot}}", "no state captures 'reprot'", "did you mean 'report'?"},
        Said{"NoCapture", "{{.captures.other}}", "no state captures 'other'",
             "a state makes it by capture: {stdout: other}"},
        Said{"LoopOutside", "{{.loop.Item}}", "'loop' is there in the body of a loop only",
             "list 'a' in the body of a for_each, or leave it out"},
        Said{"ErrorOutside", "{{.error.Code}}", "'error' is there in on_failure.message only",
             "states.NAME.Error and states.NAME.ErrorCode tell why a state failed"},
        Said{"NamespaceCase", "{{.Inputs.who}}",
             "there is no 'Inputs'; values stand in inputs, states, captures, env, workflow, awf, loop, context, error",
             "did you mean 'inputs'?"},
        Said{"BareInput", "{{.who}}",
             "there is no 'who'; values stand in inputs, states, captures, env, workflow, awf, loop, context, error",
             "did you mean 'inputs.who'?"},
        Said{"Function", "{{uper .inputs.who}}", "there is no function 'uper'", "did you mean 'upper'?"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(WorkflowValidator, UnquotedTextInAnExpressionGetsAHint) {
  WorkflowBuilder builder;
  builder.Input("mode");
  builder.Step("a", "z").transitions = {{builder.Text("inputs.mode == fast"), builder.Target("z"), {}}};
  builder.Terminal("z");
  const std::vector<Finding> findings = Validate(builder.workflow());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].error.hint, "a text needs quotes: \"fast\"");
  EXPECT_EQ(findings[0].error.field, "transitions[0].when");
}

TEST(WorkflowValidator, AMaskedFailureSaysHowToCatchIt) {
  WorkflowBuilder builder;
  builder.Step("a").transitions = {{{}, builder.Target("z"), {"x.yaml", 5, 9}}};
  builder.Terminal("z");
  const std::vector<Finding> findings = Validate(builder.workflow());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_EQ(findings[0].error.message, "a failure of 'a' goes to 'z' like a success");
  EXPECT_EQ(findings[0].error.hint, "catch it before, with when: states.a.Status != \"success\"");
  EXPECT_EQ(findings[0].error.position, (Position{"x.yaml", 5, 9}));
}

std::string NameOf(std::size_t i) { return "s" + std::to_string(i); }

// A search for each state that is referred to: fine in a row of them.
TEST(WorkflowValidator, TenThousandStatesInARowAreCheckedWhole) {
  constexpr std::size_t kStates = 10'000;
  WorkflowBuilder builder;
  for (std::size_t i = 0; i < kStates; ++i) {
    State& state = builder.Step(NameOf(i), i + 1 < kStates ? NameOf(i + 1) : "z");
    if (i > 0) state.body = CommandState{builder.Text("echo {{.states." + NameOf(i - 1) + ".Output}}"), {}};
    if (i == kStates - 1) state.hooks.pre = {{Hook::Kind::kLog, builder.Text("{{.states.s9999.Output}}")}};
  }
  builder.Terminal("z");
  const std::vector<Finding> findings = Validate(builder.workflow());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].error.code, "WORKFLOW.VALIDATION.FORWARD_REFERENCE");
}

// Hints and searches for the order are given up where they would take too long; the findings are all there.
TEST(WorkflowValidator, AFileFullOfErrorsIsCheckedInTime) {
  constexpr std::size_t kStates = 4'000;  // searched to the end, each hint costs as much as there are states
  WorkflowBuilder builder;
  for (std::size_t i = 0; i < kStates; ++i) {
    State& state = builder.Step(NameOf(i), NameOf(i + 1));
    state.on_failure = builder.Target("nowhere" + NameOf(i));
    state.body = CommandState{builder.Text("{{.states.q" + NameOf(i) + ".Output}} {{.inputs.x}} {{if}}"), {}};
    state.hooks.pre = {{Hook::Kind::kLog, builder.Text("{{.states.q" + NameOf(i) + ".Output}} {{.states.s1.output}}")}};
  }
  builder.Terminal(NameOf(kStates));
  const std::vector<Finding> findings = Validate(builder.workflow());
  EXPECT_EQ(findings.size(), 4 * kStates);
}

// Every state reads the one behind it, which can never have run.
TEST(WorkflowValidator, TenThousandForwardReferencesAreCheckedInTime) {
  constexpr std::size_t kStates = 10'000;
  WorkflowBuilder builder;
  for (std::size_t i = 0; i < kStates; ++i) {
    builder.Step(NameOf(i), NameOf(i + 1)).body =
        CommandState{builder.Text("{{.states." + NameOf((i + 1) % kStates) + ".Output}}"), {}};
  }
  builder.Terminal(NameOf(kStates));
  const std::vector<Finding> findings = Validate(builder.workflow());
  EXPECT_GT(findings.size(), kStates / 2);
  for (const Finding& finding : findings) EXPECT_EQ(finding.error.code, "WORKFLOW.VALIDATION.FORWARD_REFERENCE");
}

}  // namespace
}  // namespace awf
