// --mock states.S.Field=V: results that stand for states that have not run, for `awf run --step`.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "application/language/scope.h"
#include "domain/error.h"
#include "domain/workflow.h"

namespace awf::cli {

// Values of Output, Stderr, Status, Error and ErrorCode are text; others are JSON where they are valid JSON, else text.
// A state with a mock has succeeded unless told otherwise. Unknown states and fields are USER.INPUT.INVALID_FORMAT.
std::expected<StateResults, Error> ParseMocks(const Workflow& workflow,
                                              const std::vector<std::pair<std::string, std::string>>& mocks);

// The state that --step names, or what was meant.
std::expected<const State*, Error> StateNamed(const Workflow& workflow, const std::string& name,
                                              const std::string& option);

}  // namespace awf::cli
