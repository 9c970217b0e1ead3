// Which span the children of a run are told to work for, and what the options of logging do, with the whole program.
#include <gmock/gmock.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

constexpr char kOuter[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr char kOuterTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";

// Everything that runs on behalf of a state writes down what it was told.
constexpr char kWorkflow[] = R"(name: traced
states:
  initial: command
  command:
    type: step
    command: echo "${TRACEPARENT-none} ${TRACESTATE-none}" > command.seen
    hooks:
      pre: [{command: 'echo "${TRACEPARENT-none} ${TRACESTATE-none}" > hook.seen'}]
    on_success: script
  script: {type: step, script_file: script.sh, on_success: ask}
  ask: {type: agent, provider: claude, prompt: hi, mcp_proxy: {enable: true}, on_success: done}
  done: {type: terminal}
)";

class TraceContextTest : public testing::Test {
 protected:
  TraceContextTest() {
    world_.PutPrograms();
    world_.Write("ws/w.yaml", kWorkflow);
    world_.Write("ws/script.sh", "#!/bin/sh\necho \"${TRACEPARENT-none} ${TRACESTATE-none}\" > script.seen\n");
    world_.Write("scenario.json",
                 R"({"steps": [{"call": "Bash", "arguments":
                     {"command": "echo \"${TRACEPARENT-none} ${TRACESTATE-none}\" > bash.seen"}},
                     {"stderr": "a word of the agent"}]})");
    world_.environment()["FAKE_CLAUDE_SCENARIO"] = world_.Path("scenario.json").string();
    world_.environment()["FAKE_CLAUDE_RECORD"] = world_.Path("record.json").string();
  }

  int Awf(const std::string& arguments) {
    return world_.Shell("awf " + arguments + " --storage '" + world_.Path("storage").string() + "'");
  }
  // `awf run` with a name of its own: the newest of several runs cannot be told within a second.
  int Run(const std::string& arguments) {
    run_ = "r" + std::to_string(++runs_);
    return Awf("run " + arguments + " --run-id " + run_);
  }
  std::filesystem::path RunFile(const std::string& name) const { return "storage/runs/" + run_ + "/" + name; }

  // What the child of that name was told: "TRACEPARENT TRACESTATE".
  std::string Seen(const std::string& who) const {
    const std::string text = world_.Read("ws/" + who + ".seen");
    return text.substr(0, text.find('\n'));
  }
  std::string AgentSaw() const {
    std::string parent = "none", state = "none";
    const json::value record = json::parse(world_.Read("record.json"));
    for (const json::value& entry : record.at("env").as_array()) {
      const std::string variable(entry.as_string());
      if (variable.starts_with("TRACEPARENT=")) parent = variable.substr(12);
      if (variable.starts_with("TRACESTATE=")) state = variable.substr(11);
    }
    return parent + " " + state;
  }
  static std::vector<json::object> Lines(const std::filesystem::path& path) {
    std::vector<json::object> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line).as_object());
    return lines;
  }
  // By name.
  std::map<std::string, json::object> Spans() const {
    std::map<std::string, json::object> spans;
    for (const json::object& line : Lines(world_.Path(RunFile("trace.json")))) {
      const json::object& span = line.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").at(0).as_object();
      spans[std::string(span.at("name").as_string())] = span;
    }
    return spans;
  }

  World world_;
  std::string run_;
  int runs_ = 0;
};

std::string Text(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? "" : std::string(value->as_string());
}

TEST_F(TraceContextTest, ChildrenWorkForTheSpanOfTheirStepOrCall) {
  world_.environment()["TRACEPARENT"] = kOuter;
  world_.environment()["TRACESTATE"] = "vendor=1";
  ASSERT_EQ(Run("w.yaml --trace-file"), 0) << world_.Read("stderr");
  auto spans = Spans();
  const auto parent = [&](const std::string& name) {
    return "00-" + std::string(kOuterTrace) + "-" + Text(spans[name], "spanId") + "-01 vendor=1";
  };
  EXPECT_EQ(Seen("command"), parent("step: command"));
  EXPECT_EQ(Seen("hook"), parent("step: command"));
  EXPECT_EQ(Seen("script"), parent("step: script"));
  EXPECT_EQ(AgentSaw(), parent("step: ask"));
  EXPECT_EQ(Seen("bash"), parent("tool.call: Bash"));
  EXPECT_EQ(Text(spans["workflow.execution"], "parentSpanId"), "00f067aa0ba902b7");
  EXPECT_EQ(Text(spans["tool.call: Bash"], "parentSpanId"), Text(spans["step: ask"], "spanId"));
  for (const auto& [name, span] : spans) {
    EXPECT_EQ(Text(span, "traceId"), kOuterTrace) << name;
    EXPECT_EQ(Text(span, "traceState"), "vendor=1") << name;
  }
}

TEST_F(TraceContextTest, AStateOfTheEnvironmentThatIsNotOursStaysAway) {
  world_.environment()["TRACEPARENT"] = "no context";
  world_.environment()["TRACESTATE"] = "vendor=1";
  ASSERT_EQ(Run("w.yaml --trace-file --log-level debug"), 0) << world_.Read("stderr");
  auto spans = Spans();
  const std::string trace = Text(spans["workflow.execution"], "traceId");
  EXPECT_EQ(Text(spans["workflow.execution"], "parentSpanId"), "");
  for (const char* who : {"command", "hook", "script", "bash"}) {
    EXPECT_THAT(Seen(who), testing::StartsWith("00-" + trace + "-")) << who;
    EXPECT_THAT(Seen(who), testing::EndsWith("-01 none")) << who;
  }
  const std::string log = world_.Read(RunFile("log.jsonl"));
  EXPECT_THAT(log, HasSubstr(R"({"level":"debug","message":"TRACEPARENT ignored: not valid",)"));
  EXPECT_THAT(log, HasSubstr(R"({"level":"debug","message":"TRACESTATE ignored: no valid TRACEPARENT",)"));
}

TEST_F(TraceContextTest, WithoutSpansTheEnvironmentPassesUnchanged) {
  const std::vector<std::string> children = {"command", "hook", "script", "bash"};
  ASSERT_EQ(Run("w.yaml"), 0) << world_.Read("stderr");
  for (const std::string& who : children) EXPECT_EQ(Seen(who), "none none") << who;
  EXPECT_EQ(AgentSaw(), "none none");
  world_.environment()["TRACEPARENT"] = kOuter;
  world_.environment()["TRACESTATE"] = "vendor=1";
  ASSERT_EQ(Run("w.yaml"), 0) << world_.Read("stderr");
  for (const std::string& who : children) EXPECT_EQ(Seen(who), std::string(kOuter) + " vendor=1") << who;
  EXPECT_EQ(AgentSaw(), std::string(kOuter) + " vendor=1");
}

TEST_F(TraceContextTest, AResumedRunIsANewTraceThatPointsToTheFormerOne) {
  world_.Write("ws/r.yaml", R"(name: r
states:
  initial: a
  a: {type: step, command: "test -e ready", on_success: done}
  done: {type: terminal}
)");
  EXPECT_NE(Run("r.yaml --trace-file"), 0);
  const json::object former = Spans().at("workflow.execution");
  std::filesystem::remove(world_.Path(RunFile("trace.json")));
  world_.Write("ws/ready", "");
  ASSERT_EQ(Awf("resume " + run_ + " --trace-file"), 0) << world_.Read("stderr");
  const json::object root = Spans().at("workflow.execution");
  EXPECT_NE(Text(root, "traceId"), Text(former, "traceId"));
  EXPECT_EQ(json::serialize(root.at("links")),
            R"([{"traceId":")" + Text(former, "traceId") + R"(","spanId":")" + Text(former, "spanId") + "\"}]");
  EXPECT_THAT(json::serialize(root), HasSubstr(R"({"key":"awf.run.resumed","value":{"boolValue":true}})"));
}

TEST_F(TraceContextTest, SpansInTheNamesOfTheConventions) {
  world_.Write("ws/.awf/config.yaml", "telemetry:\n  span_names: semconv\n  attributes: openinference\n");
  ASSERT_EQ(Run("w.yaml --trace-file"), 0) << world_.Read("stderr");
  auto spans = Spans();
  EXPECT_TRUE(spans.contains("invoke_workflow traced"));
  EXPECT_TRUE(spans.contains("invoke_agent ask"));
  EXPECT_TRUE(spans.contains("step: command"));
  ASSERT_TRUE(spans.contains("tools/call Bash"));
  EXPECT_THAT(json::serialize(spans["tools/call Bash"]),
              HasSubstr(R"({"key":"openinference.span.kind","value":{"stringValue":"TOOL"}})"));
}

TEST_F(TraceContextTest, LevelsAndFormsOfTheLog) {
  const auto levels = [&] {
    std::map<std::string, int> counts;
    for (const json::object& line : Lines(world_.Path(RunFile("log.jsonl")))) ++counts[Text(line, "level")];
    return counts;
  };
  ASSERT_EQ(Run("w.yaml --log-level debug"), 0);
  EXPECT_EQ(levels()["debug"], 1);  // agent stderr
  EXPECT_THAT(world_.Read("stderr"), Not(HasSubstr("agent stderr")));
  world_.environment()["AWF_LOG_LEVEL"] = "warn";
  ASSERT_EQ(Run("w.yaml"), 0);
  EXPECT_EQ(levels(), (std::map<std::string, int>{{"warn", 1}}));  // sandbox degraded
  ASSERT_EQ(Run("w.yaml --log-level error"), 0);
  EXPECT_EQ(levels(), (std::map<std::string, int>{}));
  world_.environment().erase("AWF_LOG_LEVEL");
  world_.Write("ws/.awf/config.yaml", "log: {level: error, format: json}\n");
  ASSERT_EQ(Run("w.yaml"), 0);
  EXPECT_EQ(levels(), (std::map<std::string, int>{}));

  // As JSON stderr holds the lines of log.jsonl; with -q from warn on.
  ASSERT_EQ(Run("w.yaml --log-level info"), 0);
  const std::string told = world_.Read("stderr");
  EXPECT_EQ(told, world_.Read(RunFile("log.jsonl")));
  EXPECT_THAT(told, HasSubstr(R"("message":"tool call","tool":"Bash")"));
  world_.environment()["AWF_LOG_FORMAT"] = "json";
  ASSERT_EQ(Run("w.yaml -q --log-level info"), 0);
  EXPECT_THAT(world_.Read("stderr"), testing::StartsWith(R"({"level":"warn","message":"sandbox degraded")"));
  ASSERT_EQ(Run("w.yaml --verbose --log-level debug --log-format text"), 0);
  EXPECT_THAT(world_.Read("stderr"), testing::ContainsRegex("[0-9:]{8} DEBUG agent stderr text=\"a word"));
}

TEST_F(TraceContextTest, ALevelForTheServerOfAnyClient) {
  const std::string session =
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},)"
      R"("clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Glob","arguments":{"pattern":"*"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"Read","arguments":{}}}
)";
  world_.Write("ws/session", session);
  const auto told = [&](const std::string& options) {
    EXPECT_EQ(world_.Shell("awf mcp serve " + options + " < session"), 0);
    std::istringstream lines(world_.Read("stderr"));
    std::string tools;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LT(line.size(), 4096U);
      const json::object record = json::parse(line).as_object();
      if (Text(record, "message") == "tool call") tools += Text(record, "level") + ":" + Text(record, "tool") + " ";
    }
    return tools;
  };
  EXPECT_THAT(told(""), testing::AllOf(HasSubstr("info:Glob "), HasSubstr("error:Read ")));
  EXPECT_EQ(told("--log-level warn"), "error:Read ");
  world_.environment()["AWF_LOG_LEVEL"] = "error";
  EXPECT_EQ(told(""), "error:Read ");
  EXPECT_EQ(world_.Shell("awf mcp serve --log-level loud < session"), 1);
  EXPECT_EQ(world_.Read("stderr"),
            "Error: USER.INPUT.INVALID_FORMAT\nDetails: --log-level must be debug, info, warn or error, not 'loud'\n"
            "Hint: see awf mcp serve --help\n");
  world_.environment().erase("AWF_LOG_LEVEL");
  EXPECT_EQ(told("-q"), "error:Read ");
  // Flags of all commands before it: it serves all the same.
  EXPECT_EQ(world_.Shell("awf -q --no-color mcp serve < session"), 0);
  EXPECT_THAT(world_.Read("stdout"), testing::StartsWith(R"({"jsonrpc":"2.0","id":0,)"));
}

}  // namespace
}  // namespace awf::e2e
