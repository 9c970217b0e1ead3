// UseMatcher: which of the tool uses that an agent tells in its stream are calls that our router has run.
//
// The two accounts of one step come in any order: the channel of mcp-serve and the CLI's stream are read in turns. A
// use of one of our tools is therefore held until the router's call comes; a call whose use comes later is remembered.
// They belong together when the ids are the same; a call without an id belongs to the first use of that tool. Where the
// CLI's ids are not those that it hands to the server, tool name and order decide, once the use has its result. A use
// that is still alone when the agent has its result, or when the attempt is over, never reached the router (refused,
// or its server was gone): it stands as what the agent claims. By then the router's call is known, since it was told
// before the agent was answered (StreamMonitor reads the channel before it passes a result on).
//
// At most kMostUses uses and kMostCalls calls of a step wait; beyond that the oldest use is let go as a claim, the
// oldest call is forgotten. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time.h"

namespace awf {

// A tool use by the agent's account.
struct AgentUse {
  std::string id, tool;
  bool native = false;
  std::string input;  // as captured; may be empty
  std::uint64_t bytes = 0;
  WallClock::time_point time;
  bool told = false;  // as a claim
};

class UseMatcher {
 public:
  static constexpr std::size_t kMostUses = 256, kMostCalls = 256;

  // Returns what is to be told as a claim now: a native use always.
  std::vector<AgentUse> Used(AgentUse use);
  // A call of the router. Returns the id of the use that it belongs to, "" when that is not known.
  std::string Called(const std::string& client_call_id, const std::string& tool);
  // The agent has the result. Returns the use when it is a claim; when it was not `told` before, it is to be told now.
  std::optional<AgentUse> Ended(std::string_view id);
  // The use of a native tool that has no result yet; null when there is none.
  const AgentUse* OpenNative(std::string_view id) const;
  // The attempt is over. Returns what is to be told as claims.
  std::vector<AgentUse> Finish();

 private:
  struct Call {
    std::string client_call_id, tool;
  };

  bool TakeCallFor(const AgentUse& use, bool any_id);

  std::deque<AgentUse> uses_;  // without a call and a result
  std::deque<Call> calls_;     // without a use
  bool ids_agree_ = false;     // a call and a use were seen to have the same id
};

}  // namespace awf
