// ChannelReporter: tells awf run over the step channel what happens in this server: connection, list, calls.
//
// Each message has left the process when the method returns, so before the client gets its answer. Thread-safe. Does
// not own the channel.
#pragma once

#include <atomic>
#include <functional>

#include "infrastructure/mcp/mcp_proxy_server.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf {

class ChannelReporter : public ProxyObserver {
 public:
  explicit ChannelReporter(channel::StepChannelClient& channel) : channel_(channel) {}

  void Connected(const mcp::Implementation& client, std::string_view protocol_version) override;
  void Listed(const std::vector<ToolDefinition>& tools) override;
  void Started(const CallRecord& call) override;
  void Finished(const CallRecord& call, const CallEnd& end) override;
  bool Reachable() const override { return reachable_; }

  void Bye();

 private:
  void Send(const channel::Message& message);

  channel::StepChannelClient& channel_;
  std::atomic<bool> reachable_ = true;
};

}  // namespace awf
