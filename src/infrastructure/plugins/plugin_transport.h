// PluginTransport: the RPCs of one plugin, on serialized messages. The one border between gRPC and the rest of awf:
// grpc_transport.cc alone includes gRPC's headers, and another transport could take its place.
//
// Thread-safe. Calls block; what they wait for ends with the deadline, with `cancelled`, or with the connection.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/time.h"

namespace awf::plugins {

// Numbers of gRPC's status codes that the host tells apart.
enum RpcCode : int {
  kRpcOk = 0,
  kRpcCancelled = 1,
  kRpcUnknown = 2,
  kRpcDeadlineExceeded = 4,
  kRpcResourceExhausted = 8,
  kRpcUnimplemented = 12,
  kRpcInternal = 13,
  kRpcUnavailable = 14,
};

// Bytes of a message in either direction.
inline constexpr std::size_t kLargestMessage = std::size_t{64} << 20;

struct RpcStatus {
  int code = kRpcOk;
  std::string message;  // valid UTF-8
  // Of kRpcResourceExhausted: the reply had more than kLargestMessage bytes. Else it was the request that was too
  // large, for us or for the peer; a peer that names its limit ends with "(SIZE vs. LIMIT)".
  bool reply_too_large = false;

  bool ok() const { return code == kRpcOk; }
};

struct UnaryRequest {
  std::string_view method;   // "/plugin.v1.OperationService/Execute"
  std::string_view message;  // serialized
  Deadline deadline;
  std::stop_token cancelled{};
  std::vector<std::pair<std::string, std::string>> metadata{};
};

struct UnaryReply {
  RpcStatus status;
  std::string message;  // serialized; empty unless ok
};

class PluginTransport {
 public:
  virtual ~PluginTransport() = default;

  // A call whose deadline has passed or that is cancelled already sends nothing. What fails after the deadline has
  // passed is kRpcDeadlineExceeded, and after a cancellation kRpcCancelled, whatever the peer says of it. A peer may
  // end with either code by itself, before. Metadata that gRPC does not allow is left out.
  virtual UnaryReply Unary(const UnaryRequest& request) = 0;

  // Sends one message and hands over every message that comes back, on a thread of the transport, until the stream or
  // the transport ends. Returns at once. `ended` is called once, last. Neither may throw or call Close. On a closed
  // transport, `ended` is called before this returns.
  virtual void ServerStream(std::string_view method, std::string_view message,
                            std::function<void(std::string_view)> received,
                            std::function<void(const RpcStatus&)> ended) = 0;

  // A stream in both directions on which nothing is sent; kept open until the transport ends. Messages that come are
  // handed over like those of a server stream.
  virtual void BidiStream(std::string_view method, std::function<void(std::string_view)> received,
                          std::function<void(const RpcStatus&)> ended) = 0;

  // The last cause for which a connection attempt failed, in words ("certificate verify failed"); empty: none. A
  // call's own status often says only "Deadline Exceeded".
  virtual std::string LastConnectError() const = 0;

  // Cancels the streams and every call in flight; later calls end as kRpcCancelled. Blocks until the last callback has
  // returned, then lets go of the connection. Done by the destructor, too.
  virtual void Close() = 0;
};

// A certificate and its private key, both PEM. The key never leaves memory.
struct Identity {
  std::string certificate, private_key;
};

// What to connect to.
struct PluginEndpoint {
  std::string target;              // "unix:/abs/path" or "ipv4:host:port"
  bool tls = true;                 // mutual, TLS 1.2 or later
  Identity identity{};             // ours
  std::string peer_certificate{};  // PEM; the only one that is trusted
};

// Connects lazily. The first one initialises gRPC, which is never undone.
std::unique_ptr<PluginTransport> ConnectGrpc(const PluginEndpoint& endpoint);

}  // namespace awf::plugins
