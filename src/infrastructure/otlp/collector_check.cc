#include "infrastructure/otlp/collector_check.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "domain/time.h"
#include "infrastructure/otlp/endpoint.h"

namespace awf::otlp {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* first) const { ::freeaddrinfo(first); }
};

// 0 or errno.
int Connect(const addrinfo& address, SteadyClock::time_point until) {
  const int socket =
      ::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol);
  if (socket < 0) return errno;
  int error = ::connect(socket, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd fd{socket, POLLOUT, 0};
    socklen_t size = sizeof error;
    if (::poll(&fd, 1, RemainingMs(until)) <= 0) {
      error = ETIMEDOUT;
    } else if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
      error = errno;
    }
  }
  ::close(socket);
  return error;
}

std::string WithoutBrackets(const std::string& host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

std::expected<void, std::string> CheckCollector(const ExportSettings& settings, std::chrono::milliseconds patience) {
  const auto endpoint = ParseEndpoint(settings.url);
  if (!endpoint) return std::unexpected("the address cannot be read");
  const int port = endpoint->port != 0 ? endpoint->port : endpoint->scheme == "https" ? 443 : 80;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int fault =
      ::getaddrinfo(WithoutBrackets(endpoint->host).c_str(), std::to_string(port).c_str(), &hints, &found);
  if (fault != 0) return std::unexpected(::gai_strerror(fault));
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(found);
  const auto until = SteadyClock::now() + patience;
  int error = EHOSTUNREACH;
  for (const addrinfo* address = found; address != nullptr && error != 0; address = address->ai_next) {
    error = Connect(*address, until);
  }
  if (error != 0) return std::unexpected(std::strerror(error));
  return {};
}

}  // namespace awf::otlp
