// The keys of states: which type has which, what is planned and not built yet, and what to say of keys that stand in
// the wrong place. One table for all loaders of states.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace awf {

// Types that are built, `command` being another spelling of `step`.
std::span<const std::string_view> StateTypes();
// Planned, not built yet: types of plugins (`forge.issue`) too.
bool IsPlannedType(std::string_view type);

// The keys by which a state says where the run goes on.
bool IsFlowKey(std::string_view key);

struct StateKeys {
  std::vector<std::string_view> known, planned;
  std::vector<std::pair<std::string_view, std::string_view>> hints;  // key → hint
};

// Of a built type; for any other, all keys of all types are known.
StateKeys KeysOfType(std::string_view type);

}  // namespace awf
