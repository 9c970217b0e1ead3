// Secrets are planted wherever a run meets them, as they are and encoded; then everything that the run leaves behind is
// searched for them, byte by byte.
//
// Not searched, since secrets may stand there: state.json (needed to resume, deleted when the run has completed),
// workflow.yaml and files/ (copies of what the user wrote), and what commands, agents and collectors are given.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base64.h"
#include "infrastructure/model_server/model_server.h"
#include "tests/e2e/process_world.h"
#include "tests/fakes/fake_collector.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;

// Part of every secret, and of nothing else. The first four letters are searched: less may stand in front of a cut.
constexpr std::string_view kTag = "cAnArY", kSearched = "cAnA";

const std::string kInput = "cAnArY/in put+\"1'$x\\y%\xc3\xa9~", kNamed = "cAnArY-named-input-2",
                  kVariable = "cAnArY-variable-3", kKey = "cAnArY-api-key-4", kHeader = "cAnArY-header-5",
                  kPin = "cAnArY-pin-6", kUrl = "cAnArY-url-7";

// --- encodings, by code that has nothing to do with the masker

std::string Percent(std::string_view text, const char* digits, bool plus) {
  std::string coded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ' && plus) {
      coded += '+';
    } else if (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.') {
      coded += c;
    } else {
      coded += '%';
      coded += digits[byte >> 4U];
      coded += digits[byte & 15U];
    }
  }
  return coded;
}

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string UrlAlphabet(std::string text) {
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::string Wrapped(std::string text) {
  constexpr std::size_t kWidth = 76;
  for (std::size_t at = kWidth; at < text.size(); at += kWidth + 1) text.insert(at, "\n");
  return text;
}

std::string EncodingsOf(const std::string& secret) {
  std::string text = secret + "\n";
  for (const std::string before : {"", "x", "xy"}) {
    const std::string coded = Base64(before + secret + "tail");
    text += coded + "\n" + UrlAlphabet(coded) + "\n";
  }
  text += Wrapped(Base64(std::string(50, 'a') + secret + "tail")) + "\n";
  for (const bool plus : {false, true})
    text += "u=" + Percent(secret, "0123456789ABCDEF", plus) + " u=" + Percent(secret, "0123456789abcdef", plus) + "\n";
  const std::string json = boost::json::serialize(boost::json::string(secret));
  text += json + " " + Replaced(Replaced(json, "/", "\\/"), "\xc3\xa9", "\\u00e9") + "\n";
  text += "'" + Replaced(secret, "'", "'\\''") + "' $'" + Replaced(Replaced(secret, "\\", "\\\\"), "'", "\\'") + "'\n";
  return text;
}

std::string Shapes() {
  return "-----BEGIN RSA PRIVATE KEY-----\nMIIEcAnArY0123456789\ncAnArY==\n-----END RSA PRIVATE KEY-----\n"
         "Authorization: Bearer cAnArY0123456789\nhttps://me:cAnArY@host/x\nsk-cAnArY0123456789abcdef\n"
         "ghp_cAnArY0123456789abcdef0123456789\ngithub_pat_cAnArY0123456789abcdef\nxoxb-cAnArY-0123456789\n"
         "eyJhbGciOiJIUzI1NiJ9.cAnArYeyJzdWIi.cAnArYsig\nEMP-cAnArY\n";
}

std::string Noise() {
  std::string text;
  for (const std::string& secret : {kInput, kNamed, kVariable, kKey, kHeader, kPin, kUrl}) text += EncodingsOf(secret);
  text += Shapes();
  // Ends of error messages lie within this one.
  return text + std::string(145, '-') + " " + kVariable + "-" + kVariable + "-" + kVariable + "\n";
}

// --- the run

constexpr char kConfig[] = R"(masking: {keys: [pin], patterns: ['EMP-\w+']}
telemetry: {content: true}
transcript: {content: full}
audit: {path: collected.jsonl}
)";

std::string WorkflowText(const std::string& model_url) {
  return R"(name: planted
inputs:
  - {name: pass, secret: true, required: true}
  - {name: deploy_token}
  - {name: door_pin}
states:
  initial: print
  print:
    type: step
    command: cat noise.txt; cat noise.txt >&2
    hooks:
      pre: [{log: 'hook {{.inputs.pass}} {{.inputs.deploy_token}}'}, {command: 'cat noise.txt; cat noise.txt >&2'}]
      post: [{command: 'cat noise.txt >&2; exit 5'}]
    on_success: cut
  cut: {type: step, command: 'cat noise.txt', capture: {max_size: 700}, on_success: broken}
  broken:
    type: step
    command: 'cat noise.txt >&2; : {{.inputs.pass | escape}}; exit 3'
    retry: {max_attempts: 2, initial_delay: 1ms}
    on_success: done
    on_failure: both
  both: {type: parallel, parallel: [left, right], on_success: ask}
  left: {type: step, command: cat noise.txt}
  right: {type: step, command: cat noise.txt >&2}
  ask:
    type: agent
    provider: openai_compatible
    prompt: 'use {{.inputs.pass}} and {{.states.print.Output}}'
    options: {base_url: ')" +
         model_url + R"(', model: scripted, api_key: )" + kKey + R"(}
    mcp_proxy: {enable: true}
    on_success: claude
  claude:
    type: agent
    provider: claude
    prompt: 'use {{.inputs.deploy_token}}'
    mcp_proxy: {enable: true}
    on_success: done
    on_failure: done
  done: {type: terminal, status: failure, message: 'with {{.inputs.pass}} {{.states.print.Output}} {{.states.claude.Output}}'}
)";
}

std::vector<model_server::ScriptedTurn> Script() {
  const std::string noise = Noise();
  return {{noise,
           {{"Bash", {{"command", "cat noise.txt; cat noise.txt >&2; exit 7"}}},
            {"Bash", {{"command", "echo '" + kNamed + "'"}, {"description", noise}}},
            {"Read", {{"path", "no/" + kNamed}}},
            {"Write", {{"path", "written.txt"}, {"content", noise}}},
            {"Edit", {{"path", "written.txt"}, {"old_string", kVariable + kKey}, {"new_string", noise}}},
            {"Grep", {{"pattern", "("}, {"path", kHeader}}},
            {"tool-" + kVariable, {{"password", "x"}, {"what", noise}}}}},
          {noise, {}}};
}

std::string Scenario() {
  const std::string noise = Noise();
  namespace json = boost::json;
  return json::serialize(json::object{{"steps",
                                       {{{"text", noise}},
                                        {{"call", "Bash"}, {"arguments", {{"command", "cat noise.txt; exit 7"}}}},
                                        {{"call", "Read"}, {"arguments", {{"path", "no/" + kNamed}}}},
                                        {{"call", "Bash"}, {"arguments", {{"wrong", noise}}}},
                                        {{"call", "tool-" + kVariable}, {"arguments", {{"what", noise}}}},
                                        {{"native", "native-" + kVariable}},
                                        {{"stderr", noise}},
                                        {{"print", noise}}}},
                                      {"result", noise},
                                      {"error_status", 500},
                                      {"exit", 1}});
}

// Where a text shows a secret, with what stands around; empty: nowhere.
std::string Leak(std::string text) {
  // What the masker finds as base64 of the tag at one of the three places, the test finds by the encoder's own output.
  std::vector<std::string> needles = {std::string(kSearched)};
  for (const std::size_t before : {0U, 1U, 2U}) {
    const std::string coded = Base64(std::string(before, 'x') + std::string(kTag) + "zzz");
    const std::size_t begin = before == 0 ? 0 : before + 1;
    needles.push_back(coded.substr(begin, (before + kTag.size()) * 8 / 6 - begin));
  }
  std::erase(text, '\n');  // base64 may be wrapped
  for (const std::string& needle : needles) {
    const std::size_t at = text.find(needle);
    if (at != std::string::npos) return needle + " in: …" + text.substr(at - std::min<std::size_t>(at, 120), 240) + "…";
  }
  return {};
}

class CanaryTest : public testing::Test {
 protected:
  CanaryTest()
      : model_(*model_server::ModelServer::Start(std::make_unique<model_server::ChatCompletionsModel>(Script()))),
        collector_(fakes::FakeCollector::Protocol::kHttp) {
    world_.PutPrograms();
    world_.Write("ws/noise.txt", Noise());
    world_.Write("ws/w.yaml", WorkflowText(model_->base_url()));
    world_.Write("ws/config.yaml", kConfig);
    world_.Write("scenario.json", Scenario());
    auto& environment = world_.environment();
    environment["AWF_CONFIG_PATH"] = world_.Path("ws/config.yaml").string();
    environment["FAKE_CLAUDE_SCENARIO"] = world_.Path("scenario.json").string();
    environment["SERVICE_TOKEN"] = kVariable;
    environment["DATABASE"] = "postgres://me:" + kUrl + "@db/x";
    environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector_.Url();
    environment["OTEL_EXPORTER_OTLP_HEADERS"] = "x-key=" + kHeader;
    environment["AWF_STORAGE"] = world_.Path("storage").string();
  }

  // Runs awf and searches what it printed.
  int Awf(const std::vector<std::string>& arguments) {
    int status = 0;
    ::waitpid(world_.StartAwf(arguments), &status, 0);
    std::string left;
    WaitUntilNoChildIsLeft(std::chrono::seconds(20), &left, nullptr);
    for (const char* stream : {"stdout", "stderr"})
      EXPECT_EQ(Leak(world_.Read(stream)), "") << stream << " of awf " << arguments[0];
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void Run(std::vector<std::string> flags) {
    flags.insert(flags.begin(),
                 {"run", "w.yaml", "-i", "pass=" + kInput, "-i", "deploy_token=" + kNamed, "-i", "door_pin=" + kPin,
                  "--trace-file", "--otel-exporter", "otlp-http", "--log-level", "debug"});
    EXPECT_EQ(Awf(flags), 3);
    SearchRecords();
  }

  void SearchRecords() {
    const fs::path folder = world_.RunFolder();
    std::vector<std::string> searched;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = entry.path().lexically_relative(folder).string();
      if (name == "state.json" || name == "workflow.yaml" || name.starts_with("files/")) continue;
      searched.push_back(name);
      EXPECT_EQ(Leak(FileText(entry.path())), "") << name;
    }
    std::ranges::sort(searched);
    EXPECT_EQ(searched, (std::vector<std::string>{"audit.jsonl", "lock", "log.jsonl", "run.json", "trace.json",
                                                  "transcript.jsonl"}));
    EXPECT_EQ(Leak(world_.Read("ws/collected.jsonl")), "");
    EXPECT_GE(collector_.Spans().size(), 10U);
    for (const fakes::CollectedRequest& request : collector_.Requests()) {
      EXPECT_EQ(Leak(request.message.SerializeAsString()), "");
      EXPECT_EQ(request.headers.at("x-key"), kHeader);
    }
    EXPECT_EQ(world_.PrivateFolders(), std::vector<std::string>());
  }

  World world_;
  std::unique_ptr<model_server::ModelServer> model_;
  fakes::FakeCollector collector_;
};

TEST_F(CanaryTest, TheTestFindsWhatItPlants) {
  EXPECT_NE(Leak("x " + kInput), "");
  for (const std::string before : {"", "a", "ab"}) EXPECT_NE(Leak(Wrapped(Base64(before + kInput))), "") << before;
  EXPECT_EQ(Leak("nothing"), "");
}

TEST_F(CanaryTest, NoSecretInARunThatIsToldAsText) {
  Run({"--verbose"});
  // What the model is given is not masked.
  const auto requests = model_->requests();
  ASSERT_FALSE(requests.empty());
  const std::string prompt(boost::json::value_to<std::string>(requests[0].body.at("messages").at(0).at("content")));
  EXPECT_NE(prompt.find(kInput), std::string::npos) << prompt;
  const std::string transcript = FileText(world_.RunFolder() / "transcript.jsonl");
  for (const char* kind : {"message.assistant", "tool.call", "tool.result"})
    EXPECT_NE(transcript.find(kind), std::string::npos) << kind;
  const std::string log = FileText(world_.RunFolder() / "log.jsonl");
  for (const char* message : {"hook", "step retry", "step failed", "tool call", "agent stderr", "mcp proxy bypass"})
    EXPECT_NE(log.find("\"message\":\"" + std::string(message) + "\""), std::string::npos) << message;
}

TEST_F(CanaryTest, NoSecretInARunThatIsToldAsJson) { Run({"-f", "json"}); }

TEST_F(CanaryTest, NoSecretInARunWhoseLogIsJson) { Run({"--verbose", "--log-format", "json", "--output", "buffered"}); }

TEST_F(CanaryTest, NoSecretInWhatIsToldOfARunAfterwards) {
  Run({"-q"});
  const std::string run = world_.RunFolder().filename().string();
  EXPECT_EQ(Awf({"status", run}), 0);
  EXPECT_EQ(Awf({"status", run, "-f", "json"}), 0);
  EXPECT_EQ(Awf({"history", "-f", "json"}), 0);
  EXPECT_EQ(Awf({"audit", "verify", run, "--json"}), 0);
  EXPECT_EQ(Awf({"resume", run, "--trace-file", "-f", "json"}), 3);
  SearchRecords();
}

TEST_F(CanaryTest, NoSecretInADryRun) {
  const std::vector<std::string> run = {
      "run", "w.yaml", "-i", "pass=" + kInput, "-i", "deploy_token=" + kNamed, "-i", "door_pin=" + kPin, "--dry-run"};
  EXPECT_EQ(Awf(run), 0);
  std::vector<std::string> as_json = run;
  as_json.insert(as_json.end(), {"-f", "json"});
  EXPECT_EQ(Awf(as_json), 0);
}

TEST_F(CanaryTest, NoSecretInErrorsBeforeARun) {
  world_.Write("ws/bad.yaml", "name: bad\nstates:\n  initial: '" + kVariable + "'\n  a: {type: '" + kVariable + "'}\n");
  EXPECT_NE(Awf({"validate", "bad.yaml"}), 0);
  EXPECT_NE(Awf({"validate", "bad.yaml", "-f", "json"}), 0);
  EXPECT_NE(Awf({"run", "bad.yaml"}), 0);
  EXPECT_NE(Awf({"run", "w.yaml", "-i", "nothing=" + kVariable, "-f", "json"}), 0);
  EXPECT_NE(Awf({"run", kVariable}), 0);
}

}  // namespace
}  // namespace awf::e2e
