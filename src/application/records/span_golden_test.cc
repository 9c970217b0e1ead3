// The complete set of spans of a run: every name, attribute, type, value, event, link and status. A change of a
// convention is a change of span_names.h and of this file.
#include <algorithm>
#include <sstream>

#include "application/records/recorder_fixture_for_tests.h"

namespace awf {
namespace {

constexpr char kOtherTrace[] = "0af7651916cd43dd8448eb211c80319c";

std::string Typed(const AttributeValue& value) {
  static constexpr const char* kTypes[] = {"string", "int", "bool", "double"};
  return std::string(kTypes[value.index()]) + " " + Text(value);
}

long long Ms(WallClock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// One span as lines: "NAME KIND ID < PARENT START..END", then what hangs on it.
std::string Rendered(const SpanRecord& span) {
  std::ostringstream text;
  text << span.name << (span.kind == SpanKind::kServer ? " SERVER " : " INTERNAL ") << span.span_id;
  if (!span.parent_span_id.empty()) text << " < " << span.parent_span_id;
  text << " " << Ms(span.start) << ".." << Ms(span.end) << "\n";
  if (!span.trace_state.empty()) text << "  state " << span.trace_state << "\n";
  for (const auto& [key, value] : span.attributes) text << "  " << key << ": " << Typed(value) << "\n";
  for (const SpanEvent& event : span.events) {
    text << "  event " << event.name << " " << Ms(event.time);
    for (const auto& [key, value] : event.attributes) text << "; " << key << ": " << Typed(value);
    text << "\n";
  }
  for (const SpanLink& link : span.links)
    text << "  link " << link.trace_id << " " << link.span_id << " " << link.trace_state << "\n";
  if (span.failed) text << "  ERROR " << span.status_message << "\n";
  return text.str();
}

class SpanGoldenTest : public RunRecorderTest {
 protected:
  SpanGoldenTest() {
    start_.traceparent = "00-" + std::string(kTrace) + "-00f067aa0ba902b7-01";
    start_.tracestate = "vendor=1";
    start_.parent_span_id = "00f067aa0ba902b7";
  }

  // Spans end later than any test takes.
  static StepEnd Took(int seconds) {
    StepEnd end;
    end.duration = std::chrono::seconds(seconds);
    return end;
  }

  StepContext Context(std::string name, StepKind kind, char digit) const {
    StepContext context = step_;
    context.step = context.path = std::move(name);
    context.kind = kind;
    context.span_id = std::string(16, digit);
    return context;
  }

  void Call(RunRecorder& recorder, const StepContext& step, char digit, CallOutcome outcome, const std::string& tool,
            std::string error = {}, std::string type = {}) {
    CallRecord call = call_;
    call.call = std::string(15, 'c') + digit;
    call.tool = tool;
    recorder.CallStarted(step, call);
    recorder.CallFinished(step, call, Ended(outcome, std::move(error), std::move(type)));
  }

  std::string Spans() const {
    std::string text;
    for (const SpanRecord& span : spans_.spans) {
      EXPECT_EQ(span.trace_id, kTrace);
      text += Rendered(span);
    }
    return text;
  }

  RunRecorder Styled(SpanStyle style) {
    return RunRecorder({"me", "box", "0.1.0", {}, style}, {{&log_}, &audit_, &spans_}, nullptr,
                       [] { return At(5000); });
  }
};

TEST_F(SpanGoldenTest, CommandsWithRetryLoopBranchFailureAndCancelling) {
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  StepStart at;
  at.time = At(1500);

  StepContext build = Context("build", StepKind::kCommand, 'a');
  recorder.StepStarted(build, at);
  recorder.StepRetried(build,
                       {2, std::chrono::milliseconds(250), {"EXECUTION.COMMAND.FAILED", "exit 2", "", {}, "", ""}});
  build.attempt = 2;
  StepEnd built = Took(60);
  built.attempts = 2;
  recorder.StepEnded(build, built);

  const StepContext loop = Context("all", StepKind::kForEach, 'b');
  StepContext body = Context("fix", StepKind::kCommand, 'd');
  body.parent_span_id = loop.span_id;
  body.loop_index = 0;
  recorder.StepStarted(loop, at);
  recorder.StepStarted(body, at);
  StepEnd failed = Took(61);
  failed.status = StepStatus::kFailure;
  failed.exit_code = 2;
  failed.error = Error{"EXECUTION.COMMAND.FAILED", "the command exited with code 2", "", {}, "fix", ""};
  recorder.StepEnded(body, failed);
  recorder.StepEnded(loop, Took(62));

  const StepContext both = Context("both", StepKind::kParallel, 'e');
  StepContext branch = Context("lint", StepKind::kCommand, 'f');
  branch.parent_span_id = both.span_id;
  branch.branch = "lint";
  recorder.StepStarted(both, at);
  recorder.StepStarted(branch, at);
  StepEnd cancelled = Took(63);
  cancelled.status = StepStatus::kCancelled;
  cancelled.exit_code = 143;
  cancelled.error = Error{"EXECUTION.RUN.CANCELLED", "the run was interrupted", "", {}, "lint", ""};
  recorder.StepEnded(branch, cancelled);
  cancelled.exit_code = 1;
  recorder.StepEnded(both, cancelled);

  const StepContext done = Context("done", StepKind::kTerminal, '9');
  recorder.StepStarted(done, at);
  recorder.StepEnded(done, Took(64));
  RunEnd end;
  end.status = "cancelled";
  end.exit_code = 3;
  end.error = Error{"EXECUTION.RUN.CANCELLED", "the run was interrupted", "", {}, "", ""};
  end.duration = std::chrono::seconds(90);
  recorder.RunEnded(end);

  EXPECT_EQ(Spans(), R"(step: build INTERNAL aaaaaaaaaaaaaaaa < 1111111111111111 1500..61500
  state vendor=1
  step.name: string build
  step.type: string step
  step.status: string success
  awf.attempts: int 2
  process.exit.code: int 0
  event retry 5000; attempt: int 2; delay_ms: int 250; error: string exit 2
step: fix INTERNAL dddddddddddddddd < bbbbbbbbbbbbbbbb 1500..62500
  state vendor=1
  step.name: string fix
  step.type: string step
  step.status: string failure
  awf.loop.index: int 0
  process.exit.code: int 2
  error.type: string EXECUTION.COMMAND.FAILED
  ERROR the command exited with code 2
step: all INTERNAL bbbbbbbbbbbbbbbb < 1111111111111111 1500..63500
  state vendor=1
  step.name: string all
  step.type: string for_each
  step.status: string success
step: lint INTERNAL ffffffffffffffff < eeeeeeeeeeeeeeee 1500..64500
  state vendor=1
  step.name: string lint
  step.type: string step
  step.status: string cancelled
  awf.branch: string lint
  process.exit.code: int 143
  error.type: string EXECUTION.RUN.CANCELLED
  event cancelled 64500
  ERROR the run was interrupted
step: both INTERNAL eeeeeeeeeeeeeeee < 1111111111111111 1500..64500
  state vendor=1
  step.name: string both
  step.type: string parallel
  step.status: string cancelled
  error.type: string EXECUTION.RUN.CANCELLED
  event cancelled 64500
  ERROR the run was interrupted
step: done INTERNAL 9999999999999999 < 1111111111111111 1500..65500
  state vendor=1
  step.name: string done
  step.type: string terminal
  step.status: string success
workflow.execution INTERNAL 1111111111111111 < 00f067aa0ba902b7 1000..91000
  state vendor=1
  workflow.name: string review
  workflow.version: string 1.0
  awf.run.id: string r
  gen_ai.operation.name: string invoke_workflow
  gen_ai.workflow.name: string review
  awf.run.status: string cancelled
  awf.exit_code: int 3
  awf.steps: int 6
  awf.tool_calls: int 0
  awf.audit.head: string hash13
  ERROR the run was interrupted
)");
}

TEST_F(SpanGoldenTest, AnAgentOverStdio) {
  start_.traceparent.clear();
  start_.tracestate.clear();
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  StepStart at;
  at.time = At(1500);
  at.provider = "claude";
  at.model = "opus";
  at.proxy = at.proxy_set = at.intercept = true;
  at.sandbox = "workspace-write";
  recorder.StepStarted(step_, at);
  recorder.ProxyIsReady(step_, {"claude-code", "2.1.332", "2025-11-25", {"Bash", "Grep"}, "digest", 42, 1});
  Call(recorder, step_, '1', CallOutcome::kOk, "Grep");
  call_.client_call_id.clear();
  call_.request_id = R"("a-7")";
  Call(recorder, step_, '2', CallOutcome::kError, "Edit", "old_string occurs 3 times", "tool_error");
  Call(recorder, step_, '3', CallOutcome::kError, "Read", "invalid arguments: 'path' is required", "invalid_arguments");
  Call(recorder, step_, '4', CallOutcome::kCancelled, "Bash", "cancelled by client", "cancelled");
  Call(recorder, step_, '5', CallOutcome::kLost, "Bash");
  call_.source = "unknown";
  Call(recorder, step_, '6', CallOutcome::kError, "Nope", "unknown tool Nope; available: Read", "-32602");
  call_.source = "builtin";
  call_.request_id = "8";
  call_.traceparent = "00-" + std::string(kTrace) + "-3333333333333333-01";
  call_.tracestate = "client=1";
  CallEnd denied =
      Ended(CallOutcome::kDenied, "Blocked by the sandbox (workspace-write): cannot write /x.", "policy_denied");
  denied.denied = "sandbox";
  recorder.CallFinished(step_, call_, denied);
  call_.traceparent = "00-" + std::string(kOtherTrace) + "-3333333333333333-01";
  CallEnd exit = Ended(CallOutcome::kError, "command exited with code 2: oops", "tool_error");
  exit.exit_code = 2;
  exit.truncated = true;
  step_.attempt = 2;
  recorder.CallFinished(step_, call_, exit);
  call_.traceparent.clear();
  call_.source = "plugin:forge";
  recorder.PluginStarted(step_, {"forge", "0.1.0", "/p/forge", "aa", true, std::chrono::milliseconds(35)});
  call_.call = std::string(15, 'c') + '7';
  call_.tool = "forge_run";
  CallEnd plugin = Ended(CallOutcome::kTimeout, "timeout after 120 s", "timeout");
  plugin.rpc = RpcRecord{"plugin.v1.OperationService", "Execute", 4, std::chrono::microseconds(1500),
                         std::chrono::microseconds(4100)};
  recorder.CallFinished(step_, call_, plugin);
  recorder.ProxyWasLost(step_, {42, "claude-code", 1, false});
  recorder.Bypassed(step_, {"Read", "toolu_9", "tool_use", "claude", false});
  StepEnd end = Took(60);
  end.attempts = 2;
  end.usage = {910, 210, 1120, false, 0.5};
  end.isolation = IsolationLevel::kCoexisting;
  end.sandbox = "degraded";
  end.provider = "claude";
  end.provider_version = "2.1.332";
  end.model = "claude-opus-4";
  end.session_id = "s-1";
  end.proxy = end.intercept = true;
  end.proxy_tools = 2;
  recorder.StepEnded(step_, end);

  EXPECT_EQ(Spans(), R"(tool.call: Grep SERVER ccccccccccccccc1 < 2222222222222222 2000..2006
  tool.name: string Grep
  tool.source: string builtin
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string Grep
  gen_ai.tool.type: string function
  gen_ai.tool.call.id: string toolu_1
  mcp.method.name: string tools/call
  mcp.protocol.version: string 2025-11-25
  jsonrpc.request.id: string 7
  network.transport: string pipe
  awf.bytes_in: int 20
  awf.bytes_out: int 90
tool.call: Edit SERVER ccccccccccccccc2 < 2222222222222222 2000..2006
  tool.name: string Edit
  tool.source: string builtin
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string Edit
  gen_ai.tool.type: string function
  mcp.method.name: string tools/call
  mcp.protocol.version: string 2025-11-25
  jsonrpc.request.id: string a-7
  network.transport: string pipe
  error.type: string tool_error
  awf.bytes_in: int 20
  awf.bytes_out: int 90
  event exception 2006; exception.type: string tool_error; exception.message: string old_string occurs 3 times
  ERROR old_string occurs 3 times
tool.call: Read SERVER ccccccccccccccc3 < 2222222222222222 2000..2006
  tool.name: string Read
  tool.source: string builtin
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string Read
  gen_ai.tool.type: string function
  mcp.method.name: string tools/call
  mcp.protocol.version: string 2025-11-25
  jsonrpc.request.id: string a-7
  network.transport: string pipe
  error.type: string invalid_arguments
  awf.bytes_in: int 20
  awf.bytes_out: int 90
  event exception 2006; exception.type: string invalid_arguments; exception.message: string invalid arguments: 'path' is required
  ERROR invalid arguments: 'path' is required
tool.call: Bash SERVER ccccccccccccccc4 < 2222222222222222 2000..2006
  tool.name: string Bash
  tool.source: string builtin
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string Bash
  gen_ai.tool.type: string function
  mcp.method.name: string tools/call
  mcp.protocol.version: string 2025-11-25
  jsonrpc.request.id: string a-7
  network.transport: string pipe
  error.type: string cancelled
  awf.bytes_in: int 20
  awf.bytes_out: int 90
  event exception 2006; exception.type: string cancelled; exception.message: string cancelled by client
  ERROR cancelled by client
tool.call: Bash SERVER ccccccccccccccc5 < 2222222222222222 2000..2006
  tool.name: string Bash
  tool.source: string builtin
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string Bash
  gen_ai.tool.type: string function
  mcp.method.name: string tools/call
  mcp.protocol.version: string 2025-11-25
  jsonrpc.request.id: string a-7
  network.transport: string pipe
  error.type: string proxy_lost
  awf.bytes_in: int 20
  awf.bytes_out: int 90
  event exception 2006; exception.type: string proxy_lost; exception.message: string proxy lost: no result before the server ended
  ERROR proxy lost: no result before the server ended
tool.call: Nope SERVER ccccccccccccccc6 < 2222222222222222 2000..2006
  tool.name: string Nope
  tool.source: string unknown
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string Nope
  gen_ai.tool.type: string function
  mcp.method.name: string tools/call
  mcp.protocol.version: string 2025-11-25
  jsonrpc.request.id: string a-7
  network.transport: string pipe
  error.type: string -32602
  awf.bytes_in: int 20
  awf.bytes_out: int 90
  event exception 2006; exception.type: string -32602; exception.message: string unknown tool Nope; available: Read
  ERROR unknown tool Nope; available: Read
tool.call: Grep SERVER 9f02c4d17be6a038 < 3333333333333333 2000..2006
  state client=1
  tool.name: string Grep
  tool.source: string builtin
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string Grep
  gen_ai.tool.type: string function
  mcp.method.name: string tools/call
  mcp.protocol.version: string 2025-11-25
  jsonrpc.request.id: string 8
  network.transport: string pipe
  error.type: string policy_denied
  awf.bytes_in: int 20
  awf.bytes_out: int 90
  event exception 2006; exception.type: string policy_denied; exception.message: string Blocked by the sandbox (workspace-write): cannot write /x.
  ERROR Blocked by the sandbox (workspace-write): cannot write /x.
tool.call: Grep SERVER 9f02c4d17be6a038 < 2222222222222222 2000..2006
  tool.name: string Grep
  tool.source: string builtin
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string Grep
  gen_ai.tool.type: string function
  mcp.method.name: string tools/call
  mcp.protocol.version: string 2025-11-25
  jsonrpc.request.id: string 8
  network.transport: string pipe
  error.type: string tool_error
  process.exit.code: int 2
  awf.bytes_in: int 20
  awf.bytes_out: int 90
  awf.truncated: bool true
  awf.attempt: int 2
  event exception 2006; exception.type: string tool_error; exception.message: string command exited with code 2: oops
  link 0af7651916cd43dd8448eb211c80319c 3333333333333333 client=1
  ERROR command exited with code 2: oops
tool.call: forge_run SERVER ccccccccccccccc7 < 2222222222222222 2000..2006
  tool.name: string forge_run
  tool.source: string plugin:forge
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string forge_run
  gen_ai.tool.type: string extension
  mcp.method.name: string tools/call
  mcp.protocol.version: string 2025-11-25
  jsonrpc.request.id: string 8
  network.transport: string pipe
  error.type: string timeout
  awf.bytes_in: int 20
  awf.bytes_out: int 90
  awf.attempt: int 2
  event rpc 2001; rpc.system.name: string grpc; rpc.method: string plugin.v1.OperationService/Execute; rpc.response.status_code: string DEADLINE_EXCEEDED; duration_us: int 4100
  event exception 2006; exception.type: string timeout; exception.message: string timeout after 120 s
  ERROR timeout after 120 s
step: work INTERNAL 2222222222222222 < 1111111111111111 1500..61500
  step.name: string work
  step.type: string agent
  step.status: string success
  awf.attempts: int 2
  awf.provider: string claude
  awf.provider.version: string 2.1.332
  gen_ai.operation.name: string invoke_agent
  gen_ai.agent.name: string work
  gen_ai.provider.name: string anthropic
  gen_ai.request.model: string opus
  gen_ai.conversation.id: string s-1
  gen_ai.usage.input_tokens: int 910
  gen_ai.usage.output_tokens: int 210
  awf.tokens.estimated: bool false
  awf.cost_usd: double 5E-1
  awf.proxy.enabled: bool true
  awf.proxy.intercept: bool true
  awf.proxy.tools: int 2
  awf.proxy.starts: int 1
  awf.isolation.level: string coexisting
  awf.sandbox: string degraded
  awf.bypasses: int 1
  event proxy.ready 5000; client: string claude-code; protocol_version: string 2025-11-25
  event plugin.started 5000; plugin: string forge; duration_ms: int 35
  event proxy.lost 5000; calls: int 1; replaced: bool false
  event isolation.bypass 5000; tool: string Read; call_id: string toolu_9
)");
}

TEST_F(SpanGoldenTest, AgentsInProcessWithoutProxyAndWithOneSwitchedOff) {
  start_.traceparent.clear();
  RunRecorder recorder = Make();
  recorder.RunStarted(start_);
  call_.request_id.clear();
  StepStart at;
  at.time = At(1500);
  at.provider = "openai_compatible";
  const StepContext local = Context("local", StepKind::kAgent, 'a');
  at.proxy = at.proxy_set = true;
  recorder.StepStarted(local, at);
  Call(recorder, local, '1', CallOutcome::kOk, "Grep");
  StepEnd end = Took(60);
  end.proxy = true;
  end.proxy_tools = 6;
  end.sandbox = "off";
  end.usage = {7, 3, 10, true, {}};
  recorder.StepEnded(local, end);

  at.proxy = false;
  const StepContext off = Context("off", StepKind::kAgent, 'b');
  recorder.StepStarted(off, at);
  recorder.StepEnded(off, Took(60));
  at.proxy_set = false;
  const StepContext bare = Context("bare", StepKind::kAgent, 'd');
  recorder.StepStarted(bare, at);
  end = Took(60);
  end.status = StepStatus::kFailure;
  end.error = Error{"EXECUTION.AGENT.NOT_INSTALLED", "claude is not installed", "", {}, "bare", ""};
  recorder.StepEnded(bare, end);

  EXPECT_EQ(Spans(), R"(tool.call: Grep INTERNAL ccccccccccccccc1 < aaaaaaaaaaaaaaaa 2000..2006
  tool.name: string Grep
  tool.source: string builtin
  tool.duration_ms: int 6
  gen_ai.operation.name: string execute_tool
  gen_ai.tool.name: string Grep
  gen_ai.tool.type: string function
  gen_ai.tool.call.id: string toolu_1
  awf.bytes_in: int 20
  awf.bytes_out: int 90
step: local INTERNAL aaaaaaaaaaaaaaaa < 1111111111111111 1500..61500
  step.name: string local
  step.type: string agent
  step.status: string success
  awf.provider: string openai_compatible
  gen_ai.operation.name: string invoke_agent
  gen_ai.agent.name: string local
  gen_ai.provider.name: string openai_compatible
  gen_ai.usage.input_tokens: int 7
  gen_ai.usage.output_tokens: int 3
  awf.tokens.estimated: bool true
  awf.proxy.enabled: bool true
  awf.proxy.intercept: bool false
  awf.proxy.tools: int 6
  awf.proxy.starts: int 0
  awf.isolation.level: string coexisting
  awf.sandbox: string off
  awf.bypasses: int 0
step: off INTERNAL bbbbbbbbbbbbbbbb < 1111111111111111 1500..61500
  step.name: string off
  step.type: string agent
  step.status: string success
  awf.provider: string openai_compatible
  gen_ai.operation.name: string invoke_agent
  gen_ai.agent.name: string off
  gen_ai.provider.name: string openai_compatible
  awf.proxy.enabled: bool false
  awf.proxy.intercept: bool false
  awf.proxy.tools: int 0
  awf.proxy.starts: int 0
step: bare INTERNAL dddddddddddddddd < 1111111111111111 1500..61500
  step.name: string bare
  step.type: string agent
  step.status: string failure
  error.type: string EXECUTION.AGENT.NOT_INSTALLED
  awf.provider: string openai_compatible
  gen_ai.operation.name: string invoke_agent
  gen_ai.agent.name: string bare
  gen_ai.provider.name: string openai_compatible
  ERROR claude is not installed
)");
}

TEST_F(SpanGoldenTest, ARunThatIsTakenUpInTheNamesOfTheConventions) {
  start_.traceparent.clear();
  start_.parent_span_id.clear();
  start_.resumed = true;
  start_.resumed_trace_id = kOtherTrace;
  start_.resumed_span_id = "7777777777777777";
  RunRecorder recorder = Styled({true, true});
  recorder.RunStarted(start_);
  StepStart at;
  at.time = At(1500);
  recorder.StepStarted(step_, at);
  Call(recorder, step_, '1', CallOutcome::kOk, "Grep");
  call_.request_id.clear();
  Call(recorder, step_, '2', CallOutcome::kOk, "Read");
  recorder.StepEnded(step_, Took(60));
  const StepContext build = Context("build", StepKind::kCommand, 'a');
  recorder.StepStarted(build, at);
  recorder.StepEnded(build, Took(60));
  RunEnd end;
  end.status = "completed";
  end.duration = std::chrono::seconds(90);
  recorder.RunEnded(end);

  ASSERT_EQ(spans_.spans.size(), 5U);
  const char* const names[] = {"tools/call Grep", "execute_tool Read", "invoke_agent work", "step: build",
                               "invoke_workflow review"};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(spans_.spans[i].name, names[i]);
    const auto texts = Texts(spans_.spans[i].attributes);
    EXPECT_EQ(std::ranges::count(texts, "openinference.span.kind=TOOL"), i < 2 ? 1 : 0) << names[i];
  }
  EXPECT_EQ(Rendered(spans_.spans[4]), R"(invoke_workflow review INTERNAL 1111111111111111 1000..91000
  workflow.name: string review
  workflow.version: string 1.0
  awf.run.id: string r
  awf.run.resumed: bool true
  gen_ai.operation.name: string invoke_workflow
  gen_ai.workflow.name: string review
  awf.run.status: string completed
  awf.exit_code: int 0
  awf.steps: int 2
  awf.tool_calls: int 2
  awf.audit.head: string hash7
  link 0af7651916cd43dd8448eb211c80319c 7777777777777777 )"
                                       "\n");
}

TEST_F(SpanGoldenTest, WhatIsWrongInTheEnvironmentsContextIsToldAndLeftOut) {
  struct Case {
    std::string parent, state, told;
  };
  const std::string valid = "00-" + std::string(kTrace) + "-00f067aa0ba902b7-01";
  for (const Case& c : {Case{valid, "A=1", "TRACESTATE ignored: not valid"},
                        Case{"", "a=1", "TRACESTATE ignored: no valid TRACEPARENT"}}) {
    log_.lines.clear();
    spans_.spans.clear();
    start_.traceparent = c.parent;
    start_.tracestate = c.state;
    RunRecorder recorder = Make();
    recorder.RunStarted(start_);
    recorder.RunEnded({});
    EXPECT_EQ(log_.lines[1], "debug " + c.told + " {} span=1111111111111111");
    EXPECT_EQ(spans_.spans[0].trace_state, "");
  }
}

}  // namespace
}  // namespace awf
