// For tests of an agent's plugin tools: a step that exposes operations of the plugin `forge`, which the test scripts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/agents/agent_runner_fixture.h"
#include "tests/agents/scripted_providers.h"

namespace awf::agents {

class PluginToolsTest : public AgentRunnerTest {
 protected:
  void SetUp() override {
    AgentRunnerTest::SetUp();
    std::vector<Operation> operations;
    for (const char* name : {"say", "fail", "late", "wait", "meet", "unasked"}) {
      operations.push_back({name, "", {{"text", "string", name == std::string_view("say"), "", "", ""}}, {}});
    }
    forge_ = std::make_shared<FakeOperations>("forge", std::move(operations));
    forge_->on_call = [this](const OperationCall& call) { return Execute(call); };
    plugins_.providers["forge"] = forge_;
    operations_ = &plugins_;
    Expose({"say", "fail", "late", "wait", "meet"});
  }
  void TearDown() override {
    EXPECT_EQ(running_, 0) << "operations run on";
    AgentRunnerTest::TearDown();
  }

  void Expose(const std::vector<std::string>& operations) { request_.proxy->plugin_tools = {ExposeForge(operations)}; }
  static json::object Forge(std::string_view operation, json::object arguments = {}) {
    return {{"call", "forge_" + std::string(operation)}, {"arguments", std::move(arguments)}};
  }

  // say: its text; fail; late: no answer in time; wait: until it is cancelled, or out of time, after it made the file
  // `started`; meet: until eight of it run.
  OperationResult Execute(const OperationCall& call) {
    ++running_;
    OperationResult result;
    result.rpc = RpcRecord{"plugin.v1.OperationService", "Execute", 0, {}, std::chrono::microseconds(500)};
    if (call.operation == "say") {
      result.success = true;
      result.output = call.inputs.at("text").as_string();
    } else if (call.operation == "late") {
      result.ending = OperationResult::Ending::kTimeout;
      result.error = "forge: no answer within 7 ms";
      result.rpc->status = 4;
    } else if (call.operation == "wait") {
      Wait(call, result);
    } else if (call.operation == "meet") {
      const auto until = SteadyClock::now() + std::chrono::seconds(60);
      while ((most_ = std::max(most_.load(), running_.load())) < 8 && SteadyClock::now() < until)
        std::this_thread::yield();
      result.success = true;
      result.output = "met";
    } else {
      result.error = "no such repository";
    }
    {
      const std::lock_guard lock(mutex_);
      traces_[call.id] = call.traceparent;
    }
    --running_;
    return result;
  }
  void Wait(const OperationCall& call, OperationResult& result) {
    std::ofstream(top_ / "work/started").flush();
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    const auto until = call.deadline.value_or(SteadyClock::now() + std::chrono::seconds(90));
    never.wait_until(lock, call.cancelled, until, [] { return false; });
    const bool cancelled = call.cancelled.stop_requested();
    cancelled_ += cancelled ? 1 : 0;
    result.ending = cancelled ? OperationResult::Ending::kCancelled : OperationResult::Ending::kTimeout;
    result.error = cancelled ? "cancelled" : "forge: no answer before the step's end";
    result.rpc->status = cancelled ? 1 : 4;
  }

  ScriptedProviders plugins_;
  std::shared_ptr<FakeOperations> forge_;
  std::atomic<int> running_ = 0, most_ = 0, cancelled_ = 0;
  std::mutex mutex_;
  std::map<CallId, std::string> traces_;  // traceparent by call
};

}  // namespace awf::agents
