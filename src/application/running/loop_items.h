// What a loop goes over, as its state says when it begins.
#pragma once

#include <expected>

#include "application/language/scope.h"
#include "domain/error.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf {

inline constexpr int kMaxPasses = 10'000;

// The items, their templates rendered. EXECUTION.LOOP.LIMIT when there are more than `max_iterations`;
// EXECUTION.EXPRESSION.FAILED when `items` is no list, or `max_iterations` is not 1 … 10 000.
std::expected<json::array, Error> LoopItems(const State& state, const ForEachState& loop, const Scope& scope);

}  // namespace awf
