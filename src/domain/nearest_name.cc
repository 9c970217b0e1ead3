#include "domain/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace awf {
namespace {

std::string Folded(std::string_view word) {
  std::string folded;
  for (const char c : word) {
    if (c != '_' && c != '-') folded.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return folded;
}

// Optimal string alignment distance: insert, delete, replace, swap of neighbours.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string NearestName(std::string_view wanted, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 256;  // longer words are no typing errors, and the distance is quadratic
  if (wanted.empty() || wanted.size() > kLongest) return {};
  const std::string folded = Folded(wanted);
  std::string best;
  // Exclusive. Of one letter nothing would be left.
  std::size_t best_distance = wanted.size() == 1 ? 1 : wanted.size() <= 4 ? 2 : 3;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    if (Folded(candidate) == folded) return candidate;
    const std::size_t distance = Distance(wanted, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view wanted, std::span<const std::string> candidates) {
  const std::string nearest = NearestName(wanted, candidates);
  return nearest.empty() ? "" : "did you mean '" + nearest + "'?";
}

}  // namespace awf
