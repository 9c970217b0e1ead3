#include "infrastructure/operations/github_operations.h"

#include "infrastructure/operations/github_actions.h"
#include "infrastructure/operations/github_batch.h"
#include "infrastructure/operations/operation_failure.h"

namespace awf::operations {
namespace {

class GithubOperations final : public OperationProvider {
 public:
  explicit GithubOperations(const BuiltinOperationSettings& settings)
      : settings_(settings), client_(settings.environment) {}

  std::string_view Name() const override { return "github"; }
  const std::vector<Operation>& Operations() const override { return operations_; }

  OperationResult Execute(const OperationCall& call) override {
    OperationResult result = call.operation == "batch"
                                 ? RunBatch(
                                       call, [](std::string_view name) { return FindGithubAction(name) != nullptr; },
                                       [this](const OperationCall& part) { return One(part); })
                                 : One(call);
    client_.Hide(result);
    return result;
  }

 private:
  OperationResult One(const OperationCall& call) {
    const GithubAction action = FindGithubAction(call.operation);
    if (action == nullptr) return UnknownOperation(Name(), call.operation);
    return action(call, {client_, settings_.working_dir, settings_.environment});
  }

  const BuiltinOperationSettings settings_;
  GithubClient client_;
  const std::vector<Operation> operations_ = GithubDeclarations();
};

}  // namespace

std::shared_ptr<OperationProvider> MakeGithubOperations(const BuiltinOperationSettings& settings) {
  return std::make_shared<GithubOperations>(settings);
}

}  // namespace awf::operations
