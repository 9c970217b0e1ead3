// Test support: a run with everything around it faked. Executors are functions of the request; every event is a line;
// the journal keeps its records. Thread-safe where branches need it.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "application/running/workflow_runner.h"
#include "domain/test_files.h"
#include "domain/test_folder.h"

namespace awf {

// Writes down every event as one line; states by their path.
class Events final : public RunObserver {
 public:
  void RunStarted(const RunStart& e) override {
    std::string inputs;
    for (const auto& [name, value] : e.inputs) inputs += " " + name + "=" + value;
    Add("run " + e.workflow + " " + e.version + inputs + (e.resumed ? " resumed" : ""));
    start = e;
  }
  void StepStarted(const StepContext& s, const StepStart& e) override {
    std::string line = "start " + s.path + " " + std::string(ToString(s.kind));
    if (!e.provider.empty()) line += " provider=" + e.provider + " model=" + e.model;
    if (!e.operation.empty()) line += " " + e.operation;
    if (e.proxy) line += std::string(" proxy ") + (e.intercept ? "intercept " : "additive ") + e.sandbox;
    Add(line);
    const std::lock_guard lock(mutex_);
    contexts.push_back(s);
    EXPECT_TRUE(open_.insert(s.span_id).second) << s.path;
  }
  void Logged(const StepContext* s, LogLevel level, std::string_view message, const json::object& fields) override {
    Add("log " + (s == nullptr ? "" : s->path) + " " + std::string(ToString(level)) + " " + std::string(message) +
        (fields.empty() ? "" : " " + json::serialize(fields)));
  }
  void CommandOutput(const StepContext& s, bool, std::string_view text) override {
    const std::lock_guard lock(mutex_);
    outputs.push_back(s.path + ": " + std::string(text));
  }
  void StepRetried(const StepContext& s, const StepRetry& e) override {
    Add("retry " + s.path + " " + std::to_string(e.attempt) + " after " + std::to_string(e.delay.count()) + " " +
        e.error.code);
  }
  void StepEnded(const StepContext& s, const StepEnd& e) override {
    Add("end " + s.path + " " + std::string(ToString(e.status)) + " " + std::to_string(e.exit_code) +
        (e.error ? " " + e.error->code : ""));
    if (on_ended) on_ended(s);
    const std::lock_guard lock(mutex_);
    ends.emplace_back(s, e);
    EXPECT_EQ(open_.erase(s.span_id), 1U) << s.path;
  }
  void RunEnded(const RunEnd& e) override {
    Add("over " + e.status + " " + std::to_string(e.exit_code) + (e.error ? " " + e.error->code : ""));
    EXPECT_TRUE(open_.empty());
  }

  // The paths of the states that ended, with their status.
  std::vector<std::string> Ended() const {
    std::vector<std::string> paths;
    for (const auto& [step, end] : ends) paths.push_back(step.path + " " + std::string(ToString(end.status)));
    return paths;
  }
  const StepEnd& EndOf(const std::string& path) const {
    for (const auto& [step, end] : ends)
      if (step.path == path) return end;
    ADD_FAILURE() << path << " has not ended";
    return ends.front().second;
  }

  std::vector<std::string> lines, outputs;
  std::vector<StepContext> contexts;
  std::vector<std::pair<StepContext, StepEnd>> ends;
  RunStart start;
  std::function<void(const StepContext&)> on_ended;

 private:
  void Add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines.push_back(std::move(line));
  }
  std::mutex mutex_;
  std::set<SpanId> open_;
};

inline StepResult Success(std::string output) {
  StepResult result;
  result.output = std::move(output);
  result.end.duration = std::chrono::milliseconds(1500);
  return result;
}

inline StepResult Failure(std::string code, int exit_code, StepStatus status = StepStatus::kFailure) {
  StepResult result;
  result.end.status = status;
  result.end.exit_code = exit_code;
  result.end.error = Error{std::move(code), "it went wrong", {}, {}, {}, {}};
  result.error_output = "stderr";
  return result;
}

inline StepResult Cancelled() { return Failure("EXECUTION.RUN.CANCELLED", 143, StepStatus::kCancelled); }

class FakeCommands final : public CommandExecutor {
 public:
  // In this order: on_run, run, the next of `results`, "out".
  StepResult Run(const CommandRequest& request, RunObserver& observer) override {
    {
      const std::lock_guard lock(mutex);
      requests.push_back(request);
    }
    if (on_run) on_run(request);
    observer.CommandOutput(request.step, false, request.command);
    if (run) return run(request);
    const std::lock_guard lock(mutex);
    if (results.empty()) return Success("out");
    StepResult result = results.front();
    results.pop_front();
    return result;
  }
  std::vector<std::string> Commands() const {
    std::vector<std::string> commands;
    for (const CommandRequest& request : requests) commands.push_back(request.command);
    return commands;
  }

  std::mutex mutex;
  std::vector<CommandRequest> requests;
  std::deque<StepResult> results;
  std::function<void(const CommandRequest&)> on_run;
  std::function<StepResult(const CommandRequest&)> run;
};

class FakeAgents final : public AgentExecutor {
 public:
  // In this order: on_run, the next of `results`, `result`.
  StepResult Run(const AgentRequest& request, RunObserver&) override {
    {
      const std::lock_guard lock(mutex);
      requests.push_back(request);
    }
    if (on_run) on_run(request);
    const std::lock_guard lock(mutex);
    if (results.empty()) return result;
    StepResult next = results.front();
    results.pop_front();
    return next;
  }
  std::mutex mutex;
  std::function<void(const AgentRequest&)> on_run;
  std::vector<AgentRequest> requests;
  std::deque<StepResult> results;
  StepResult result = Success("done");
};

class FakeJournal final : public RunJournal {
 public:
  std::expected<void, Error> Append(const json::object& record) override {
    const std::lock_guard lock(mutex);
    if (records.size() >= room) return Fail("SYSTEM.IO.WRITE_FAILED", "no space left");
    // As on disk: numbers come back as whatever the parser makes of them.
    records.push_back(json::parse(json::serialize(record)).get_object());
    return {};
  }
  std::mutex mutex;
  std::vector<json::object> records;
  std::size_t room = static_cast<std::size_t>(-1);
};

inline TemplateText Text(std::string text) { return {std::move(text), {"f.yaml", 1, 1}, {}}; }
inline StateTarget To(std::string state) { return {std::move(state), {}}; }
inline Transition When(std::string when, std::string target) {
  return {Text(std::move(when)), To(std::move(target)), {"f.yaml", 2, 1}};
}
inline std::vector<StateTarget> ToAll(const std::vector<std::string>& names) {
  std::vector<StateTarget> targets;
  for (const std::string& name : names) targets.push_back(To(name));
  return targets;
}

class RunFixture : public testing::Test {
 protected:
  RunFixture() {
    workflow_.name = "flow";
    workflow_.version = "1";
    workflow_.states.reserve(64);  // so that references to states stay good
    request_.run_id = "id";
    request_.trace_id = std::string(32, 'a');
    request_.span_id = std::string(16, 'b');
    request_.working_dir = folder_;
    request_.cancelled = stop_.get_token();
  }

  State& Add(std::string name, decltype(State::body) body) {
    if (workflow_.states.empty()) workflow_.initial = To(name);
    State state;
    state.name = std::move(name);
    state.body = std::move(body);
    return workflow_.states.emplace_back(std::move(state));
  }
  // `next` may be empty: body states and branches need none.
  State& Command(const std::string& name, std::string command, const std::string& next = "") {
    return Onward(Add(name, CommandState{Text(std::move(command)), {}}), next);
  }
  State& Agent(const std::string& name, std::string prompt, const std::string& next = "") {
    AgentState agent;
    agent.provider = Text("claude");
    agent.prompt = Text(std::move(prompt));
    return Onward(Add(name, std::move(agent)), next);
  }
  State& Parallel(const std::string& name, const std::vector<std::string>& branches, const std::string& next,
                  ParallelStrategy strategy = ParallelStrategy::kAllSucceed, int max_concurrent = 0) {
    return Onward(Add(name, ParallelState{ToAll(branches), strategy, max_concurrent}), next);
  }
  State& Loop(const std::string& name, decltype(ForEachState::items) items, const std::vector<std::string>& body,
              const std::string& next = "") {
    ForEachState loop;
    loop.items = std::move(items);
    loop.body = ToAll(body);
    return Onward(Add(name, std::move(loop)), next);
  }
  void Terminal(const std::string& name, bool success = true, std::string message = "") {
    Add(name, TerminalState{success, Text(std::move(message))});
  }
  static State& Onward(State& state, const std::string& next) {
    if (!next.empty()) state.on_success = To(next);
    return state;
  }
  static AgentState& BodyOf(State& state) { return std::get<AgentState>(state.body); }
  static ForEachState& LoopOf(State& state) { return std::get<ForEachState>(state.body); }

  RunResult Run() {
    RunPorts ports{commands_, agents_, events_, [](const std::string& name) -> std::optional<std::string> {
                     if (name == "HOME") return "/home/ann";
                     return std::nullopt;
                   }};
    ports.journal = used_journal_;
    ports.files = &files_;
    if (wait_) ports.wait = wait_;
    ports.operations = operations_;
    return WorkflowRunner(ports).Run(workflow_, request_);
  }

  // The field of a state's result, as JSON text.
  static std::string Field(const RunResult& result, std::string_view state, std::string_view field) {
    for (const auto& [name, fields] : result.states) {
      if (name != state) continue;
      const json::value* value = fields.if_contains(field);
      return value == nullptr ? "none" : json::serialize(*value);
    }
    return "no state";
  }

  std::stop_source stop_;
  const TestFolder folder_;
  Workflow workflow_;
  RunRequest request_;
  Events events_;
  FakeCommands commands_;
  FakeAgents agents_;
  FilesInMemory files_;
  FakeJournal journal_;
  RunJournal* used_journal_ = &journal_;
  OperationProviders* operations_ = nullptr;
  WaitBetweenAttempts wait_ = [](std::chrono::milliseconds, const std::stop_token&) { return true; };
};

}  // namespace awf
