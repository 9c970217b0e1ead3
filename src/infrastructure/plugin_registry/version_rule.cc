#include "infrastructure/plugin_registry/version_rule.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace awf::plugin_registry {
namespace {

constexpr std::string_view kSeparators = " \t\r\n,";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::optional<std::uint32_t> ParseNumber(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::uint32_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Takes what stands before the separator away from `text`, the separator too.
std::string_view TakePart(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

bool IsPre(std::string_view text) {
  if (text.empty() || text.back() == '.') return false;
  while (!text.empty()) {
    const std::string_view part = TakePart(text, '.');
    const bool fits =
        !part.empty() && std::ranges::all_of(part, [](char c) { return IsDigit(c) || IsLetter(c) || c == '-'; });
    if (!fits) return false;
  }
  return true;
}

std::strong_ordering ComparePart(std::string_view a, std::string_view b) {
  const bool a_number = std::ranges::all_of(a, IsDigit), b_number = std::ranges::all_of(b, IsDigit);
  if (a_number != b_number) return a_number ? std::strong_ordering::less : std::strong_ordering::greater;
  if (!a_number) return a <=> b;
  const auto digits = [](std::string_view text) {
    return text.substr(std::min(text.find_first_not_of('0'), text.size()));  // of any length
  };
  const std::string_view x = digits(a), y = digits(b);
  return x.size() != y.size() ? x.size() <=> y.size() : x <=> y;
}

std::strong_ordering ComparePre(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return b.size() <=> a.size();  // the one without is the later one
  while (!a.empty() && !b.empty()) {
    if (const auto order = ComparePart(TakePart(a, '.'), TakePart(b, '.')); order != 0) return order;
  }
  return a.size() <=> b.size();
}

}  // namespace

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  if (const auto order = a.numbers <=> b.numbers; order != 0) return order;
  return ComparePre(a.pre, b.pre);
}

std::optional<Version> ParseVersion(std::string_view text) {
  Version version;
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    version.pre = text.substr(dash + 1);
    if (!IsPre(version.pre)) return std::nullopt;
  }
  text = text.substr(0, dash);
  if (std::ranges::count(text, '.') != 2) return std::nullopt;
  for (std::uint32_t& number : version.numbers) {
    const auto parsed = ParseNumber(TakePart(text, '.'));
    if (!parsed) return std::nullopt;
    number = *parsed;
  }
  return version;
}

std::expected<VersionRule, std::string> VersionRule::Parse(std::string_view text) {
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {">=", Op::kGreaterOrEqual}, {"<=", Op::kLessOrEqual}, {"==", Op::kEqual}, {"!=", Op::kNotEqual},
      {">", Op::kGreater},         {"<", Op::kLess},         {"=", Op::kEqual},  {"~", Op::kTilde},
      {"^", Op::kCaret},           {"", Op::kEqual}};
  VersionRule rule;
  const auto skip = [&] { text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size())); };
  for (skip(); !text.empty(); skip()) {
    const auto* op = std::ranges::find_if(kOps, [&](const auto& known) { return text.starts_with(known.first); });
    std::string_view rest = text.substr(op->first.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(kSeparators));
    const auto version = ParseVersion(word);
    if (!version) {
      const auto length = static_cast<std::size_t>(word.data() + word.size() - text.data());
      return std::unexpected("'" + std::string(text.substr(0, length)) + "' is no rule for a version");
    }
    rule.parts_.push_back({op->second, *version});
    text = rest.substr(word.size());
  }
  if (rule.parts_.empty()) return std::unexpected("no rule for a version");
  return rule;
}

bool VersionRule::Holds(const Part& part, const Version& version) {
  const auto order = version <=> part.version;
  const auto& [major, minor, patch] = part.version.numbers;
  const bool same_minor = version.numbers[0] == major && version.numbers[1] == minor;
  switch (part.op) {
    case Op::kEqual:
      return order == 0;
    case Op::kNotEqual:
      return order != 0;
    case Op::kLess:
      return order < 0;
    case Op::kLessOrEqual:
      return order <= 0;
    case Op::kGreater:
      return order > 0;
    case Op::kGreaterOrEqual:
      return order >= 0;
    case Op::kTilde:
      return order >= 0 && same_minor;
    case Op::kCaret:
      return order >= 0 && (major == 0 ? same_minor : version.numbers[0] == major);
  }
  return false;
}

bool VersionRule::Allows(const Version& version) const {
  return std::ranges::all_of(parts_, [&](const Part& part) { return Holds(part, version); });
}

}  // namespace awf::plugin_registry
