// Durations as workflows write them: Go's form ("1h2m3.5s", "500ms") or a bare number of seconds.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

namespace awf {

// The longest accepted: some 31 years. Keeps all sums of clock and duration within 64 bits of nanoseconds.
inline constexpr std::chrono::milliseconds kMaxDuration{1'000'000'000'000};

// Millisecond resolution; what is greater than zero never becomes zero. The error is a phrase for a message.
std::expected<std::chrono::milliseconds, std::string> ParseDuration(std::string_view text);

// In Go's form: "0s", "250ms", "1.5s", "1h2m3s".
std::string FormatDuration(std::chrono::milliseconds duration);

}  // namespace awf
