// Fits a record into a line: repairs its strings and cuts the longest ones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "domain/json.h"

namespace awf::telemetry {

inline constexpr std::size_t kLongestLine = 16 * 1024;  // line feed included

// Makes every string and key valid UTF-8.
json::value RepairStrings(json::value value);

// Shortens the longest strings, and where that is not enough lists and maps, until the record serializes to at most
// `limit` bytes. Returns the names of the top-level members that lost something, in their order.
std::vector<std::string> CutToFit(json::object& record, std::size_t limit);

}  // namespace awf::telemetry
