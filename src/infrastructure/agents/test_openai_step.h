// For tests of OpenAiCompatible: a step, tools, and a server that says what it is told to.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "infrastructure/agents/openai_compatible.h"
#include "infrastructure/agents/test_observer.h"
#include "infrastructure/model_server/model_server.h"

namespace awf::agents {

// Answers that are given one after another, the last one for ever.
class FixedModel final : public model_server::ScriptedModel {
 public:
  explicit FixedModel(std::vector<model_server::ModelReply> replies) : replies_(std::move(replies)) {}
  model_server::ModelReply Answer(const model_server::ModelRequest&) override {
    const std::size_t at = std::min(next_++, replies_.size() - 1);
    return replies_[at];
  }

 private:
  std::vector<model_server::ModelReply> replies_;
  std::size_t next_ = 0;
};

inline model_server::ModelReply Says(json::object message, std::string_view finish_reason = "stop") {
  return {200, json::object{{"choices", json::array{json::object{{"message", std::move(message)},
                                                                 {"finish_reason", finish_reason}}}}}};
}
inline model_server::ModelReply Fails(int status, std::string_view text) {
  return {status, json::object{{"error", json::object{{"message", text}}}}};
}

// Look (read-only) and Change; Look waits until as many calls as it was told to run at the same time.
class TestTools final : public ToolProvider {
 public:
  std::vector<ToolDefinition> Tools() const override {
    ToolDefinition look;
    look.name = "Look";
    look.description = "looks";
    look.input_schema = {{"type", "object"},
                         {"properties", json::object{{"at", json::object{{"type", "string"}}}}},
                         {"required", json::array{"at"}}};
    look.annotations.read_only = true;
    ToolDefinition change = look;
    change.name = "Change";
    change.annotations.read_only = false;
    return {look, change};
  }
  ToolResult Call(const ToolCall& call) override {
    const std::string at(call.arguments.at("at").as_string());
    if (at == "wait for cancel") {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any never;
      waiting = true;
      never.wait(lock, call.cancelled, [] { return false; });
      return ToolResult::Failure("cancelled");
    }
    const int running = ++running_;
    most_running = std::max(most_running.load(), running);
    while (call.tool == "Look" && most_running < expected_parallel) std::this_thread::yield();
    --running_;
    return at == "fail" ? ToolResult::Failure("no " + at) : ToolResult::Text("saw " + at);
  }

  std::atomic<int> most_running{0};
  int expected_parallel = 1;
  std::atomic<bool> waiting{false};

 private:
  std::atomic<int> running_{0};
};

class OpenAiCompatibleTest : public testing::Test {
 protected:
  void Serve(std::unique_ptr<model_server::ScriptedModel> model) {
    auto server = model_server::ModelServer::Start(std::move(model));
    ASSERT_TRUE(server);
    server_ = std::move(*server);
    request_.options["base_url"] = server_->base_url() + "/";
    request_.options["model"] = "m";
  }
  void Script(std::vector<model_server::ScriptedTurn> turns) {
    Serve(std::make_unique<model_server::ChatCompletionsModel>(std::move(turns)));
  }
  void Replies(std::vector<model_server::ModelReply> replies) {
    Serve(std::make_unique<FixedModel>(std::move(replies)));
  }

  void SetUp() override {
    request_.step.step = "s";
    request_.provider = "openai_compatible";
    request_.provider_as_written = "openai-compatible";
    request_.prompt = "go";
    request_.proxy.emplace();
    request_.working_dir = "/";
    request_.deadline = SteadyClock::now() + std::chrono::seconds(60);
    settings_.first_retry = std::chrono::milliseconds(1);
  }

  StepResult Run() {
    const OpenAiCompatible provider(settings_, [&](const AgentRequest&, RunObserver&) {
      return std::vector<std::shared_ptr<ToolProvider>>{tools_};
    });
    return provider.Run(request_, observer_);
  }
  const json::object& SentBody(std::size_t index) {
    sent_ = server_->requests();
    return sent_.at(index).body.as_object();
  }
  std::string Code(const StepResult& result) const { return result.end.error ? result.end.error->code : ""; }

  OpenAiCompatible::Settings settings_;
  AgentRequest request_;
  TestObserver observer_;
  std::shared_ptr<TestTools> tools_ = std::make_shared<TestTools>();
  std::unique_ptr<model_server::ModelServer> server_;
  std::vector<model_server::ModelRequest> sent_;
};

}  // namespace awf::agents
