#include "domain/timestamp.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace awf {
namespace {

struct Parts {
  std::tm calendar{};
  int milliseconds = 0;
};

Parts Split(WallClock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(whole);
  Parts parts;
  const auto clock = static_cast<std::time_t>(seconds.count());
  ::gmtime_r(&clock, &parts.calendar);
  parts.milliseconds = static_cast<int>((whole - seconds).count());
  return parts;
}

std::string Formatted(const std::tm& calendar, const char* format) {
  std::array<char, 64> buffer{};
  const std::size_t length = std::strftime(buffer.data(), buffer.size(), format, &calendar);
  return {buffer.data(), length};
}

}  // namespace

std::string UtcSeconds(WallClock::time_point time) { return Formatted(Split(time).calendar, "%Y-%m-%dT%H:%M:%SZ"); }

std::string UtcMilliseconds(WallClock::time_point time) {
  const Parts parts = Split(time);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ", parts.milliseconds % 1000);
  return Formatted(parts.calendar, "%Y-%m-%dT%H:%M:%S") + fraction.data();
}

std::string CompactUtc(WallClock::time_point time) { return Formatted(Split(time).calendar, "%Y%m%d-%H%M%S"); }

}  // namespace awf
