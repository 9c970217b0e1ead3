#include "infrastructure/agents/isolation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace awf::agents {
namespace {

std::optional<std::array<int, 3>> ParseVersion(std::string_view text) {
  std::array<int, 3> parts{};
  const char* at = text.data();
  const char* end = text.data() + text.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [stop, error] = std::from_chars(at, end, parts[i]);
    if (error != std::errc()) return std::nullopt;
    at = stop;
    if (i + 1 == parts.size()) break;
    if (at == end || *at != '.') return std::nullopt;
    ++at;
  }
  return parts;
}

std::string List(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

}  // namespace

bool VersionAtLeast(std::string_view version, std::string_view least) {
  const auto have = ParseVersion(version);
  const auto want = ParseVersion(least);
  return have && want && *have >= *want;
}

IsolationReport JudgeAnnouncement(const std::vector<std::string>& announced, const std::set<std::string>& ours) {
  IsolationReport report;
  report.announced = announced;
  const std::set<std::string> names(announced.begin(), announced.end());
  std::ranges::set_difference(names, ours, std::back_inserter(report.foreign));
  std::vector<std::string> missing;
  std::ranges::set_difference(ours, names, std::back_inserter(missing));
  if (report.foreign.empty() && missing.empty()) {
    report.level = IsolationLevel::kProven;
    report.reason = "announced";
  } else {
    report.level = IsolationLevel::kCoexisting;
    report.reason =
        report.foreign.empty() ? "tools missing: " + List(missing) : "native tools: " + List(report.foreign);
  }
  return report;
}

IsolationClaim ClaimOfVersion(std::string_view version, const RecipePromise& promise) {
  const auto& verified = promise.verified;
  if (!ParseVersion(version)) return {IsolationLevel::kCoexisting, "version unknown"};
  if (std::ranges::find(verified, version) != verified.end()) return {promise.known, "not proven"};
  if (!verified.empty() && VersionAtLeast(version, verified.back())) return {promise.newer, "not proven"};
  return {IsolationLevel::kCoexisting, "older than verified"};
}

}  // namespace awf::agents
