// Observer: what the embedder may want to know beside the calls.
//
// Called on the thread where the thing happens (the one inside Server::Serve or Session::Feed), before the answer goes
// out and never under a lock. Implementations must not throw and should return quickly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mcp {

// Who a client or server says that it is.
struct Implementation {
  std::string name;
  std::string version;
  std::string title;  // may be empty
};

// A frame that was refused with a JSON-RPC error or, where no id could be read from bad JSON, dropped.
struct Rejection {
  int code = 0;  // -32700, -32600, -32601, -32602, -32603, -32022
  std::string reason;
  std::string method;  // empty when unknown
  std::string id;      // JSON text; empty when unknown or invalid
  bool answered = true;

  // Of a tools/call (method tells), as far as they could be read: its record is the embedder's to make.
  std::string tool;
  std::string client_call_id;
  std::string traceparent;
  std::string tracestate;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // A client introduced itself: with each successful initialize, and with the first accepted request of the kind that
  // needs none (2026-07-28). version is the protocol version in use.
  virtual void ClientConnected(const Implementation& client, std::string_view version) { (void)client, (void)version; }
  // A tools/list is about to be answered with that many tools.
  virtual void ToolsListed(std::size_t count) { (void)count; }
  virtual void FrameRejected(const Rejection& rejection) { (void)rejection; }
};

}  // namespace mcp
