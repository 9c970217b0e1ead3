// InputHelp: the inputs of a workflow as text, for `awf run WF --help`. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "domain/workflow.h"

namespace awf::cli {

// An entry per input, in order: name, type, whether it is required or its default (that of a secret masked),
// description and rules; in a column beside the names, wrapped at `width` columns of a terminal (0: not wrapped). Safe
// for a terminal. Without inputs one line says so. Ends with a line feed.
std::string InputHelp(const Workflow& workflow, std::size_t width);

}  // namespace awf::cli
