// The names of a workflow's states: which state a name means, and which one it may have been meant to.
//
// Views into the workflow, which outlives it. Used by one thread: the hints keep count of what they cost.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "application/validation/name_hints.h"
#include "domain/workflow.h"

namespace awf {

class StateIndex {
 public:
  explicit StateIndex(const Workflow& workflow);

  // Into Workflow::states.
  std::optional<std::size_t> Find(std::string_view state) const;
  // "did you mean 'x'?", or "" when no state comes near.
  std::string HintFor(std::string_view state) const;

 private:
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<std::string> names_;
  mutable NameHints hints_;
};

}  // namespace awf
