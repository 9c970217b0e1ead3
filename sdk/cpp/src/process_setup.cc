#include "process_setup.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace awf::sdk {
namespace {

constexpr std::size_t kLongestPath = sizeof(sockaddr_un{}.sun_path) - 1;

// For the signal handler, which can be given nothing.
char socket_of_this_process[kLongestPath + 1];

void DoNothing(int) {}

void RemoveSocketAndEnd(int signal) {
  ::unlink(socket_of_this_process);
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // comes when this handler returns
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

}  // namespace

std::string RefusalOfStart() {
  if (Variable("AWF_PLUGIN") == "awf-plugin-v1") return {};
  return "This program is a plugin of awf and is started by awf, not by hand. See `awf plugin --help`.";
}

// Handlers instead of SIG_IGN, which programs that the plugin starts would inherit.
void SetUpSignals() {
  Handle(SIGINT, DoNothing);
  Handle(SIGPIPE, DoNothing);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
}

std::expected<std::string, std::string> ChooseSocketPath() {
  std::string_view folder = Variable("PLUGIN_UNIX_SOCKET_DIR");
  if (folder.empty()) folder = Variable("TMPDIR");
  if (folder.empty()) folder = "/tmp";
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) {
    return std::unexpected(std::string{"no random numbers: "} + std::strerror(errno));
  }
  char digits[16];
  char* end = std::to_chars(digits, digits + sizeof digits, random, 16).ptr;
  std::string path = std::string{folder} + "/plugin" + std::to_string(::getpid()) + "-" + std::string(digits, end);
  if (path.size() > kLongestPath) {
    return std::unexpected("the socket's path " + path + " is longer than " + std::to_string(kLongestPath) + " bytes");
  }
  return path;
}

void RemoveSocketOnSigterm(const std::string& path) {
  std::memcpy(socket_of_this_process, path.c_str(), path.size() + 1);
  Handle(SIGTERM, RemoveSocketAndEnd);
}

}  // namespace awf::sdk
