// FakePluginServer: a gRPC server for tests, on a unix socket, in the clear or with mutual TLS. It knows no messages:
// tests install handlers by method that take and give bytes.
//
// Every call has a thread of its own, so handlers may block; they run at the same time and must end once their call is
// cancelled. Every public function may be called from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "infrastructure/plugins/plugin_transport.h"

namespace awf::fakes {

// One call as its handler sees it.
class PluginCall {
 public:
  virtual ~PluginCall() = default;
  virtual const std::string& method() const = 0;
  virtual const std::map<std::string, std::string>& metadata() const = 0;  // of one name the last
  // The next message of the client, waited for; nothing once it has sent its last or the call has ended.
  virtual std::optional<std::string> Receive() = 0;
  // Waits until it is written; false once the call has ended.
  virtual bool Send(std::string_view message) = 0;
  // Requested when the client cancels, its deadline passes, or the connection breaks.
  virtual std::stop_token cancelled() const = 0;
};

// With it the server speaks TLS; the client must show exactly `client_certificate`.
struct PluginTls {
  plugins::Identity identity;
  std::string client_certificate;  // PEM
};

class FakePluginServer {
 public:
  using Handler = std::function<plugins::RpcStatus(PluginCall&)>;

  // Makes the socket at `path`, of at most 107 bytes. A failure ends the test program.
  explicit FakePluginServer(const std::string& path, const std::optional<PluginTls>& tls = std::nullopt);
  FakePluginServer(const FakePluginServer&) = delete;
  FakePluginServer& operator=(const FakePluginServer&) = delete;
  // Cancels the calls that run and waits for their handlers.
  ~FakePluginServer();

  std::string target() const;  // "unix:/abs/path"

  // Methods without a handler end as UNIMPLEMENTED.
  void Handle(const std::string& method, Handler handler);
  // One message in, what `reply` makes of it out.
  void HandleUnary(const std::string& method, std::function<std::string(std::string_view)> reply);

  // As if the process had died: closes the socket and every connection at once, without a word. No new ones are taken.
  void Die();

  int connections() const;  // that were accepted so far

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

// Returns once the call is cancelled.
void WaitForCancel(const PluginCall& call);

}  // namespace awf::fakes
