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

std::optional<WallClock::time_point> ParseUtcMilliseconds(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd.dddZ";
  if (text.size() != kShape.size()) return std::nullopt;
  std::array<int, 7> parts{};
  std::size_t part = 0;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == 'd') {
      if (text[i] < '0' || text[i] > '9') return std::nullopt;
      parts[part] = parts[part] * 10 + (text[i] - '0');
    } else {
      if (text[i] != kShape[i]) return std::nullopt;
      ++part;
    }
  }
  const auto [year, month, day, hour, minute, second, ms] = parts;
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  // Whole years that a clock of nanoseconds can tell.
  if (year < 1678 || year > 2261) return std::nullopt;
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return WallClock::time_point(sys_days(date).time_since_epoch() + hours(hour) + minutes(minute) + seconds(second) +
                               milliseconds(ms));
}

}  // namespace awf
