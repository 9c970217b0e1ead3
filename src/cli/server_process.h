// ServerProcess: what `awf mcp-serve` and `awf mcp serve` have in common as processes: the protocol taken away from the
// standard descriptors, signals, the death of the parent, the command child, the end within 100 ms.
//
//   auto process = ServerProcess::Begin();          // first thing, one thread
//   process->StartCommandChild(tools);              // still one thread
//   return process->Serve(…);                       // blocks
#pragma once

#include <sys/types.h>

#include <atomic>
#include <expected>
#include <memory>
#include <string>

#include "domain/error.h"
#include "domain/tool_settings.h"
#include "infrastructure/builtins/command_child.h"
#include "infrastructure/mcp/mcp_proxy_server.h"
#include "mcp/signals.h"
#include "mcp/stdio_transport.h"

namespace awf::cli {

// What is served, and who watches.
struct Service {
  const ToolSettings& tools;
  bool offer_builtins = true;
  std::string instructions;
  ProxyObserver& observer;
  int parent_fd = -1;  // when it becomes readable the parent is gone
  bool capture_content = false;
  std::shared_ptr<ToolProvider> more_tools{};  // beside the built-in ones; may be null
};

class ServerProcess {
 public:
  enum class End { kOrderly, kParentLost };

  static std::expected<std::unique_ptr<ServerProcess>, Error> Begin();

  // Forks the child that runs commands, then takes over the signals that it must not inherit.
  std::expected<void, Error> StartCommandChild(const ToolSettings& tools);

  // Until the client or a signal ends it, or the parent is lost. USER.MCP_PROXY.* when there is nothing to serve.
  std::expected<End, Error> Serve(const Service& service);

  // Ends all that commands left running. Done by the destructor, too.
  void EndCommands() { commands_.reset(); }

 private:
  explicit ServerProcess(pid_t parent) : parent_(parent) {}
  void TakeSignals(McpProxyServer& server);
  McpProxyOptions Options(const Service& service);

  pid_t parent_;  // as it was at the start
  std::atomic<bool> parent_lost_ = false;
  std::unique_ptr<mcp::StdioTransport> transport_;
  std::unique_ptr<mcp::SignalSource> signals_;
  std::shared_ptr<builtins::CommandChild> commands_;
};

}  // namespace awf::cli
