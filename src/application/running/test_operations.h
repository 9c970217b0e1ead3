// Test support: operations that are functions of the call, in place of plugins.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "domain/operation.h"

namespace awf {

// What a provider was asked, as it outlives the call.
struct AskedOperation {
  std::string operation, traceparent, tracestate;
  CallId id;
  json::object inputs;
  Deadline deadline;
};

class FakeOperations final : public OperationProvider {
 public:
  FakeOperations(std::string name, std::vector<Operation> operations)
      : name_(std::move(name)), operations_(std::move(operations)) {}

  std::string_view Name() const override { return name_; }
  const std::vector<Operation>& Operations() const override { return operations_; }
  OperationResult Execute(const OperationCall& call) override {
    {
      const std::lock_guard lock(mutex_);
      asked.push_back(
          {std::string(call.operation), call.traceparent, call.tracestate, call.id, call.inputs, call.deadline});
    }
    return execute(call);
  }

  std::function<OperationResult(const OperationCall&)> execute = [](const OperationCall&) {
    OperationResult result;
    result.success = true;
    return result;
  };
  std::vector<AskedOperation> asked;

 private:
  const std::string name_;
  const std::vector<Operation> operations_;
  std::mutex mutex_;
};

class FakeProviders final : public OperationProviders {
 public:
  std::expected<std::vector<std::shared_ptr<OperationProvider>>, Error> Start(
      std::span<const std::string> plugins, const StepContext& step, Deadline deadline,
      const std::stop_token& cancelled) override {
    if (on_start) on_start(deadline, cancelled);
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<OperationProvider>> started;
    for (const std::string& plugin : plugins) {
      starts.push_back(step.path + " " + plugin);
      if (const auto fault = faults.find(plugin); fault != faults.end()) return std::unexpected(fault->second);
      started.push_back(providers.at(plugin));
    }
    return started;
  }

  std::function<void(const Deadline&, const std::stop_token&)> on_start;
  std::map<std::string, std::shared_ptr<FakeOperations>> providers;
  std::map<std::string, Error> faults;
  std::vector<std::string> starts;

 private:
  std::mutex mutex_;
};

}  // namespace awf
