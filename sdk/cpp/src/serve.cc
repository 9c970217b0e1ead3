#include "serve.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "certificate.h"
#include "process_setup.h"
#include "rpc_server.h"
#include "services.h"
#include "stdout_relay.h"

namespace awf::sdk {
namespace {

// From the answer to the controller's Shutdown to the end: a host of go-plugin kills after 2 s.
constexpr std::chrono::milliseconds kDrain{200};

int Refuse(std::string_view sentence) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(sentence.size()), sentence.data());
  return 1;
}

// core protocol|protocol of awf's plugins|network|address|kind|certificate[|multiplexing]
std::string HandshakeLine(const RpcServerOptions& options) {
  std::string line = "1|1|unix|" + options.socket_path + "|grpc|";
  if (options.certificate) line += options.certificate->base64;
  if (std::getenv("PLUGIN_MULTIPLEX_GRPC") != nullptr) line += "|false";
  return line + "\n";
}

// Past stdio: what the plugin printed before and what still lies in stdio's buffer must not come before the handshake.
bool WriteToStdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

[[noreturn]] void EndProcess(const std::string& socket_path, int status) {
  ::unlink(socket_path.c_str());
  ::_exit(status);
}

std::expected<RpcServerOptions, std::string> Prepare() {
  RpcServerOptions options;
  auto path = ChooseSocketPath();
  if (!path) return std::unexpected(std::move(path.error()));
  options.socket_path = std::move(*path);
  options.silent_method = Services::kBrokerMethod;
  const char* client = std::getenv("PLUGIN_CLIENT_CERT");
  if (client == nullptr || *client == '\0') return options;
  options.client_certificate = client;
  auto certificate = MakeCertificate();
  if (!certificate) return std::unexpected("no certificate: " + certificate.error());
  options.certificate = std::move(*certificate);
  return options;
}

}  // namespace

int Serve(const PluginDefinition& plugin) {
  if (const std::string refusal = RefusalOfStart(); !refusal.empty()) return Refuse(refusal);
  SetUpSignals();
  StdoutRelay prints;
  if (const auto opened = prints.Open(); !opened) return Refuse(opened.error());
  auto options = Prepare();
  if (!options) return Refuse(options.error());

  Services services{plugin, prints};
  options->answer = [&services](Rpc& rpc) { return services.Answer(rpc); };
  RemoveSocketOnSigterm(options->socket_path);
  auto server = RpcServer::Start(*options);
  if (!server) return Refuse(server.error());
  if (!WriteToStdout(HandshakeLine(*options))) EndProcess(options->socket_path, Refuse("stdout is closed"));
  prints.Redirect();
  // Lines reach the host when they are printed.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);

  (*server)->WaitForEnd();
  std::cout.flush();
  std::fflush(stdout);
  prints.Restore();
  (*server)->WaitUntilIdle(kDrain);
  EndProcess(options->socket_path, 0);
}

}  // namespace awf::sdk
