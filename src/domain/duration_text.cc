#include "domain/duration_text.h"

#include <array>
#include <cstdio>

namespace awf {
namespace {

std::string Decimal(double value, const char* unit) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f%s", value, unit);
  return text.data();
}

std::string TwoParts(long long big, const char* big_unit, long long small, const char* small_unit) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%lld%s%02lld%s", big, big_unit, small, small_unit);
  return text.data();
}

}  // namespace

std::string DurationText(std::chrono::microseconds duration) {
  if (duration.count() > 0 && duration.count() < 950)
    return Decimal(static_cast<double>(duration.count()) / 1000, " ms");
  const auto ms = std::chrono::round<std::chrono::milliseconds>(duration).count();
  if (ms < 1000) return std::to_string(ms) + " ms";
  if (ms < 59'950) return Decimal(static_cast<double>(ms) / 1000, " s");
  const long long seconds = (ms + 500) / 1000;
  if (seconds < 3600) return TwoParts(seconds / 60, "m", seconds % 60, "s");
  return TwoParts(seconds / 3600, "h", seconds / 60 % 60, "m");
}

}  // namespace awf
