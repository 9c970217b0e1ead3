// McpProxyServer: awf's tools behind an mcp::Server. Its public face is NewServer, RegisterProvider, ServeStdio.
//
//   auto server = NewServer(checker, observer, options);
//   server->RegisterProvider(std::make_shared<BuiltinToolProvider>(…));
//   auto end = server->ServeStdio(*transport);
//
// Every tools/call goes to a ToolRouter, and one that the library refuses before gets its record there too. Used by one
// thread; only Stop may be called from others.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "application/tools/tool_router.h"
#include "domain/error.h"
#include "domain/time.h"
#include "domain/tool.h"
#include "domain/tool_observer.h"
#include "mcp/server.h"
#include "mcp/stdio_transport.h"

namespace awf {

// Beside the calls: who connected, and what was offered. Must not throw.
class ProxyObserver : public ToolObserver {
 public:
  virtual void Connected(const mcp::Implementation& client, std::string_view protocol_version) {
    (void)client, (void)protocol_version;
  }
  virtual void Listed(const std::vector<ToolDefinition>& tools) { (void)tools; }
};

struct McpProxyOptions {
  std::string version;           // of awf
  std::string instructions;      // for the model; may be empty
  std::size_t result_size = 0;   // characters that clients should let through whole; 0: not told
  Deadline deadline;             // of the step
  bool capture_content = false;  // calls are told with their arguments and results
  // What happens to programs that calls started, when the server ends while calls run (mcp/options.h).
  std::function<void()> on_cancel_running;
  std::function<void()> on_kill_running;
  std::function<void()> on_overdue;
};

class McpProxyServer {
 public:
  ~McpProxyServer();
  McpProxyServer(const McpProxyServer&) = delete;
  McpProxyServer& operator=(const McpProxyServer&) = delete;

  // Before ServeStdio.
  void RegisterProvider(std::shared_ptr<ToolProvider> provider);

  // Assembles the providers (USER.MCP_PROXY.* when that cannot be done) and serves until the client or Stop ends it.
  std::expected<mcp::EndReason, Error> ServeStdio(mcp::Transport& transport);

  // Makes ServeStdio, also a later one, end. Any thread.
  void Stop(mcp::EndReason reason);

 private:
  friend std::unique_ptr<McpProxyServer> NewServer(const ArgumentChecker& checker, ProxyObserver& observer,
                                                   McpProxyOptions options);
  struct State;
  explicit McpProxyServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Owns neither checker nor observer; both must outlive the server.
std::unique_ptr<McpProxyServer> NewServer(const ArgumentChecker& checker, ProxyObserver& observer,
                                          McpProxyOptions options);

}  // namespace awf
