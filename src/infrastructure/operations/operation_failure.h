// Failures of the operations that awf brings: "TYPE: text", the type also as the output `error_type`, so that a model
// and a workflow can tell them apart. Pure, thread-safe.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "domain/operation.h"
#include "infrastructure/http/http_client.h"

namespace awf::operations {

inline constexpr std::string_view kAuth = "auth";
inline constexpr std::string_view kNotFound = "not_found";
inline constexpr std::string_view kBranchNotFound = "branch_not_found";
inline constexpr std::string_view kInvalidField = "invalid_field";
inline constexpr std::string_view kRateLimit = "rate_limit";
inline constexpr std::string_view kNetwork = "network";

OperationResult Refused(std::string_view type, const std::string& text);
OperationResult UnknownOperation(std::string_view provider, std::string_view operation);
OperationResult Cancelled();
OperationResult OutOfTime();  // the deadline of the call has passed

// `patience` is what the operation gave the request by itself, in words ("10 s").
OperationResult FailureOf(const http::HttpFailure& failure, const OperationCall& call, const std::string& patience);

}  // namespace awf::operations
