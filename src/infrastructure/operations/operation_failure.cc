#include "infrastructure/operations/operation_failure.h"

#include "domain/utf8.h"

namespace awf::operations {

OperationResult Refused(std::string_view type, const std::string& text) {
  OperationResult result;
  result.data["error_type"] = type;
  result.error = std::string(type) + ": " + RepairUtf8(text);
  return result;
}

OperationResult UnknownOperation(std::string_view provider, std::string_view operation) {
  return Refused(kInvalidField, std::string(provider) + " has no operation '" + std::string(operation) + "'");
}

OperationResult Cancelled() {
  OperationResult result;
  result.ending = OperationResult::Ending::kCancelled;
  result.error = "cancelled";
  return result;
}

OperationResult OutOfTime() {
  OperationResult result;
  result.ending = OperationResult::Ending::kTimeout;
  result.error = "no answer before the time was up";
  return result;
}

OperationResult FailureOf(const http::HttpFailure& failure, const OperationCall& call, const std::string& patience) {
  using Kind = http::HttpFailure::Kind;
  switch (failure.kind) {
    case Kind::kCancelled:
      return Cancelled();
    case Kind::kDeadline:
      return Passed(call.deadline) ? OutOfTime() : Refused(kNetwork, "no answer within " + patience);
    case Kind::kBadUrl:
    case Kind::kBadHeader:
      return Refused(kInvalidField, failure.message);
    default:
      return Refused(kNetwork, failure.message);
  }
}

}  // namespace awf::operations
