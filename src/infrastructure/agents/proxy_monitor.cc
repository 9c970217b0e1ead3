#include "infrastructure/agents/proxy_monitor.h"

#include <algorithm>
#include <chrono>

namespace awf::agents {

using channel::ServerEvent;

namespace {

// How a call ends whose server ended before it had an answer.
CallEnd Unanswered(const CallRecord& call, std::optional<CallOutcome> stopped) {
  CallEnd end;
  end.outcome = stopped.value_or(CallOutcome::kLost);
  end.duration = std::max(std::chrono::duration_cast<std::chrono::microseconds>(WallClock::now() - call.time),
                          std::chrono::microseconds{0});
  if (!stopped) {
    end.error = "proxy lost: no result before the server ended";
    end.error_type = "proxy_lost";
  } else if (*stopped == CallOutcome::kTimeout) {
    end.error = "timeout: the step ran out of time";
    end.error_type = "timeout";
  } else {
    end.error = "cancelled: the step was stopped";
    end.error_type = "cancelled";
  }
  return end;
}

}  // namespace

void ProxyMonitor::Handle(const ServerEvent& event) {
  switch (event.kind) {
    case ServerEvent::Kind::kConnected:
      servers_[event.connection].pid = event.pid;
      servers_[event.connection].start = ++starts_;
      break;
    case ServerEvent::Kind::kMessage: {
      // Of one that was dropped there may be more.
      const auto server = servers_.find(event.connection);
      if (server != servers_.end() && event.message) HandleMessage(server->second, *event.message);
      break;
    }
    case ServerEvent::Kind::kClosed:
      if (!event.reason.empty()) {
        observer_.Logged(&step_, LogLevel::kWarn, "mcp proxy dropped a peer",
                         json::object{{"pid", event.pid}, {"reason", event.reason}});
      }
      Close(event.connection, event.said_bye);
      break;
    case ServerEvent::Kind::kRefused:
      observer_.Logged(&step_, LogLevel::kWarn, "mcp proxy refused a peer",
                       json::object{{"pid", event.pid}, {"reason", event.reason}});
      break;
  }
}

void ProxyMonitor::HandleMessage(Server& server, const channel::Message& message) {
  if (const auto* ready = std::get_if<channel::Ready>(&message)) {
    server.ready = *ready;
    handshaken_ = true;
    client_ = ready->client;
    client_version_ = ready->client_version;
    for (ProxyLost& lost : waiting_) {
      lost.replaced = true;
      observer_.ProxyWasLost(step_, lost);
    }
    waiting_.clear();
    // A server that takes another's place is used without listing again; it offers the same tools.
    if (listed_) TellReady(server);
  } else if (const auto* listed = std::get_if<channel::ToolsListed>(&message)) {
    tools_ = listed->names;
    std::ranges::sort(tools_);
    tools_digest_input_ = listed->digest_input;
    listed_ = true;
    if (server.ready) TellReady(server);
  } else if (const auto* started = std::get_if<channel::CallStarted>(&message)) {
    ++calls_;
    server.in_flight.emplace(started->call.call, started->call);
    observer_.CallStarted(step_, started->call);
  } else if (const auto* finished = std::get_if<channel::CallFinished>(&message)) {
    const auto call = server.in_flight.find(finished->call);
    if (call == server.in_flight.end()) return;  // exactly one end per start
    observer_.CallFinished(step_, call->second, finished->end);
    server.in_flight.erase(call);
  }
  connected_ = handshaken_ && listed_;
}

void ProxyMonitor::TellReady(Server& server) {
  if (server.told) return;
  server.told = true;
  observer_.ProxyIsReady(step_, {server.ready->client, server.ready->client_version, server.ready->protocol_version,
                                 tools_, tools_digest_input_, server.pid, server.start});
}

void ProxyMonitor::Close(std::uint64_t connection, bool said_bye) {
  const auto found = servers_.find(connection);
  if (found == servers_.end()) return;
  Server server = std::move(found->second);
  servers_.erase(found);
  ProxyLost lost{server.pid, server.ready ? server.ready->client : std::string(), 0, false};
  LoseCalls(server, lost);
  if (server.ready && !said_bye) ended_.push_back(std::move(lost));
}

void ProxyMonitor::LoseCalls(Server& server, ProxyLost& lost) {
  for (const auto& [id, call] : server.in_flight) {
    observer_.CallFinished(step_, call, Unanswered(call, stopped_));
    if (!stopped_) ++lost.calls;
  }
  lost_calls_ += lost.calls;
  server.in_flight.clear();
}

const CallRecord* ProxyMonitor::InFlight(std::uint64_t connection, const CallId& call) const {
  const auto server = servers_.find(connection);
  if (server == servers_.end()) return nullptr;
  const auto found = server->second.in_flight.find(call);
  return found == server->second.in_flight.end() ? nullptr : &found->second;
}

bool ProxyMonitor::HasLiveServer() const {
  return std::ranges::any_of(servers_, [](const auto& entry) { return entry.second.ready.has_value(); });
}

bool ProxyMonitor::JudgeEnds() {
  const bool died = !ended_.empty() && !ending_;
  for (ProxyLost& lost : ended_) {
    // An end in order that cut a call off is told as a loss all the same: its call is lost.
    if (ending_ && lost.calls == 0) continue;
    if (HasLiveServer()) {
      lost.replaced = true;
      observer_.ProxyWasLost(step_, lost);
    } else {
      waiting_.push_back(std::move(lost));
    }
  }
  ended_.clear();
  return died;
}

void ProxyMonitor::Finish() {
  ending_ = true;
  while (!servers_.empty()) Close(servers_.begin()->first, false);
  JudgeEnds();
  for (const ProxyLost& lost : waiting_) {
    unreplaced_ = true;
    observer_.ProxyWasLost(step_, lost);
  }
  waiting_.clear();
}

std::optional<Error> ProxyMonitor::Failure() const {
  if (lost_calls_ == 0 && !unreplaced_) return std::nullopt;
  std::string message = "the MCP server of the step died";
  if (lost_calls_ > 0) {
    message += "; " + std::to_string(lost_calls_) + (lost_calls_ == 1 ? " call was lost" : " calls were lost");
  } else {
    message += " and none took its place";
  }
  return Error{"EXECUTION.MCP_PROXY.LOST", message, {}, {}, {}, {}};
}

}  // namespace awf::agents
