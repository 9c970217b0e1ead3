// `awf plugin …`, operation steps and validation with the whole program, the plugin "demo" and plugins that are shell
// scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "infrastructure/process/process_test_support.h"
#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::chrono::seconds kBound{120};

class PluginCommands : public testing::Test {
 protected:
  PluginCommands() {
    world_.PutPrograms();
    world_.environment()["AWF_STORAGE"] = world_.Path("storage").string();
  }
  ~PluginCommands() override {
    std::string left;
    EXPECT_TRUE(WaitUntilNoChildIsLeft(kBound, &left, nullptr)) << left;
    EXPECT_THAT(world_.PrivateFolders(), ElementsAre());
  }

  // A copy of the demo plugin, under .awf/plugins of the project.
  void PutDemo(const std::string& folder = "ws/.awf/plugins") const {
    const fs::path source = fs::path(std::getenv("AWF_DEMO_PLUGIN")).parent_path();
    fs::create_directories(world_.Path(folder));
    fs::copy(source, world_.Path(folder + "/awf-plugin-demo"), fs::copy_options::recursive);
  }
  // A script that says it was started, and is no plugin.
  void PutScript(const std::string& folder, const std::string& name) const {
    world_.Write(folder + "/" + name + "/plugin.yaml",
                 "name: " + name + "\nversion: 1.0.0\nawf_version: \">= 0.11.0\"\ncapabilities: [operations]\n");
    world_.Write(folder + "/" + name + "/awf-plugin-" + name,
                 "#!/bin/sh\n: > '" + world_.Path(name + ".mark").string() + "'\nexit 4\n", true);
  }
  bool Started(const std::string& name) const { return fs::exists(world_.Path(name + ".mark")); }

  int Awf(const std::string& arguments) {
    const int code = world_.Shell("awf " + arguments);
    out_ = world_.Read("stdout");
    err_ = world_.Read("stderr");
    return code;
  }
  // What the last command printed; valid until the next one.
  const json::value& Json() {
    json_ = json::parse(out_);
    return json_;
  }

  World world_;
  std::string out_, err_;
  json::value json_;
};

std::string OperationStep(const std::string& operation, const std::string& inputs) {
  return "name: w\nstates:\n  initial: go\n  go: {type: operation, operation: " + operation + ", inputs: " + inputs +
         ", on_success: done}\n  done: {type: terminal, message: \"{{.states.go.Response.sum}}\"}\n";
}

TEST_F(PluginCommands, ListTellsWhatThereIsAndStartsNothing) {
  PutDemo();
  PutScript("ws/.awf/plugins", "other");
  world_.Write("ws/.awf/plugins/broken/plugin.yaml", "name: broken\n");
  ASSERT_EQ(Awf("plugin list -f json"), 0) << err_;
  std::vector<std::string> rows;
  for (const json::value& row : Json().as_array()) {
    rows.emplace_back(row.at("name").as_string());
    rows.back() += " " + std::string(row.at("status").as_string()) + " " + std::string(row.at("place").as_string());
  }
  EXPECT_THAT(rows, ElementsAre("broken invalid ./.awf/plugins", "demo ok ./.awf/plugins", "github ok built-in",
                                "http ok built-in", "notify ok built-in", "other ok ./.awf/plugins"));
  EXPECT_FALSE(Started("other"));
  ASSERT_EQ(Awf("plugin list"), 0);
  EXPECT_THAT(out_, HasSubstr("demo    0.1.0"));
  EXPECT_THAT(err_, HasSubstr("Warning: EXECUTION.PLUGIN.CONFIG"));
  ASSERT_EQ(Awf("plugin list -f quiet"), 0);
  EXPECT_EQ(out_, "broken\ndemo\ngithub\nhttp\nnotify\nother\n");
  ASSERT_EQ(Awf("plugin list --details"), 0);
  EXPECT_THAT(out_, HasSubstr("  executable  " + world_.Path("ws/.awf/plugins/awf-plugin-demo").string()));
  EXPECT_FALSE(Started("other"));
}

TEST_F(PluginCommands, ListWithANameStartsItAndShowsItsOperations) {
  PutDemo();
  ASSERT_EQ(Awf("plugin list demo"), 0) << err_;
  EXPECT_THAT(out_, testing::ContainsRegex("add +demo_add +Adds two integers\\."));
  EXPECT_THAT(out_, testing::ContainsRegex("a +integer +yes"));
  ASSERT_EQ(Awf("plugin list demo -f json"), 0);
  const json::value row = Json().as_array().at(0);
  bool found = false;
  for (const json::value& operation : row.at("operations").as_array()) {
    if (operation.at("name") != "add") continue;
    found = true;
    EXPECT_EQ(operation.at("tool"), "demo_add");
    EXPECT_EQ(operation.at("inputs").as_array().size(), 2U);
    EXPECT_EQ(operation.at("inputs").at(0).at("required"), true);
    EXPECT_EQ(operation.at("outputs").at(0).at("name"), "sum");
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(Awf("plugin list dmeo"), 1);
  EXPECT_THAT(err_, StartsWith("Error: USER.MCP_PROXY.UNKNOWN_PLUGIN\n"));
  EXPECT_THAT(err_, HasSubstr("Hint: did you mean 'demo'?\n"));
}

TEST_F(PluginCommands, CompletionKnowsOperationsFromTheCacheAlone) {
  PutDemo();
  PutScript("ws/.awf/plugins", "other");
  ASSERT_EQ(Awf("plugin list demo --operations -f quiet"), 0);
  EXPECT_EQ(out_, "");
  ASSERT_EQ(Awf("plugin list demo"), 0);
  ASSERT_EQ(Awf("plugin list demo --operations -f quiet"), 0);
  EXPECT_THAT(out_, StartsWith("add\nbig\n"));
  ASSERT_EQ(Awf("plugin list other --operations -f quiet"), 0);
  EXPECT_EQ(out_, "");
  EXPECT_FALSE(Started("other"));
}

TEST_F(PluginCommands, DisabledAndEnabledAgain) {
  PutDemo();
  ASSERT_EQ(Awf("plugin disable demo"), 0) << err_;
  EXPECT_EQ(out_, "demo is disabled\n");
  EXPECT_EQ(Awf("plugin call demo add -i a=1 -i b=2"), 3);
  EXPECT_THAT(err_, StartsWith("Error: EXECUTION.PLUGIN.DISABLED\n"));
  ASSERT_EQ(Awf("plugin list -f json"), 0);
  EXPECT_EQ(Json().as_array().at(0).at("status"), "disabled");
  ASSERT_EQ(Awf("plugin enable demo -f json"), 0) << err_;
  EXPECT_EQ(out_, "{\"name\":\"demo\",\"enabled\":true}\n");
  EXPECT_EQ(Awf("plugin call demo add -i a=1 -i b=2"), 0) << err_;
  EXPECT_EQ(Awf("plugin disable dmeo"), 1);
  EXPECT_THAT(err_, HasSubstr("UNKNOWN_PLUGIN"));
  EXPECT_EQ(Awf("plugin disable http"), 1);
  EXPECT_THAT(err_, HasSubstr("http is built into awf and cannot be switched on or off"));
}

TEST_F(PluginCommands, EnableSaysWhenTheProjectSwitchesItOff) {
  PutDemo();
  world_.Write("ws/.awf/plugins.yaml", "plugins: {demo: {enabled: false}}\n");
  ASSERT_EQ(Awf("plugin enable demo"), 0) << err_;
  EXPECT_EQ(out_, "demo is disabled\n");
  EXPECT_THAT(err_, HasSubstr("Warning: demo stays disabled: "));
}

TEST_F(PluginCommands, LockWritesTheSameBytesTwiceAndTellsWhatChanged) {
  PutDemo();
  ASSERT_EQ(Awf("plugin lock"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("+ demo.add\n"));
  EXPECT_THAT(err_, HasSubstr("wrote .awf/plugins.lock\n"));
  const std::string first = world_.Read("ws/.awf/plugins.lock");
  ASSERT_EQ(Awf("plugin lock"), 0);
  EXPECT_EQ(out_, "");
  EXPECT_EQ(err_, ".awf/plugins.lock is up to date\n");
  EXPECT_EQ(world_.Read("ws/.awf/plugins.lock"), first);
  fs::remove(world_.Path("ws/.awf/plugins.lock"));
  ASSERT_EQ(Awf("plugin lock demo -f json"), 0);
  EXPECT_EQ(Json().at("written"), true);
  EXPECT_EQ(world_.Read("ws/.awf/plugins.lock"), first);
  // It is gone: so it goes from the lock as well.
  fs::remove_all(world_.Path("ws/.awf/plugins/awf-plugin-demo"));
  ASSERT_EQ(Awf("plugin lock"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("- demo"));
}

TEST_F(PluginCommands, LockWritesNothingWhenAPluginDoesNotStart) {
  PutDemo();
  PutScript("ws/.awf/plugins", "other");
  EXPECT_EQ(Awf("plugin lock"), 3);
  EXPECT_THAT(err_, HasSubstr("Error: EXECUTION.PLUGIN.START\nDetails: other "));
  EXPECT_FALSE(fs::exists(world_.Path("ws/.awf/plugins.lock")));
  EXPECT_EQ(Awf("plugin lock demo"), 0) << err_;
  EXPECT_EQ(Awf("plugin lock http"), 1);
  EXPECT_THAT(err_, HasSubstr("http is built into awf"));
}

TEST_F(PluginCommands, LockTellsOfAPluginThatIsNamedAndMissing) {
  world_.Write("ws/.awf/plugins.yaml", "plugins:\n  gone: {path: ./nope}\n");
  EXPECT_EQ(Awf("plugin lock"), 3);
  EXPECT_THAT(err_, HasSubstr("nope"));
  EXPECT_FALSE(fs::exists(world_.Path("ws/.awf/plugins.lock")));
}

TEST_F(PluginCommands, LockTellsOfAFolderThatHoldsNoPlugin) {
  PutDemo("ws/tools");
  world_.Write("ws/.awf/plugins.yaml", "plugins:\n  demo: {path: ./tools/awf-plugin-demo}\n");
  EXPECT_EQ(Awf("plugin lock"), 0) << err_;
  const std::string lock = world_.Read("ws/.awf/plugins.lock");
  fs::remove(world_.Path("ws/tools/awf-plugin-demo/plugin.yaml"));
  EXPECT_EQ(Awf("plugin lock"), 3);
  EXPECT_THAT(err_, HasSubstr("has no plugin.yaml"));
  EXPECT_EQ(world_.Read("ws/.awf/plugins.lock"), lock);
  EXPECT_EQ(Awf("plugin verify"), 3);
}

TEST_F(PluginCommands, VerifyMissesNothingThatWasLocked) {
  PutDemo();
  EXPECT_EQ(Awf("plugin lock"), 0) << err_;
  EXPECT_EQ(Awf("plugin verify"), 0) << err_;
  fs::remove(world_.Path("ws/.awf/plugins/awf-plugin-demo/plugin.yaml"));
  EXPECT_EQ(Awf("plugin verify"), 1) << out_;
  EXPECT_THAT(err_, StartsWith("Error: USER.MCP_PROXY.UNKNOWN_PLUGIN\n"));
  fs::remove_all(world_.Path("ws/.awf/plugins/awf-plugin-demo"));
  EXPECT_EQ(Awf("plugin verify"), 1) << out_;
}

TEST_F(PluginCommands, SecretsThatThePluginsFileGivesAreMasked) {
  world_.Write("ws/leak", "#!/bin/sh\necho \"key is $MY_API_KEY\" >&2; exit 3\n", true);
  world_.Write("ws/.awf/plugins.yaml", "plugins: {leak: {path: ./leak, env: {MY_API_KEY: planted-0815-secret}}}\n");
  for (const char* words : {"plugin check leak", "plugin check leak -f json", "plugin list --operations -f json",
                            "plugin call leak x", "plugin call leak x -f json", "plugin lock"}) {
    Awf(words);
    EXPECT_THAT(out_ + err_, HasSubstr("key is")) << words;
    EXPECT_THAT(out_ + err_, testing::Not(HasSubstr("planted-0815-secret"))) << words;
  }
}

TEST_F(PluginCommands, ACallShowsTheWholeResult) {
  PutDemo();
  EXPECT_EQ(Awf("plugin call demo big --input bytes=100000"), 0) << err_;
  EXPECT_EQ(json::parse(out_).at("output").as_string().size(), 100'000U);
}

TEST_F(PluginCommands, WithoutAHomeNothingIsWrittenHere) {
  PutDemo();
  for (const char* name : {"HOME", "XDG_DATA_HOME", "AWF_STORAGE"}) world_.environment().erase(name);
  EXPECT_EQ(Awf("plugin disable demo"), 1);
  EXPECT_THAT(err_, HasSubstr("HOME is not set"));
  EXPECT_FALSE(fs::exists(world_.Path("ws/.awf/plugins/plugins.json")));
}

TEST_F(PluginCommands, AFaultOfTheLockHasThePlaceOfTheLock) {
  PutDemo();
  world_.Write("ws/.awf/plugins.lock", "");
  world_.Write("ws/w.yaml",
               "name: w\nstates:\n  initial: a\n  a: {type: operation, operation: demo.echo, inputs: {text: hi}, "
               "on_success: d}\n  d: {type: terminal}\n");
  EXPECT_NE(Awf("run w.yaml"), 0);
  EXPECT_THAT(err_, HasSubstr("plugins.lock"));
}

TEST_F(PluginCommands, AChangedExecutableIsFoundAndNotStartedAndLockTakesIt) {
  PutDemo();
  ASSERT_EQ(Awf("plugin lock"), 0) << err_;
  ASSERT_EQ(Awf("plugin verify"), 0) << err_;
  EXPECT_THAT(out_, testing::ContainsRegex("demo +ok +[0-9a-f]{12} +\\.awf/plugins\\.lock"));
  std::ofstream(world_.Path("ws/.awf/plugins/awf-plugin-demo/awf-plugin-demo"), std::ios::app) << "x";
  EXPECT_EQ(Awf("plugin verify"), 3);
  EXPECT_THAT(out_, HasSubstr("demo  differs"));
  EXPECT_THAT(err_, StartsWith("Error: EXECUTION.PLUGIN.CHECKSUM_MISMATCH\nDetails: demo: .awf/plugins.lock expects "));
  EXPECT_EQ(Awf("plugin call demo add -i a=1 -i b=2"), 3);
  EXPECT_THAT(err_, StartsWith("Error: EXECUTION.PLUGIN.CHECKSUM_MISMATCH\n"));
  world_.Write("ws/w.yaml", OperationStep("demo.add", "{a: 1, b: 2}"));
  EXPECT_EQ(Awf("run w.yaml -f json"), 3);
  EXPECT_EQ(Json().at("error").at("code"), "EXECUTION.PLUGIN.CHECKSUM_MISMATCH");
  ASSERT_EQ(Awf("plugin lock"), 0) << err_;
  EXPECT_THAT(out_, StartsWith("~ demo: sha256 "));
  EXPECT_EQ(Awf("plugin verify"), 0);
}

TEST_F(PluginCommands, VerifyUpdateKeepsTheHashInTheStateFile) {
  PutDemo();
  ASSERT_EQ(Awf("plugin verify demo"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("demo  nothing written"));
  ASSERT_EQ(Awf("plugin verify demo --update"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("demo  ok"));
  std::ofstream(world_.Path("ws/.awf/plugins/awf-plugin-demo/awf-plugin-demo"), std::ios::app) << "x";
  EXPECT_EQ(Awf("plugin verify -f json"), 3);
  EXPECT_EQ(Json().at("valid"), false);
  EXPECT_EQ(Json().at("plugins").at(0).at("checks").at(0).at("ok"), false);
  EXPECT_EQ(Awf("plugin verify --update"), 0) << err_;
  EXPECT_EQ(Awf("plugin verify nope"), 1);
}

TEST_F(PluginCommands, CheckTellsEachStageAndWhereItFails) {
  PutDemo();
  PutScript("ws/.awf/plugins", "other");
  ASSERT_EQ(Awf("plugin check demo -f json"), 0) << err_;
  std::vector<std::string> stages;
  for (const json::value& stage : Json().at("stages").as_array()) stages.emplace_back(stage.at("name").as_string());
  EXPECT_THAT(stages,
              ElementsAre("checksum", "spawn", "handshake", "tls", "health", "info", "init", "operations", "stop"));
  ASSERT_EQ(Awf("plugin check demo"), 0);
  EXPECT_THAT(out_, testing::ContainsRegex("handshake +[0-9.]+ ms"));
  EXPECT_EQ(Awf("plugin check other"), 3);
  EXPECT_THAT(out_, HasSubstr("spawn"));
  EXPECT_THAT(out_, Not(HasSubstr("handshake")));
  EXPECT_THAT(err_, StartsWith("Error: EXECUTION.PLUGIN.START\nDetails: other ended before the handshake: exit "
                               "status 4"));
  EXPECT_EQ(Awf("plugin check nope"), 1);
  EXPECT_EQ(Awf("plugin check http"), 0);
  EXPECT_THAT(out_, HasSubstr("nothing to start"));
}

TEST_F(PluginCommands, CallGoesThroughChecksAndMapping) {
  PutDemo();
  ASSERT_EQ(Awf("plugin call demo add --input a=2 --input b=40"), 0) << err_;
  EXPECT_EQ(out_, "{\"sum\":42}\n");
  // A string takes any text, whether it reads as JSON or not.
  ASSERT_EQ(Awf("plugin call demo echo -i text=1.10"), 0) << err_;
  EXPECT_EQ(out_, "{\"output\":\"1.10\"}\n");
  ASSERT_EQ(Awf("plugin call demo echo -i 'text=\"a\"'"), 0) << err_;
  EXPECT_EQ(out_, "{\"output\":\"a\"}\n");
  ASSERT_EQ(Awf("plugin call demo void"), 0) << err_;
  EXPECT_EQ(out_, "(no output)\n");
  EXPECT_EQ(Awf("plugin call demo add -i a=x"), 1);
  EXPECT_THAT(err_, StartsWith("Error: USER.INPUT.VALIDATION_FAILED\nDetails: invalid arguments: "));
  EXPECT_EQ(Awf("plugin call demo add -i novalue"), 1);
  EXPECT_THAT(err_, HasSubstr("--input: 'novalue' is not NAME=JSON"));
  EXPECT_EQ(Awf("plugin call demo ad"), 1);
  EXPECT_THAT(err_, StartsWith("Error: USER.MCP_PROXY.UNKNOWN_OPERATION\n"));
  EXPECT_THAT(err_, HasSubstr("Hint: did you mean 'add'?\n"));
  EXPECT_EQ(Awf("plugin call demo fail -i message=oh"), 3);
  EXPECT_EQ(err_, "Error: EXECUTION.OPERATION.FAILED\nDetails: oh\n");
  EXPECT_EQ(Awf("plugin call demo exit -i code=3 -f json"), 3);
  EXPECT_EQ(Json().at("success"), false);
  EXPECT_THAT(std::string(Json().at("error").at("message").as_string()),
              StartsWith("demo: plugin process ended during the call (exit status 3)"));
}

TEST_F(PluginCommands, InterruptedItStopsThePluginAndEndsByTheSignal) {
  PutDemo();
  const std::string mark = world_.Path("cancelled").string();
  const pid_t awf = world_.StartAwf({"plugin", "call", "demo", "hang", "-i", "mark=" + mark, "--verbose"});
  ASSERT_TRUE(WaitFor(kBound, [this] { return world_.Read("stderr").find("hanging") != std::string::npos; }));
  ::kill(awf, SIGTERM);
  std::map<pid_t, int> statuses;
  std::string left;
  EXPECT_TRUE(WaitUntilNoChildIsLeft(kBound, &left, &statuses)) << left;
  ASSERT_TRUE(WIFSIGNALED(statuses[awf]));
  EXPECT_EQ(WTERMSIG(statuses[awf]), SIGTERM);
  EXPECT_EQ(world_.Read("cancelled"), "cancelled");
}

TEST_F(PluginCommands, InitMakesAPluginThatIsListed) {
  fs::create_directories(world_.Path("ws/.awf/plugins"));
  ASSERT_EQ(world_.Shell("cd .awf/plugins && awf plugin init my-weather"), 0) << world_.Read("stderr");
  EXPECT_THAT(world_.Read("stdout"), HasSubstr("awf-plugin-my-weather/plugin.yaml\n"));
  EXPECT_THAT(world_.Read("ws/.awf/plugins/awf-plugin-my-weather/plugin.cc"),
              HasSubstr("Plugin plugin{\"my-weather\""));
  for (const auto& entry : fs::recursive_directory_iterator(world_.Path("ws/.awf/plugins/awf-plugin-my-weather"))) {
    EXPECT_THAT(entry.path().string(), Not(HasSubstr("@NAME@")));
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(FileText(entry.path()), Not(HasSubstr("@NAME@"))) << entry.path();
  }
  ASSERT_EQ(Awf("plugin list -f json"), 0) << err_;
  bool listed = false;
  for (const json::value& row : Json().as_array()) listed = listed || row.at("name") == "my-weather";
  EXPECT_TRUE(listed);
  EXPECT_EQ(world_.Shell("cd .awf/plugins && awf plugin init my-weather"), 1);
  EXPECT_THAT(world_.Read("stderr"), HasSubstr("awf-plugin-my-weather exists already"));
  EXPECT_EQ(Awf("plugin init ../x"), 1);
  EXPECT_EQ(Awf("plugin init x --lang cobol"), 1);
  EXPECT_THAT(err_, HasSubstr("--lang must be one of cpp"));
  EXPECT_FALSE(fs::exists(world_.Path("ws/awf-plugin-x")));
}

TEST_F(PluginCommands, ARunWithOperationStepsStartsThePluginOnceAndRecordsIt) {
  PutDemo();
  world_.Write("ws/w.yaml", R"(name: w
states:
  initial: count
  count: {type: step, command: "echo 40", on_success: add}
  add:
    type: operation
    operation: demo.add
    inputs: {a: "{{.states.count.Output}}", b: 2}
    on_success: both
  both: {type: parallel, parallel: [one, two], on_success: done}
  one: {type: operation, operation: demo.state}
  two: {type: operation, operation: demo.state}
  done: {type: terminal, message: "{{.states.add.Response.sum}}"}
)");
  ASSERT_EQ(Awf("run w.yaml"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("42\n"));
  const std::string audit = FileText(world_.RunFolder() / "audit.jsonl");
  std::vector<std::string> types;
  std::istringstream lines(audit);
  for (std::string line; std::getline(lines, line);) types.emplace_back(json::parse(line).at("type").as_string());
  EXPECT_EQ(std::ranges::count(types, "plugin.started"), 1) << audit;
  EXPECT_EQ(std::ranges::count(types, "plugin.stopped"), 1) << audit;
  EXPECT_EQ(types.back(), "run.completed");
  EXPECT_EQ(types[types.size() - 2], "plugin.stopped");
  // Each plugin keeps its state as long as the run.
  ASSERT_EQ(Awf("run w.yaml -f json"), 0) << err_;
  const json::value one = Json().at("states").at("one").at("Response").at("count");
  const json::value two = Json().at("states").at("two").at("Response").at("count");
  EXPECT_EQ(one.to_number<int>() + two.to_number<int>(), 3);
}

TEST_F(PluginCommands, AResumedRunKeepsWhatOperationsYieldedAndStartsThePluginAnew) {
  PutDemo();
  world_.Write("ws/w.yaml", R"(name: w
states:
  initial: first
  first: {type: operation, operation: demo.add, inputs: {a: 40, b: 1}, on_success: gate}
  gate: {type: step, command: "test -e open", on_success: second}
  second:
    type: operation
    operation: demo.add
    inputs: {a: "{{.states.first.Response.sum}}", b: 1}
    on_success: done
  done: {type: terminal, message: "{{.states.second.Response.sum}}"}
)");
  EXPECT_EQ(Awf("run w.yaml"), 3);
  world_.Write("ws/open", "");
  ASSERT_EQ(Awf("resume"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("42\n"));
  EXPECT_THAT(err_, HasSubstr("→ second (operation, demo.add)"));
  EXPECT_THAT(err_, Not(HasSubstr("→ first")));
}

TEST_F(PluginCommands, WhatAPluginPrintsIsInTheLogAndItsSecretsAreNot) {
  PutDemo();
  world_.Write("ws/.awf/plugins.yaml", "plugins: {demo: {env: {DEMO_TOKEN: s3cr3t-of-demo}}}\n");
  world_.Write("ws/w.yaml", R"(name: w
states:
  initial: print
  print: {type: operation, operation: demo.print, inputs: {bytes: 64}, on_success: env}
  env: {type: operation, operation: demo.env, inputs: {name: DEMO_TOKEN}, on_success: done}
  done: {type: terminal, status: failure, message: "{{.states.env.Response.value}}"}
)");
  EXPECT_EQ(Awf("run w.yaml"), 3);
  const std::string log = FileText(world_.RunFolder() / "log.jsonl");
  EXPECT_THAT(log, HasSubstr(R"("message":"plugin log","plugin":"demo","text":")" + std::string(63, 'o') + "\""));
  EXPECT_THAT(log, HasSubstr(R"("text":")" + std::string(63, 'e') + "\""));
  for (const char* file : {"log.jsonl", "audit.jsonl", "run.json"})
    EXPECT_THAT(FileText(world_.RunFolder() / file), Not(HasSubstr("s3cr3t-of-demo"))) << file;
  EXPECT_THAT(err_, Not(HasSubstr("s3cr3t-of-demo")));
}

TEST_F(PluginCommands, APluginOfTheNameOfABuiltInTakesItsPlaceAndThatIsSaid) {
  PutDemo();
  world_.Write("ws/.awf/plugins.yaml", "plugins: {http: {path: ./.awf/plugins/awf-plugin-demo/awf-plugin-demo}}\n");
  world_.Write("ws/w.yaml", OperationStep("http.add", "{a: 1, b: 2}"));
  ASSERT_EQ(Awf("run w.yaml"), 0) << err_;
  EXPECT_THAT(out_, StartsWith("3\n"));
  EXPECT_THAT(FileText(world_.RunFolder() / "log.jsonl"),
              HasSubstr(R"({"level":"warn","message":"plugin in place of a built-in one","plugin":"http")"));
  ASSERT_EQ(Awf("plugin list -f json"), 0);
  for (const json::value& row : Json().as_array())
    EXPECT_EQ(row.at("place") == ".awf/plugins.yaml", row.at("name") == "http") << row;
}

TEST_F(PluginCommands, RetryRepeatsAnOperationAndTheRunFailsWithItsOwnCode) {
  PutDemo();
  world_.Write("ws/w.yaml", R"(name: w
states:
  initial: fail
  fail:
    type: operation
    operation: demo.fail
    inputs: {message: "no luck"}
    retry: {max_attempts: 2, initial_delay: 1ms}
    on_success: done
  done: {type: terminal}
)");
  EXPECT_EQ(Awf("run w.yaml -f json"), 3);
  EXPECT_EQ(Json().at("error").at("code"), "EXECUTION.OPERATION.FAILED");
  EXPECT_EQ(Json().at("error").at("message"), "no luck");
  EXPECT_EQ(Json().at("states").at("fail").at("Attempts"), 2);
}

TEST_F(PluginCommands, ATimeoutCancelsTheCallAndOtherStepsGoOn) {
  PutDemo();
  world_.Write("ws/w.yaml", R"(name: w
states:
  initial: hang
  hang: {type: operation, operation: demo.hang, timeout: 50ms, on_success: done, on_failure: after}
  after: {type: operation, operation: demo.add, inputs: {a: 1, b: 2}, on_success: done}
  done: {type: terminal, message: "{{.states.hang.ErrorCode}} {{.states.after.Response.sum}}"}
)");
  ASSERT_EQ(Awf("run w.yaml"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("EXECUTION.OPERATION.TIMEOUT 3\n"));
}

TEST_F(PluginCommands, AnInterruptedRunLeavesNoPluginBehind) {
  PutDemo();
  world_.Write("ws/w.yaml", OperationStep("demo.hang", "{}"));
  const pid_t awf = world_.StartAwf({"run", "w.yaml", "--verbose"});
  ASSERT_TRUE(WaitFor(kBound, [this] { return world_.Read("stderr").find("hanging") != std::string::npos; }));
  ::kill(awf, SIGINT);
  std::map<pid_t, int> statuses;
  std::string left;
  EXPECT_TRUE(WaitUntilNoChildIsLeft(kBound, &left, &statuses)) << left;
  ASSERT_TRUE(WIFSIGNALED(statuses[awf]));
  EXPECT_EQ(WTERMSIG(statuses[awf]), SIGINT);
  EXPECT_THAT(FileText(world_.RunFolder() / "audit.jsonl"), HasSubstr("plugin.stopped"));
}

TEST_F(PluginCommands, ValidatingAForeignProjectStartsNothingUnlessAskedTo) {
  PutScript("ws/.awf/plugins", "other");
  world_.Write("ws/w.yaml", OperationStep("other.look", "{}"));
  EXPECT_EQ(Awf("validate w.yaml"), 0) << err_;
  EXPECT_THAT(err_, HasSubstr("Warning: USER.MCP_PROXY.UNKNOWN_OPERATION\n"));
  EXPECT_EQ(Awf("validate w.yaml --skip-plugins"), 0) << err_;
  EXPECT_EQ(err_, "Warning: --skip-plugins: plugins and what steps use of them were not checked\n");
  EXPECT_EQ(Awf("run w.yaml --dry-run"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("note: the operation is not verified: "));
  EXPECT_FALSE(Started("other"));
  EXPECT_EQ(Awf("validate w.yaml --start-plugins"), 3);
  EXPECT_TRUE(Started("other"));
  EXPECT_THAT(err_, HasSubstr("Error: EXECUTION.PLUGIN.START\n"));
}

TEST_F(PluginCommands, ValidateAsksWhatTheUserInstalled) {
  PutDemo("home/.local/share/awf/plugins");
  world_.Write("ws/w.yaml", OperationStep("demo.ad", "{}"));
  EXPECT_EQ(Awf("validate w.yaml"), 1);
  EXPECT_THAT(err_, HasSubstr("Error: USER.MCP_PROXY.UNKNOWN_OPERATION\nStep: go\n"));
  EXPECT_THAT(err_, HasSubstr("Hint: did you mean 'add'?\n"));
  world_.Write("ws/w.yaml", OperationStep("demo.add", "{a: 1, b: 2}"));
  EXPECT_EQ(Awf("validate w.yaml"), 0) << err_;
  EXPECT_THAT(err_, Not(HasSubstr("Warning")));
}

TEST_F(PluginCommands, DoctorAndHelpTellOfPlugins) {
  PutDemo();
  ASSERT_EQ(Awf("doctor"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("\nplugins\n  demo 0.1.0, ok, in ./.awf/plugins\n"));
  for (const char* command : {"list", "enable", "disable", "lock", "verify", "check", "call", "init"}) {
    ASSERT_EQ(Awf("plugin " + std::string(command) + " --help"), 0);
    EXPECT_THAT(out_, HasSubstr("awf plugin " + std::string(command))) << command;
    EXPECT_THAT(out_, HasSubstr("Example")) << command;
  }
  EXPECT_EQ(Awf("plugin"), 1);
  EXPECT_THAT(err_, HasSubstr("plugin needs a command"));
}

// Programs that the plugin has started, and its socket, as nobody is left to end them but what awf has left behind.
TEST_F(PluginCommands, NothingOutlivesAnAwfThatIsKilled) {
  PutDemo();
  const std::string mark = process::UniqueSleep();
  const std::string demo = world_.Path("ws/.awf/plugins/awf-plugin-demo/awf-plugin-demo").string();
  fs::rename(demo, demo + ".real");
  world_.Write("ws/.awf/plugins/awf-plugin-demo/awf-plugin-demo",
               "#!/bin/sh\nsleep " + mark + " &\nsetsid sleep " + mark + " &\n(sleep " + mark + " &)\nexec '" + demo +
                   ".real'\n",
               true);
  world_.Write("ws/w.yaml",
               "name: w\nstates:\n  initial: go\n  go: {type: operation, operation: demo.hang, inputs: {mark: '" +
                   world_.Path("cancelled").string() + "'}, on_success: done}\n  done: {type: terminal}\n");
  const pid_t awf = world_.StartAwf({"run", "./w.yaml"});
  const auto hangs = [&] {
    const fs::path run = world_.RunFolder();
    return !run.empty() && FileText(run / "log.jsonl").find("demo: hanging") != std::string::npos;
  };
  ASSERT_TRUE(WaitFor(kBound, hangs)) << world_.Read("stderr");
  EXPECT_THAT(process::MarkedProcesses(mark), testing::SizeIs(3));
  EXPECT_THAT(world_.PrivateFolders(), testing::SizeIs(1));
  ::kill(awf, SIGKILL);
  std::string left;
  EXPECT_TRUE(WaitUntilNoChildIsLeft(kBound, &left, nullptr)) << left;  // killing nothing
  EXPECT_THAT(process::MarkedProcesses(mark), ElementsAre());
}

}  // namespace
}  // namespace awf::e2e
