// For tests: a plugin's server with mutual TLS in a folder of its own, and transports to it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "domain/test_folder.h"
#include "infrastructure/plugins/plugin_certificate.h"
#include "infrastructure/plugins/plugin_transport.h"
#include "tests/fakes/fake_plugin_server.h"

namespace awf::plugins {

inline constexpr std::chrono::seconds kTestPatience{60};  // ends a test that hangs, no more

inline Deadline InTestPatience() { return SteadyClock::now() + kTestPatience; }

// Whether `condition` came true before the patience was over.
template <typename Condition>
bool Eventually(const Condition& condition) {
  for (const Deadline end = InTestPatience(); !Passed(end); std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
    if (condition()) return true;
  }
  return false;
}

struct TestPluginServer {
  TestFolder folder;
  Identity of_plugin = MakeIdentity().value(), of_awf = MakeIdentity().value();
  fakes::FakePluginServer server{folder / "s", fakes::PluginTls{of_plugin, of_awf.certificate}};

  TestPluginServer() {
    server.HandleUnary("/t/Echo", [](std::string_view message) { return std::string(message); });
  }
  PluginEndpoint endpoint() const { return {server.target(), true, of_awf, of_plugin.certificate}; }
  std::unique_ptr<PluginTransport> Connect() const { return ConnectGrpc(endpoint()); }
};

inline UnaryReply Call(PluginTransport& transport, std::string_view method, std::string_view message = {}) {
  return transport.Unary({method, message, InTestPatience()});
}

}  // namespace awf::plugins
