#include "application/language/conversations.h"

#include <algorithm>
#include <set>
#include <vector>

namespace awf {
namespace {

const StateTarget* SourceOf(const State& state) {
  const auto* agent = std::get_if<AgentState>(&state.body);
  return agent != nullptr && agent->continue_from ? &*agent->continue_from : nullptr;
}

}  // namespace

std::string ConversationOf(const Workflow& workflow, const State& state) {
  std::vector<const State*> way{&state};
  std::set<const State*> seen{&state};
  for (const StateTarget* source = SourceOf(state); source != nullptr; source = SourceOf(*way.back())) {
    const State* before = workflow.Find(source->state);
    if (before == nullptr) break;
    if (!seen.insert(before).second) {
      // Everything from there on is the circle. States lie in one vector, in file order.
      return (*std::min_element(std::ranges::find(way, before), way.end()))->name;
    }
    way.push_back(before);
  }
  if (way.size() > 1) return way.back()->name;
  const bool continued = std::ranges::any_of(workflow.states, [&](const State& other) {
    const StateTarget* source = SourceOf(other);
    return source != nullptr && source->state == state.name;
  });
  return continued ? state.name : std::string();
}

bool LeavesSessionsAsTheyAre(std::string_view provider) {
  // claude goes on with a copy; the others have no sessions of their own: awf gives them the messages.
  return provider == "claude" || provider == "openai_compatible" || provider == "mistral_vibe";
}

}  // namespace awf
