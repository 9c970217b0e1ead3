// For tests: a plugin whose operations are given, and that answers as it is told.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "domain/operation.h"

namespace awf {

class FakeOperations : public OperationProvider {
 public:
  FakeOperations(std::string name, std::vector<Operation> operations)
      : name_(std::move(name)), operations_(std::move(operations)) {}

  std::string_view Name() const override { return name_; }
  const std::vector<Operation>& Operations() const override { return operations_; }
  OperationResult Execute(const OperationCall& call) override { return on_call(call); }

  std::function<OperationResult(const OperationCall&)> on_call = [](const OperationCall&) {
    OperationResult result;
    result.success = true;
    result.output = "fine";
    return result;
  };

 private:
  std::string name_;
  std::vector<Operation> operations_;
};

}  // namespace awf
