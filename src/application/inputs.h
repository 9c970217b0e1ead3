// Inputs of a workflow: their names and types, and the values that a run gets.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf {

using GivenInputs = std::vector<std::pair<std::string, std::string>>;  // name, text; later ones win

// [A-Za-z_][A-Za-z0-9_]*
bool IsIdentifier(std::string_view name);

// The environment variable by which commands see the input: AWF_INPUT_NAME.
std::string InputVariable(std::string_view name);

// The text as a value of the input's type: integers from decimal strings, booleans from true/yes/1 and false/no/0 in
// any case. The error is a phrase for a message.
std::expected<json::value, std::string> CoerceInput(const WorkflowInput& input, std::string_view text);

// Defaults overlaid with what was given; a value @PATH is the text of that file (at most 1 MiB of UTF-8), @@x is the
// literal @x. Inputs that have neither value nor default are empty: "" for strings, null for others. All problems come
// in one USER.INPUT.VALIDATION_FAILED, a line each, with an example command line as its hint.
std::expected<json::object, Error> ResolveInputs(const Workflow& workflow, const GivenInputs& given);

}  // namespace awf
