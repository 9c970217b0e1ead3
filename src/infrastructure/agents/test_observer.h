// For tests: a RunObserver that keeps what it was told, as short texts in order.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "domain/run_observer.h"

namespace awf::agents {

class TestObserver final : public RunObserver {
 public:
  void ProxyIsReady(const StepContext&, const ProxyReady& e) override {
    Add("ready " + e.client + " tools=" + std::to_string(e.tools.size()) + " start=" + std::to_string(e.start));
  }
  void ProxyWasLost(const StepContext&, const ProxyLost& e) override {
    Add("lost calls=" + std::to_string(e.calls) + (e.replaced ? " replaced" : ""));
  }
  void IsolationKnown(const StepContext&, const IsolationReport& e) override {
    Add("isolation " + std::string(ToString(e.level)) + " " + e.reason);
  }
  void CallStarted(const StepContext&, const CallRecord& e) override { Add("call " + e.tool); }
  void CallFinished(const StepContext&, const CallRecord& c, const CallEnd& e) override {
    Add("end " + c.tool + " " + std::string(ToString(e.outcome)) + (e.error_type.empty() ? "" : " " + e.error_type));
  }
  void Bypassed(const StepContext&, const NativeUse& e) override { Add("bypass " + e.tool + " " + e.event); }
  void NativeCallRefused(const StepContext&, const NativeUse& e) override { Add("refused " + e.tool); }
  void AgentText(const StepContext&, std::string_view text) override { Add("text " + std::string(text)); }
  void TokensUsed(const StepContext&, const TokenUsage& e) override {
    const std::lock_guard lock(mutex_);
    usage_ = e;
  }
  void MessageSaid(const StepContext&, const AgentMessage& e) override {
    std::string text(ToString(e.role));
    for (const MessageBlock& block : e.blocks) {
      text += " [" + block.type + (block.name.empty() ? "" : " " + block.name) +
              (block.call_id.empty() ? "" : " " + block.call_id) + "] " + block.text;
    }
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(text));
  }
  void Logged(const StepContext*, LogLevel level, std::string_view message, const json::object& fields) override {
    Add("log " + std::string(ToString(level)) + " " + std::string(message) + " " + json::serialize(fields));
  }

  std::vector<std::string> Events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  // How many events begin with that text.
  int Count(std::string_view beginning) const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(
        std::ranges::count_if(events_, [&](const std::string& event) { return event.starts_with(beginning); }));
  }
  bool Has(std::string_view event) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(events_, event) != events_.end();
  }
  std::string All() const {
    std::string text;
    for (const std::string& event : Events()) text += event + "\n";
    return text;
  }
  // Of the conversation: role, and of each block type, name, call id and text. Not among the events.
  std::vector<std::string> Messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
  }
  TokenUsage usage() const {
    const std::lock_guard lock(mutex_);
    return usage_;
  }

 private:
  void Add(std::string event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }

  mutable std::mutex mutex_;
  std::vector<std::string> events_;
  std::vector<std::string> messages_;
  TokenUsage usage_;
};

}  // namespace awf::agents
