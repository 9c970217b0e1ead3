// What all operations of `notify` answer with: backend, status, response. Pure, thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "domain/operation.h"

namespace awf::operations {

// A call gives up after this, whatever time its step still has.
inline constexpr std::chrono::seconds kNotifyPatience{10};
inline constexpr std::string_view kNotifyPatienceText = "10 s";

std::vector<OperationOutput> NotifyOutputs();

// `response` is valid UTF-8.
OperationResult Sent(std::string_view backend, std::string_view response);
OperationResult NotSent(OperationResult failure, std::string_view backend, std::string_view response = {});

}  // namespace awf::operations
