// Checks the inputs of a call against what the operation declares, before anything is sent. Pure functions.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "domain/json.h"
#include "domain/operation.h"

namespace awf {

struct InputFault {
  std::string path;     // "labels[0]"; of a missing input: its name
  std::string message;  // "'labels[0]' must be a number that a double holds"
  std::string hint;     // "did you mean 'labels'?", or empty
};

// Types (int for integer, any array, any object), required, `url` and `email`, numbers that the plugin's double cannot
// hold (integers of 64 bits count as held), inputs that are not declared (passed on when none is). null is as absent.
std::vector<InputFault> FaultsOfInputs(const Operation& operation, const json::object& inputs);

// The same as one sentence: "invalid arguments: …" with the path of each. Values are not changed.
std::expected<void, std::string> CheckOperationInputs(const Operation& operation, const json::object& inputs);

}  // namespace awf
