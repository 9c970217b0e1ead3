// ProxyMonitor: what the step channel proves about the MCP servers of one attempt.
//
// Fed with the channel's events, it tells the observer of servers and calls, knows whether the agent is connected
// (handshake and tool list seen), and which servers died. A server that ends without `bye` after its handshake and
// before the CLI's final event has died; its calls in flight end as lost, or when it was awf that stopped the step, as
// cancelled or timed out. Several servers per attempt are normal. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/error.h"
#include "domain/run_observer.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf::agents {

class ProxyMonitor {
 public:
  ProxyMonitor(StepContext step, RunObserver& observer) : step_(std::move(step)), observer_(observer) {}

  void Handle(const channel::ServerEvent& event);

  // Ends since the last call are judged: dead, unless the CLI has told its result by now. Call it when everything that
  // the CLI wrote before was read, so that an end that follows the final event is never taken for a death.
  // Returns true when a server died.
  bool JudgeEnds();
  // From now on servers end because the step ends.
  void StepEnds() { ending_ = true; }
  // The same, since awf stops it: `how` (cancelled or timeout) is what becomes of calls that a server cannot answer any
  // more, and nothing is lost by that.
  void StepIsStopped(CallOutcome how) {
    ending_ = true;
    stopped_ = how;
  }
  // No more events will come: what is open is lost.
  void Finish();

  // A call that a server told as started and not as finished, or null.
  const CallRecord* InFlight(std::uint64_t connection, const CallId& call) const;

  bool Connected() const { return connected_; }
  // LOST, when a server died and none took its place, or calls were lost. Complete after Finish.
  std::optional<Error> Failure() const;

  int starts() const { return starts_; }
  int calls() const { return calls_; }
  int tools() const { return static_cast<int>(tools_.size()); }
  // Of the handshake seen last; empty before.
  const std::string& client() const { return client_; }
  const std::string& client_version() const { return client_version_; }

 private:
  struct Server {
    pid_t pid = 0;
    int start = 0;
    std::optional<channel::Ready> ready;
    bool told = false;  // ProxyIsReady
    std::map<CallId, CallRecord> in_flight;
  };

  void HandleMessage(Server& server, const channel::Message& message);
  void TellReady(Server& server);
  void Close(std::uint64_t connection, bool said_bye);
  void LoseCalls(Server& server, ProxyLost& lost);
  bool HasLiveServer() const;

  StepContext step_;
  RunObserver& observer_;
  std::map<std::uint64_t, Server> servers_;
  std::vector<ProxyLost> ended_;    // without bye, not judged yet
  std::vector<ProxyLost> waiting_;  // died, and none took the place yet
  std::vector<std::string> tools_;
  std::string tools_digest_input_;
  std::string client_, client_version_;
  bool connected_ = false, listed_ = false, handshaken_ = false, ending_ = false;
  bool unreplaced_ = false;
  std::optional<CallOutcome> stopped_;
  int starts_ = 0, calls_ = 0, lost_calls_ = 0;
};

}  // namespace awf::agents
