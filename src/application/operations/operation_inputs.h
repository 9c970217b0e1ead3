// Checks the inputs of a call against what the operation declares, before anything is sent.
#pragma once

#include <expected>
#include <string>

#include "domain/json.h"
#include "domain/operation.h"

namespace awf {

// Types (int for integer, any array, any object), required, `url` and `email`, numbers that the plugin's double cannot
// hold, inputs that are not declared (passed on when none is). Every fault in one sentence: "invalid arguments: …" with
// the path of each. Values are not changed.
std::expected<void, std::string> CheckOperationInputs(const Operation& operation, const json::object& inputs);

}  // namespace awf
