#include "application/language/duration.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "application/language/characters.h"

namespace awf {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kNanosecond = 1, kMicrosecond = 1'000, kMillisecond = 1'000'000, kSecond = 1'000'000'000;
constexpr std::uint64_t kMaxNanoseconds = static_cast<std::uint64_t>(kMaxDuration.count()) * kMillisecond;
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> kUnits = {{{"ns", kNanosecond},
                                                                               {"us", kMicrosecond},
                                                                               {"\xC2\xB5s", kMicrosecond},
                                                                               {"\xCE\xBCs", kMicrosecond},
                                                                               {"ms", kMillisecond},
                                                                               {"s", kSecond},
                                                                               {"m", 60 * kSecond},
                                                                               {"h", 3600 * kSecond}}};

// digits [. digits]
struct Number {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0, scale = 1;  // fraction / scale
  bool overflow = false, nonzero = false;
};

std::optional<Number> TakeNumber(std::string_view& text) {
  Number number;
  bool digits = false;
  while (!text.empty() && IsDigit(text.front())) {
    digits = true;
    number.nonzero = number.nonzero || text.front() != '0';
    number.whole = number.whole * 10 + static_cast<std::uint64_t>(text.front() - '0');
    number.overflow = number.overflow || number.whole > kMaxNanoseconds;
    if (number.overflow) number.whole = kMaxNanoseconds + 1;
    text.remove_prefix(1);
  }
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    while (!text.empty() && IsDigit(text.front())) {
      digits = true;
      number.nonzero = number.nonzero || text.front() != '0';
      if (number.scale < 1'000'000) {  // enough for milliseconds of every unit; the product below stays in 64 bits
        number.fraction = number.fraction * 10 + static_cast<std::uint64_t>(text.front() - '0');
        number.scale *= 10;
      }
      text.remove_prefix(1);
    }
  }
  if (!digits) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> TakeUnit(std::string_view& text) {
  // "ms" before "m": the longest unit that fits.
  const std::pair<std::string_view, std::uint64_t>* best = nullptr;
  for (const auto& unit : kUnits) {
    if (text.starts_with(unit.first) && (best == nullptr || unit.first.size() > best->first.size())) best = &unit;
  }
  if (best == nullptr) return std::nullopt;
  text.remove_prefix(best->first.size());
  return best->second;
}

// Nanoseconds, or nothing when they are too many.
std::optional<std::uint64_t> Times(const Number& number, std::uint64_t unit) {
  if (number.overflow || number.whole > kMaxNanoseconds / unit) return std::nullopt;
  const std::uint64_t fraction = number.fraction * unit / number.scale;
  return number.whole * unit + fraction;
}

}  // namespace

std::expected<milliseconds, std::string> ParseDuration(std::string_view text) {
  static constexpr std::string_view kForm = "is not a duration: write seconds, or as 1h2m3.5s, 500ms";
  if (text.starts_with('-')) return std::unexpected("must not be negative");
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::unexpected(std::string(kForm));
  std::uint64_t total = 0;
  bool first = true, positive = false;
  while (!text.empty()) {
    const std::optional<Number> number = TakeNumber(text);
    if (!number) return std::unexpected(std::string(kForm));
    std::optional<std::uint64_t> unit = TakeUnit(text);
    if (!unit && first && text.empty()) unit = kSecond;
    if (!unit) return std::unexpected(std::string(kForm));
    const std::optional<std::uint64_t> part = Times(*number, *unit);
    if (!part || *part > kMaxNanoseconds - total) return std::unexpected("is longer than 31 years");
    total += *part;
    positive = positive || number->nonzero;
    first = false;
  }
  const auto rounded = static_cast<std::int64_t>(total / kMillisecond);
  if (rounded == 0 && positive) return milliseconds(1);
  return milliseconds(rounded);
}

std::string FormatDuration(milliseconds duration) {
  const auto total = duration.count();
  if (total <= 0) return "0s";
  if (total < 1000) return std::to_string(total) + "ms";
  const auto hours = total / 3'600'000, minutes = total / 60'000 % 60, seconds = total / 1000 % 60, ms = total % 1000;
  std::string text;
  if (hours > 0) text += std::to_string(hours) + "h";
  if (hours > 0 || minutes > 0) text += std::to_string(minutes) + "m";
  text += std::to_string(seconds);
  if (ms > 0) {
    std::string fraction = std::to_string(1000 + ms).substr(1);
    while (fraction.back() == '0') fraction.pop_back();
    text += "." + fraction;
  }
  return text + "s";
}

}  // namespace awf
