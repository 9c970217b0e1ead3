#include "application/records/use_matcher.h"

#include <algorithm>
#include <utility>

namespace awf {

std::vector<AgentUse> UseMatcher::Used(AgentUse use) {
  if (!use.native && TakeCallFor(use, false)) return {};
  std::vector<AgentUse> claims;
  use.told = use.native;
  if (use.told) claims.push_back(use);
  uses_.push_back(std::move(use));
  if (uses_.size() > kMostUses) {
    if (!uses_.front().told) claims.push_back(std::move(uses_.front()));
    uses_.pop_front();
  }
  return claims;
}

// `any_id`: also one that bears another id.
bool UseMatcher::TakeCallFor(const AgentUse& use, bool any_id) {
  auto call = std::ranges::find_if(
      calls_, [&](const Call& c) { return !c.client_call_id.empty() && c.client_call_id == use.id; });
  if (call != calls_.end()) {
    ids_agree_ = true;
  } else {
    call = std::ranges::find_if(
        calls_, [&](const Call& c) { return c.tool == use.tool && (c.client_call_id.empty() || any_id); });
  }
  if (call == calls_.end()) return false;
  calls_.erase(call);
  return true;
}

std::string UseMatcher::Called(const std::string& client_call_id, const std::string& tool) {
  const auto belongs = [&](const AgentUse& use) {
    if (use.native) return false;
    return client_call_id.empty() ? use.tool == tool : use.id == client_call_id;
  };
  const auto use = std::ranges::find_if(uses_, belongs);
  if (use == uses_.end()) {
    calls_.push_back({client_call_id, tool});
    if (calls_.size() > kMostCalls) calls_.pop_front();
    return client_call_id;
  }
  ids_agree_ = ids_agree_ || !client_call_id.empty();
  std::string id = std::move(use->id);
  uses_.erase(use);
  return id;
}

std::optional<AgentUse> UseMatcher::Ended(std::string_view id) {
  const auto found = std::ranges::find_if(uses_, [&](const AgentUse& use) { return !id.empty() && use.id == id; });
  if (found == uses_.end()) return std::nullopt;
  AgentUse use = std::move(*found);
  uses_.erase(found);
  if (!use.told && TakeCallFor(use, !ids_agree_)) return std::nullopt;
  return use;
}

const AgentUse* UseMatcher::OpenNative(std::string_view id) const {
  const auto found = std::ranges::find_if(uses_, [&](const AgentUse& use) { return use.native && use.id == id; });
  return found == uses_.end() ? nullptr : &*found;
}

std::vector<AgentUse> UseMatcher::Finish() {
  std::vector<AgentUse> claims;
  for (AgentUse& use : std::exchange(uses_, {})) {
    if (!use.told && !TakeCallFor(use, !ids_agree_)) claims.push_back(std::move(use));
  }
  calls_.clear();
  ids_agree_ = false;
  return claims;
}

}  // namespace awf
