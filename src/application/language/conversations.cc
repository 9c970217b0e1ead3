#include "application/language/conversations.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace awf {
namespace {

using Index = std::optional<std::size_t>;

// By state: the one that it goes on from, where there is one.
std::vector<Index> SourcesOf(const Workflow& workflow) {
  std::unordered_map<std::string_view, std::size_t> states;
  for (std::size_t i = 0; i < workflow.states.size(); ++i) states.try_emplace(workflow.states[i].name, i);
  std::vector<Index> sources(workflow.states.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto* agent = std::get_if<AgentState>(&workflow.states[i].body);
    if (agent == nullptr || !agent->continue_from) continue;
    if (const auto found = states.find(agent->continue_from->state); found != states.end()) sources[i] = found->second;
  }
  return sources;
}

}  // namespace

std::vector<std::string> ConversationsOf(const Workflow& workflow) {
  const std::vector<Index> sources = SourcesOf(workflow);
  std::vector<Index> firsts(sources.size());  // by state: the one whose name the conversation has
  std::vector<bool> on_way(sources.size()), continued(sources.size());
  for (std::size_t begin = 0; begin < sources.size(); ++begin) {
    std::vector<std::size_t> way;
    Index at = begin;
    for (; at && !firsts[*at] && !on_way[*at]; at = sources[*at]) {
      way.push_back(*at);
      on_way[*at] = true;
    }
    if (way.empty()) continue;
    std::size_t first = way.back();
    if (at && firsts[*at]) {
      first = *firsts[*at];
    } else if (at) {
      // Everything from there on is a circle.
      first = *std::min_element(std::ranges::find(way, *at), way.end());
    }
    for (const std::size_t state : way) firsts[state] = first;
  }
  for (const Index& source : sources) {
    if (source) continued[*source] = true;
  }
  std::vector<std::string> names(sources.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (sources[i] || continued[i]) names[i] = workflow.states[*firsts[i]].name;
  }
  return names;
}

std::string ConversationOf(const Workflow& workflow, const State& state) {
  const auto at = std::ranges::find(workflow.states, state.name, &State::name);
  if (at == workflow.states.end()) return {};
  return ConversationsOf(workflow)[static_cast<std::size_t>(at - workflow.states.begin())];
}

bool LeavesSessionsAsTheyAre(std::string_view provider) {
  // claude goes on with a copy, openai_compatible is given the messages.
  return provider == "claude" || provider == "openai_compatible";
}

}  // namespace awf
