// RpcServer: answers RPCs on a unix socket. It knows methods by their names and messages as bytes, and is the only part
// that includes gRPC's headers. It also answers gRPC's own health service: "plugin" is SERVING.
//
// Threads: every call is answered on a thread of its own, so an answer may block. Never destroyed and never shut down:
// the process ends with _exit, since gRPC may wait for seconds when it is taken down.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "certificate.h"

namespace awf::sdk {

// Numbers of gRPC's status codes.
enum RpcCode : int { kRpcOk = 0, kRpcUnknown = 2, kRpcUnimplemented = 12, kRpcInternal = 13 };

struct RpcAnswer {
  RpcCode code = kRpcOk;
  std::string error{};
  std::optional<std::string> message{};  // serialized; what a unary call returns
  bool ends_server = false;              // WaitForEnd returns when this answer is given
};

// One call, for the thread that answers it.
class Rpc {
 public:
  virtual ~Rpc() = default;

  virtual std::string_view method() const = 0;     // "/plugin.v1.OperationService/Execute"
  virtual const std::string& request() const = 0;  // serialized
  virtual std::string traceparent() const = 0;     // empty: none
  virtual std::stop_token cancelled() const = 0;
  // One more message of a stream. Blocks until it is on its way; false: it could not be delivered.
  virtual bool Send(std::string_view message) = 0;
};

struct RpcServerOptions {
  std::string socket_path;
  std::string client_certificate;          // PEM, the only one that is let in; empty: plaintext
  std::optional<Certificate> certificate;  // ours; with client_certificate
  std::function<RpcAnswer(Rpc&)> answer;   // must not throw
  // A stream in both directions that is accepted and kept open; what comes on it is dropped.
  std::string silent_method;
};

class RpcServer {
 public:
  ~RpcServer();

  // Listens when it returns; only the owner may connect to the socket. The error is a clause.
  static std::expected<std::unique_ptr<RpcServer>, std::string> Start(RpcServerOptions options);

  // Until an answer that ends the server has been given.
  void WaitForEnd();
  // Until no call is being answered, silent streams not counted, or the time has passed.
  void WaitUntilIdle(std::chrono::milliseconds longest);

 private:
  struct State;
  explicit RpcServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace awf::sdk
