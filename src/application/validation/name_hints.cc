#include "application/validation/name_hints.h"

#include <vector>

#include "domain/nearest_name.h"

namespace awf {

std::string NameHints::For(std::string_view wanted, std::span<const std::string> candidates) {
  if (candidates.size() > comparisons_left_) return {};
  comparisons_left_ -= candidates.size();
  return DidYouMean(wanted, candidates);
}

std::string NameHints::For(std::string_view wanted, std::span<const std::string_view> candidates) {
  const std::vector<std::string> names(candidates.begin(), candidates.end());
  return For(wanted, std::span<const std::string>(names));
}

}  // namespace awf
