#include "mcp/signals.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

namespace mcp {

std::expected<std::unique_ptr<SignalSource>, Error> SignalSource::Block(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  const int fd = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) return std::unexpected(Error{std::string("signalfd: ") + std::strerror(errno)});
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    ::close(fd);
    return std::unexpected(Error{std::string("pthread_sigmask: ") + std::strerror(error)});
  }
  return std::unique_ptr<SignalSource>(new SignalSource(fd));
}

SignalSource::~SignalSource() { ::close(fd_); }

std::optional<int> SignalSource::Take() {
  signalfd_siginfo info{};
  ssize_t got = -1;
  do {
    got = ::read(fd_, &info, sizeof info);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace mcp
