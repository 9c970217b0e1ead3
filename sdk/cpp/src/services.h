// Services: what the RPCs of a plugin mean: awf's plugin.v1 and go-plugin's controller, stdio and broker. Knows the
// messages, not how they travel.
//
// Thread-safe; the definition does not change while it is served. No exception leaves Answer.
#pragma once

#include <string_view>

#include "plugin_definition.h"
#include "rpc_server.h"
#include "stdout_relay.h"

namespace awf::sdk {

class Services {
 public:
  static constexpr std::string_view kBrokerMethod = "/plugin.GRPCBroker/StartStream";

  // Both must outlive this.
  Services(const PluginDefinition& plugin, StdoutRelay& prints) : plugin_(plugin), prints_(prints) {}

  RpcAnswer Answer(Rpc& rpc);

 private:
  RpcAnswer GetInfo(Rpc& rpc);
  RpcAnswer Init(Rpc& rpc);
  RpcAnswer Shutdown(Rpc& rpc);
  RpcAnswer ListOperations(Rpc& rpc);
  RpcAnswer GetOperation(Rpc& rpc);
  RpcAnswer Execute(Rpc& rpc);
  RpcAnswer EndProcess(Rpc& rpc);
  RpcAnswer StreamStdio(Rpc& rpc);

  const PluginDefinition& plugin_;
  StdoutRelay& prints_;
};

}  // namespace awf::sdk
