// Points in time as records show them: RFC 3339, UTC, with Z.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/time.h"

namespace awf {

std::string UtcSeconds(WallClock::time_point time);       // 2026-11-03T10:15:09Z
std::string UtcMilliseconds(WallClock::time_point time);  // 2026-11-03T10:15:09.125Z
std::string CompactUtc(WallClock::time_point time);       // 20261103-101509, sorts by time

// What UtcMilliseconds writes, and nothing else.
std::optional<WallClock::time_point> ParseUtcMilliseconds(std::string_view text);

}  // namespace awf
