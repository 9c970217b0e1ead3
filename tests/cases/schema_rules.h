// Rules that every tool's input schema keeps, since some client or model refuses what breaks them.
#pragma once

#include <optional>
#include <string>

#include "case_file.h"

namespace awf::cases {

// What of `tool` (an entry of tools/list) breaks the rule, or nothing.
std::optional<std::string> BrokenRule(const std::string& rule, const json::object& tool);

}  // namespace awf::cases
