// Checks one value against its schema, and coerces it where a model's habit is clear: "2" for 2, "True" for true.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/fault_list.h"
#include "domain/json.h"

namespace awf::schema {

// True when an object schema requires the member.
bool Requires(const json::object& schema, std::string_view name);

// The value as the tool gets it, or nothing; then `faults` has gained at least one. `path` names the value in faults:
// limit, labels[2], filter.name.
std::optional<json::value> CheckValue(const json::value& value, const json::object& schema, const std::string& path,
                                      FaultList& faults);

}  // namespace awf::schema
