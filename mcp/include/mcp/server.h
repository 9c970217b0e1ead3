// Server: an MCP server for one client over one transport.
//
// Threads: the one inside Serve reads, answers what needs no tool and applies cancellations; at most Options::workers
// run calls, created on first need; one writes. A call starts in the order of arrival and is answered when it is done.
// Everything else is answered in the order of arrival.
#pragma once

#include <expected>
#include <memory>

#include "mcp/call.h"
#include "mcp/error.h"
#include "mcp/observer.h"
#include "mcp/options.h"
#include "mcp/tool.h"
#include "mcp/transport.h"

namespace mcp {

enum class EndReason {
  kEof,          // the client closed its side
  kSignal,       // Stop was called so from the embedder's signal handling
  kWriteFailed,  // the client no longer reads
  kStopped,      // Stop was called for any other reason
};

class Server {
 public:
  Server(const Implementation& self, CallHandler handler, Options options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Refuses a bad name or schema and a name taken. Before Serve only. Tools are listed in the order of registration.
  std::expected<void, Error> Register(const Tool& tool);
  // Blocks until the client or Stop ends it; once per Server. Requests that were received completely are still handled;
  // running calls get the time that options.h says. On return no call runs and ready answers are written.
  std::expected<EndReason, Error> Serve(Transport& transport);
  // Makes Serve, also a later one, end. Any thread; the first reason counts. Not from a signal handler: see signals.h.
  void Stop(EndReason reason);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mcp
