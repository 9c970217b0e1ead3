#include "infrastructure/operations/notify_result.h"

namespace awf::operations {

std::vector<OperationOutput> NotifyOutputs() {
  return {{"backend", "string", "desktop, webhook, slack or email"},
          {"status", "string", "sent or failed"},
          {"response", "string", "of the server or program, at most 64 KiB"}};
}

OperationResult Sent(std::string_view backend, std::string_view response) {
  OperationResult result;
  result.success = true;
  result.data = {{"backend", backend}, {"status", "sent"}, {"response", response}};
  return result;
}

OperationResult NotSent(OperationResult failure, std::string_view backend, std::string_view response) {
  failure.data["backend"] = backend;
  failure.data["status"] = "failed";
  failure.data["response"] = response;
  return failure;
}

}  // namespace awf::operations
