#include "application/validation/state_index.h"

namespace awf {
StateIndex::StateIndex(const Workflow& workflow) {
  for (std::size_t i = 0; i < workflow.states.size(); ++i) index_.emplace(workflow.states[i].name, i);
  for (const State& state : workflow.states) names_.push_back(state.name);
}

std::optional<std::size_t> StateIndex::Find(std::string_view state) const {
  const auto found = index_.find(state);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::string StateIndex::HintFor(std::string_view state) const { return hints_.For(state, names_); }

}  // namespace awf
