// `awf run` and a collector that takes its spans, is not there, never answers, or lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <set>

#include "tests/e2e/process_world.h"
#include "tests/fakes/fake_collector.h"

namespace awf::e2e {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using fakes::CollectorReply;
using fakes::FakeCollector;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

using Protocol = FakeCollector::Protocol;

// A generous bound on what must not hang: far above the five seconds that a run may spend on its collector.
constexpr auto kBound = 60s;

constexpr char kCommands[] = R"(name: hello
states:
  initial: greet
  greet: {type: step, command: "echo hello", on_success: bad}
  bad: {type: step, command: "exit 3", on_success: done, on_failure: done}
  done: {type: terminal, message: fine}
)";

constexpr char kAgent[] = R"(name: ask
states:
  initial: ask
  ask: {type: agent, provider: claude, prompt: hi, mcp_proxy: {enable: true}, on_success: done}
  done: {type: terminal}
)";

std::string Hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : bytes) hex.append({kDigits[byte >> 4U], kDigits[byte & 15U]});
  return hex;
}

std::string TextOf(const otlp::proto::Span& span, const std::string& key) {
  for (const auto& attribute : span.attributes())
    if (attribute.key() == key) return attribute.value().string_value();
  return {};
}

// "parent > name" of every span, by names; no parent among them: "name".
std::multiset<std::string> Edges(const std::vector<otlp::proto::Span>& spans) {
  std::map<std::string, std::string> names;
  for (const auto& span : spans) names[span.span_id()] = span.name();
  std::multiset<std::string> edges;
  for (const auto& span : spans) {
    const auto parent = names.find(span.parent_span_id());
    edges.insert(parent == names.end() ? span.name() : parent->second + " > " + span.name());
  }
  return edges;
}

int Times(const std::string& what, const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
  return count;
}

class Telemetry : public testing::Test {
 protected:
  void SetUp() override {
    world_.PutPrograms();
    world_.Write("ws/w.yaml", kCommands);
  }

  std::map<std::string, std::string>& Variables() { return world_.environment(); }
  std::string Storage() const { return world_.Path("storage").string(); }
  int Run(const std::string& flags) const {
    return world_.Shell("awf run w.yaml --storage '" + Storage() + "' " + flags);
  }
  std::string Err() const { return world_.Read("stderr"); }
  std::string Log() const { return FileText(world_.RunFolder() / "log.jsonl"); }

  // The one log record of spans that were not sent, which stands on stderr too; null when there is none.
  json::value Unsent() const {
    json::value found;
    for (const std::string& line : FileLines(world_.RunFolder() / "log.jsonl")) {
      const json::value record = json::parse(line);
      if (record.at("message").as_string() != "spans not sent") continue;
      EXPECT_TRUE(found.is_null()) << "told twice";
      found = record;
    }
    EXPECT_EQ(Times("WARN spans not sent", Err()), found.is_null() ? 0 : 1) << Err();
    return found;
  }

  World world_;
};

const auto kTree = {"workflow.execution", "workflow.execution > step: greet", "workflow.execution > step: bad",
                    "workflow.execution > step: done"};

class TelemetryTo : public Telemetry, public testing::WithParamInterface<Protocol> {
 protected:
  std::string Exporter() const { return GetParam() == Protocol::kGrpc ? "otlp" : "otlp-http"; }
  static CollectorReply Partial(std::int64_t rejected, const std::string& message) {
    return GetParam() == Protocol::kGrpc ? CollectorReply::GrpcPartial(rejected, message)
                                         : CollectorReply::HttpPartial(rejected, message);
  }
  static CollectorReply Refusal() {
    return GetParam() == Protocol::kGrpc ? CollectorReply::GrpcStatus(16, "no such key")
                                         : CollectorReply::HttpStatus(401, "no such key");
  }
};

INSTANTIATE_TEST_SUITE_P(All, TelemetryTo, testing::Values(Protocol::kGrpc, Protocol::kHttp), [](const auto& made) {
  return made.param == Protocol::kGrpc ? std::string("Grpc") : std::string("Http");
});

TEST_P(TelemetryTo, ACollectorGetsTheTreeOfTheTraceFile) {
  const FakeCollector collector(GetParam());
  Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
  Variables()["OTEL_EXPORTER_OTLP_HEADERS"] = "X-Tenant=blue%20team,authorization=Bearer canary-12345";
  Variables()["OTEL_EXPORTER_OTLP_COMPRESSION"] = "gzip";
  Variables()["OTEL_EXPORTER_OTLP_PROTOCOL"] = GetParam() == Protocol::kGrpc ? "grpc" : "http/protobuf";
  Variables()["OTEL_RESOURCE_ATTRIBUTES"] = "team=a%20b";
  Variables()["TRACEPARENT"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_EQ(Run("--otel-exporter " + Exporter() + " --otel-service-name svc --trace-file"), 0) << Err();
  const auto spans = collector.Spans();
  EXPECT_EQ(Edges(spans), (std::multiset<std::string>{kTree.begin(), kTree.end()}));
  const auto requests = collector.Requests();
  ASSERT_FALSE(requests.empty());
  EXPECT_EQ(requests[0].fault, "");
  EXPECT_TRUE(requests[0].compressed);
  EXPECT_EQ(requests[0].headers.at("x-tenant"), "blue team");
  EXPECT_EQ(requests[0].headers.at("authorization"), "Bearer canary-12345");
  std::map<std::string, std::string> resource;
  for (const auto& attribute : requests[0].message.resource_spans(0).resource().attributes())
    resource[attribute.key()] = attribute.value().string_value();
  EXPECT_EQ(resource["service.name"], "svc");
  EXPECT_EQ(resource["team"], "a b");
  std::set<std::string> exported, written;
  for (const auto& span : spans) {
    exported.insert(Hex(span.span_id()));
    EXPECT_EQ(Hex(span.trace_id()), "4bf92f3577b34da6a3ce929d0e0e4736");
    if (span.name() == "workflow.execution") {
      EXPECT_EQ(Hex(span.parent_span_id()), "00f067aa0ba902b7");
    }
    if (span.name() == "step: bad") {
      EXPECT_EQ(TextOf(span, "error.type"), "EXECUTION.COMMAND.FAILED");
    }
  }
  for (const std::string& line : FileLines(world_.RunFolder() / "trace.json")) {
    const json::value span = json::parse(line).at_pointer("/resourceSpans/0/scopeSpans/0/spans/0");
    written.insert(std::string(span.at("spanId").as_string()));
  }
  EXPECT_EQ(exported, written);
  EXPECT_TRUE(Unsent().is_null());
}

TEST_P(TelemetryTo, CallsOfAnAgentHangUnderItsStep) {
  const FakeCollector collector(GetParam());
  world_.Write("ws/w.yaml", kAgent);
  world_.Write("scenario.json",
               R"({"steps": [{"call": "Bash", "arguments": {"command": "echo canary-12345"}}, {"call": "Nonsense"}]})");
  Variables()["FAKE_CLAUDE_SCENARIO"] = world_.Path("scenario.json").string();
  Variables()["MY_TOKEN"] = "canary-12345";
  // By address alone; its port does not tell HTTP, so its path does.
  EXPECT_EQ(Run("--otel-exporter " + collector.Url() + (GetParam() == Protocol::kHttp ? "/v1/traces" : "")), 0)
      << Err();
  EXPECT_THAT(
      Edges(collector.Spans()),
      UnorderedElementsAre("workflow.execution", "workflow.execution > step: ask", "step: ask > tool.call: Bash",
                           "step: ask > tool.call: Nonsense", "workflow.execution > step: done"));
  for (const auto& request : collector.Requests())
    EXPECT_EQ(request.message.SerializeAsString().find("canary-12345"), std::string::npos);
}

TEST_P(TelemetryTo, ACollectorThatIsDownChangesNothingAndIsToldOnce) {
  std::string url;
  {
    const FakeCollector gone(GetParam());
    url = gone.Url();
  }
  Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = url;
  EXPECT_EQ(Run("--log-level debug --otel-exporter " + Exporter()), 0) << Err();
  const json::value told = Unsent();
  ASSERT_FALSE(told.is_null());
  EXPECT_EQ(told.at("level").as_string(), "warn");
  EXPECT_EQ(told.at("count").as_int64(), 4);
  EXPECT_THAT(std::string(told.at("endpoint").as_string()), HasSubstr(url));
  EXPECT_THAT(std::string(told.at("error").as_string()), HasSubstr("connect"));
  EXPECT_EQ(Times(R"({"level":"debug","message":"spans cannot be sent now")", Log()), 1);
  EXPECT_EQ(Times("spans cannot be sent now", Err()), 0);
  // Of a run that fails too, it is the exit code of the run.
  world_.Write("ws/w.yaml", "name: w\nstates: {initial: end, end: {type: terminal, status: failure}}\n");
  EXPECT_EQ(Run("--otel-exporter " + Exporter()), 3);
  EXPECT_FALSE(Unsent().is_null());
}

TEST_P(TelemetryTo, ACollectorThatNeverAnswersHoldsNothingUp) {
  FakeCollector collector(GetParam());
  collector.Answer(CollectorReply::Silence());
  Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Run("--otel-exporter " + Exporter()), 0) << Err();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kBound);
  const json::value told = Unsent();
  ASSERT_FALSE(told.is_null());
  EXPECT_EQ(told.at("count").as_int64(), 4);
  EXPECT_NE(told.at("error").as_string(), "");
}

TEST_P(TelemetryTo, WhatACollectorSaysItDidNotTakeIsTold) {
  FakeCollector collector(GetParam());
  collector.Answer(Partial(3, "too many attributes"));
  Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
  Variables()["OTEL_BSP_SCHEDULE_DELAY"] = "60000";
  EXPECT_EQ(Run("--otel-exporter " + Exporter()), 0) << Err();
  const json::value told = Unsent();
  ASSERT_FALSE(told.is_null());
  EXPECT_EQ(told.at("count").as_int64(), 3);
  EXPECT_THAT(std::string(told.at("error").as_string()), HasSubstr("too many attributes"));
}

TEST_P(TelemetryTo, ACollectorThatRefusesOrLiesIsToldOnce) {
  for (const CollectorReply& reply :
       {Refusal(), CollectorReply::Garbage(), CollectorReply::HangUp(), Partial(1'000'000, "all")}) {
    FakeCollector collector(GetParam());
    collector.Answer(reply);
    Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(Run("--otel-exporter " + Exporter()), 0) << Err();
    EXPECT_LT(std::chrono::steady_clock::now() - start, kBound);
    const json::value told = Unsent();
    ASSERT_FALSE(told.is_null());
    EXPECT_EQ(told.at("count").as_int64(), 4);
    EXPECT_NE(told.at("error").as_string(), "");
  }
}

TEST_P(TelemetryTo, ACollectorThatIsBusyForAWhileLosesNothing) {
  FakeCollector collector(GetParam());
  collector.AnswerNext(GetParam() == Protocol::kGrpc ? CollectorReply::GrpcStatus(14, "busy")
                                                     : CollectorReply::HttpStatus(503, "busy"));
  Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
  EXPECT_EQ(Run("--otel-exporter " + Exporter()), 0) << Err();
  EXPECT_TRUE(Unsent().is_null());
  EXPECT_GE(collector.Requests().size(), 2U);
  std::set<std::string> ids;
  for (const auto& span : collector.Spans()) ids.insert(span.span_id());
  EXPECT_EQ(ids.size(), 4U);
}

constexpr char kWaits[] = R"(name: w
states:
  initial: wait
  wait: {type: step, command: "touch started; exec sleep 600", on_success: done}
  done: {type: terminal}
)";

// Exit status of awf, as wait(2) has it.
int Reap(pid_t awf) {
  int status = 0;
  EXPECT_EQ(::waitpid(awf, &status, 0), awf);
  return status;
}

TEST_P(TelemetryTo, ARunThatIsTerminatedOrInterruptedSendsItsSpans) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const FakeCollector collector(GetParam());
    Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
    world_.Write("ws/w.yaml", kWaits);
    std::filesystem::remove(world_.Path("ws/started"));
    const pid_t awf = world_.StartAwf({"run", "w.yaml", "--storage", Storage(), "--otel-exporter", Exporter()});
    ASSERT_TRUE(WaitFor(kBound, [&] { return std::filesystem::exists(world_.Path("ws/started")); }));
    ::kill(awf, signal);
    const int status = Reap(awf);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status << Err();
    EXPECT_THAT(Edges(collector.Spans()),
                UnorderedElementsAre("workflow.execution", "workflow.execution > step: wait"));
    for (const auto& span : collector.Spans()) {
      if (span.name() == "workflow.execution") {
        EXPECT_EQ(TextOf(span, "awf.run.status"), "cancelled");
      }
    }
    EXPECT_TRUE(Unsent().is_null());
  }
}

// The first request is one that is never answered: without the second signal its five seconds would pass.
TEST_P(TelemetryTo, TheSecondInterruptWaitsForNoCollector) {
  FakeCollector collector(GetParam());
  collector.Answer(CollectorReply::Silence());
  Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
  world_.Write("ws/w.yaml", kWaits);
  const pid_t awf = world_.StartAwf({"run", "w.yaml", "--storage", Storage(), "--otel-exporter", Exporter()});
  ASSERT_TRUE(WaitFor(kBound, [&] { return std::filesystem::exists(world_.Path("ws/started")); }));
  ::kill(awf, SIGINT);
  EXPECT_TRUE(collector.WaitForRequests(1));
  ::kill(awf, SIGINT);
  const int status = Reap(awf);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status << Err();
  const json::value told = Unsent();
  ASSERT_FALSE(told.is_null());
  EXPECT_EQ(told.at("count").as_int64(), 2);
}

// The run is done, so the signal is the first one that the user sends, and nothing but the spans is left.
TEST_P(TelemetryTo, AFirstInterruptWhenTheRunIsDoneDropsNothing) {
  FakeCollector collector(GetParam());
  collector.Answer(GetParam() == Protocol::kGrpc ? CollectorReply::GrpcStatus(14, "busy")
                                                 : CollectorReply::HttpStatus(503, "busy"));
  Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
  const pid_t awf = world_.StartAwf({"run", "w.yaml", "--storage", Storage(), "--otel-exporter", Exporter()});
  EXPECT_TRUE(WaitFor(kBound, [&] { return Err().find("done") != std::string::npos; }));
  EXPECT_TRUE(collector.WaitForRequests(1));
  ::kill(awf, SIGINT);
  collector.Answer(GetParam() == Protocol::kGrpc ? CollectorReply::GrpcOk() : CollectorReply::HttpOk());
  const int status = Reap(awf);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << Err();
  EXPECT_TRUE(Unsent().is_null());
}

TEST_F(Telemetry, AResumedRunIsExportedWithALinkToTheFirst) {
  const FakeCollector collector(Protocol::kGrpc);
  Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
  Variables()["OTEL_TRACES_EXPORTER"] = "otlp";
  world_.Write("ws/w.yaml",
               "name: w\nstates:\n  initial: try\n  try: {type: step, command: 'test -e ok', on_success: end}\n"
               "  end: {type: terminal}\n");
  EXPECT_EQ(Run(""), 3) << Err();
  world_.Write("ws/ok", "");
  EXPECT_EQ(world_.Shell("awf resume --storage '" + Storage() + "'"), 0) << Err();
  std::vector<otlp::proto::Span> roots;
  for (const auto& span : collector.Spans())
    if (span.name() == "workflow.execution") roots.push_back(span);
  ASSERT_EQ(roots.size(), 2U);
  EXPECT_NE(roots[0].trace_id(), roots[1].trace_id());
  ASSERT_EQ(roots[1].links_size(), 1);
  EXPECT_EQ(roots[1].links(0).trace_id(), roots[0].trace_id());
  EXPECT_EQ(roots[1].links(0).span_id(), roots[0].span_id());
}

TEST_F(Telemetry, TheDemoIsExportedToo) {
  const FakeCollector collector(Protocol::kHttp);
  Variables()["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.Url();
  Variables()["OTEL_TRACES_EXPORTER"] = "otlp-http";
  EXPECT_EQ(world_.Shell("awf demo --storage '" + Storage() + "'"), 0) << Err();
  EXPECT_GT(Edges(collector.Spans()).count("step: repair > tool.call: Bash"), 0U);
}

// The command of this workflow copies what the kernel says of the awf that runs it.
constexpr char kLooks[] = R"(name: look
states:
  initial: look
  look:
    type: step
    command: |
      awf=$PPID
      until tr '\0' ' ' < /proc/$awf/cmdline | grep -q ' run w.yaml '; do
        awf=$(awk '/^PPid:/ {print $2}' /proc/$awf/status)
      done
      cat /proc/$awf/maps > maps
      ls /proc/$awf/task > threads
    on_success: done
  done: {type: terminal}
)";

TEST_F(Telemetry, WithoutACollectorThereIsNoLibraryAndNoThread) {
  world_.Write("ws/w.yaml", kLooks);
  const FakeCollector collector(Protocol::kGrpc);
  const auto threads = [&](const std::string& flags) {
    EXPECT_EQ(Run(flags), 0) << Err();
    return FileLines(world_.Path("ws/threads")).size();
  };
  const std::size_t with = threads("--otel-exporter " + collector.Url());
  EXPECT_THAT(world_.Read("ws/maps"), HasSubstr("libcurl"));
  for (const char* flags : {"--trace-file", "--otel-exporter none", "--otel-exporter console", "--trace-file -q"}) {
    EXPECT_EQ(threads(flags), with - 1) << flags;
    EXPECT_THAT(world_.Read("ws/maps"), Not(HasSubstr("libcurl"))) << flags;
  }
  Variables()["OTEL_TRACES_SAMPLER"] = "always_off";
  EXPECT_EQ(threads("--otel-exporter " + collector.Url()), with - 1);
  EXPECT_THAT(world_.Read("ws/maps"), Not(HasSubstr("libcurl")));
  Variables().erase("OTEL_TRACES_SAMPLER");
  Variables()["OTEL_SDK_DISABLED"] = "true";
  EXPECT_EQ(threads("--otel-exporter " + collector.Url()), with - 1);
}

TEST_F(Telemetry, ATraceThatIsNotSampledStaysInTheTraceFile) {
  const FakeCollector collector(Protocol::kGrpc);
  Variables()["TRACEPARENT"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
  EXPECT_EQ(Run("--trace-file --otel-exporter " + collector.Url()), 0) << Err();
  EXPECT_EQ(FileLines(world_.RunFolder() / "trace.json").size(), 4U);
  EXPECT_EQ(Run("--otel-exporter console"), 0) << Err();
  EXPECT_THAT(Err(), Not(HasSubstr("workflow.execution")));
  EXPECT_EQ(collector.connections(), 0);
}

TEST_F(Telemetry, AnEmptyExporterIsNoneWhateverTheEnvironmentSays) {
  Variables()["OTEL_TRACES_EXPORTER"] = "console";
  EXPECT_EQ(Run("-q --otel-exporter ''"), 0) << Err();
  EXPECT_THAT(Err(), Not(HasSubstr("workflow.execution")));
}

TEST_F(Telemetry, TheConsoleShowsTheTree) {
  EXPECT_EQ(Run("-q --otel-exporter console"), 0) << Err();
  EXPECT_THAT(Err(), testing::MatchesRegex("workflow.execution  [^\n]* hello  completed\n"
                                           "├─ step: greet  [^\n]*\n"
                                           "├─ step: bad  [^\n]*✗ error: command exited with code 3\n"
                                           "└─ step: done  [^\n]*\n"));
}

TEST_F(Telemetry, ALibraryThatCannotBeLoadedIsToldBeforeAnythingRuns) {
  world_.Write("lib/libcurl.so.4", "no library");
  Variables()["LD_LIBRARY_PATH"] = world_.Path("lib").string();
  EXPECT_EQ(Run("--otel-exporter otlp"), 4);
  EXPECT_THAT(Err(), HasSubstr("SYSTEM.IO.READ_FAILED"));
  EXPECT_THAT(Err(), HasSubstr("libcurl4"));
  EXPECT_TRUE(world_.RunFolder().empty());
  EXPECT_EQ(Run("--otel-exporter console --trace-file"), 0) << Err();
}

TEST_F(Telemetry, WhatCannotBeUnderstoodIsToldBeforeAnythingRuns) {
  struct Case {
    const char *flags, *variable, *value, *told;
  };
  for (const Case& c :
       {Case{"--otel-exporter otpl", "", "", "--otel-exporter: there is no exporter 'otpl'"},
        {"", "OTEL_TRACES_EXPORTER", "zipkin", "OTEL_TRACES_EXPORTER: there is no exporter 'zipkin'"},
        {"--otel-exporter otlp", "OTEL_EXPORTER_OTLP_HEADERS", "canary-12345", "OTEL_EXPORTER_OTLP_HEADERS: pair 1"},
        {"--trace-file", "OTEL_TRACES_SAMPLER", "some", "OTEL_TRACES_SAMPLER: there is no sampler 'some'"}}) {
    if (*c.variable != '\0') Variables()[c.variable] = c.value;
    EXPECT_EQ(Run(c.flags), 1) << c.told;
    EXPECT_THAT(Err(), HasSubstr("USER.INPUT.INVALID_FORMAT"));
    EXPECT_THAT(Err(), HasSubstr(c.told));
    EXPECT_THAT(Err(), Not(HasSubstr("canary-12345")));
    EXPECT_TRUE(world_.RunFolder().empty());
    Variables().erase(c.variable);
  }
}

}  // namespace
}  // namespace awf::e2e
