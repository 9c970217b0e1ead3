// What a call of a plugin costs on the way: through the transport to a server in this process, over a unix socket with
// mutual TLS and in the clear.
//
//   plugin_bench     prints one line per measure; ends with 1 when a call fails, never because of a speed.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/plugins/plugin_certificate.h"
#include "infrastructure/plugins/plugin_transport.h"
#include "tests/fakes/fake_plugin_server.h"

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;
using awf::plugins::Identity;
using awf::plugins::PluginTransport;

constexpr const char* kEcho = "/bench/Echo";
constexpr const char* kLarge = "/bench/Large";
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

Identity NewIdentity() {
  auto identity = awf::plugins::MakeIdentity();
  if (identity) return *identity;
  std::fprintf(stderr, "plugin_bench: %s\n", identity.error().c_str());
  std::exit(1);
}

// Milliseconds of one call, whose reply must have that size.
double TimeOfCall(PluginTransport& transport, const char* method, std::string_view message, std::size_t size) {
  const auto start = awf::SteadyClock::now();
  const auto reply = transport.Unary({method, message, start + std::chrono::seconds(30)});
  const double time = Milliseconds(awf::SteadyClock::now() - start).count();
  if (reply.status.ok() && reply.message.size() == size) return time;
  std::fprintf(stderr, "plugin_bench: %s: status %d %s\n", method, reply.status.code, reply.status.message.c_str());
  std::exit(1);
}

void Report(const char* name, std::vector<double> times) {
  std::ranges::sort(times);
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size()))];
  };
  std::printf("%-38s p50 %8.3f ms   p99 %8.3f ms\n", name, at(0.5), at(0.99));
}

void Measure(const char* kind, const awf::plugins::PluginEndpoint& endpoint) {
  constexpr int kCalls = 2000, kLargeCalls = 100, kConnections = 50;
  const std::string name = kind;
  const std::string message(200, 'x');
  std::vector<double> first, echo, large;
  for (int i = 0; i < kConnections; ++i) {
    const auto transport = awf::plugins::ConnectGrpc(endpoint);
    first.push_back(TimeOfCall(*transport, kEcho, message, message.size()));
  }
  const auto transport = awf::plugins::ConnectGrpc(endpoint);
  TimeOfCall(*transport, kEcho, message, message.size());
  for (int i = 0; i < kCalls; ++i) echo.push_back(TimeOfCall(*transport, kEcho, message, message.size()));
  for (int i = 0; i < kLargeCalls; ++i) large.push_back(TimeOfCall(*transport, kLarge, "", kMebibyte));
  Report((name + ": connection and first call").c_str(), first);
  Report((name + ": call, 200 bytes").c_str(), echo);
  Report((name + ": reply of 1 MiB").c_str(), large);
}

void Install(awf::fakes::FakePluginServer& server) {
  server.HandleUnary(kEcho, [](std::string_view message) { return std::string(message); });
  server.HandleUnary(kLarge, [](std::string_view) { return std::string(kMebibyte, 'x'); });
}

}  // namespace

int main() {
  const awf::TestFolder folder;
  const Identity of_plugin = NewIdentity(), of_awf = NewIdentity();
  awf::fakes::FakePluginServer secure(folder / "tls", awf::fakes::PluginTls{of_plugin, of_awf.certificate});
  awf::fakes::FakePluginServer plain(folder / "plain");
  Install(secure);
  Install(plain);
  Measure("mutual TLS", {secure.target(), true, of_awf, of_plugin.certificate});
  Measure("in the clear", {plain.target(), false});
  return 0;
}
