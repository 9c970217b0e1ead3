#include "infrastructure/step_channel/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace awf::channel {
namespace {

// An address, and the folder that it goes through when the path itself is too long for it.
struct Address {
  sockaddr_un socket{};
  Fd folder;
};

std::string Because(std::string_view what, const std::filesystem::path& path, int error) {
  return std::string(what) + " " + path.string() + ": " + std::generic_category().message(error);
}

std::expected<Address, std::string> AddressOf(const std::filesystem::path& path) {
  Address address;
  address.socket.sun_family = AF_UNIX;
  std::string spelled = path.string();
  if (spelled.size() >= sizeof(address.socket.sun_path)) {
    address.folder = Fd(::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!address.folder) return std::unexpected(Because("cannot open the folder of", path, errno));
    spelled = "/proc/self/fd/" + std::to_string(address.folder.get()) + "/" + path.filename().string();
  }
  if (spelled.empty() || spelled.size() >= sizeof(address.socket.sun_path)) {
    return std::unexpected("not usable as a socket: " + path.string());
  }
  std::memcpy(address.socket.sun_path, spelled.data(), spelled.size());
  return address;
}

}  // namespace

std::expected<Fd, std::string> ConnectUnix(const std::filesystem::path& path) {
  const auto address = AddressOf(path);
  if (!address) return std::unexpected(address.error());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return std::unexpected(Because("cannot make a socket for", path, errno));
  int result = 0;
  do {
    result = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address->socket), sizeof(address->socket));
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EISCONN) return std::unexpected(Because("cannot connect to", path, errno));
  return fd;
}

std::expected<Fd, std::string> ListenUnix(const std::filesystem::path& path) {
  const auto address = AddressOf(path);
  if (!address) return std::unexpected(address.error());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return std::unexpected(Because("cannot make a socket for", path, errno));
  // Before bind(), so that the name never exists with a wider mode.
  if (::fchmod(fd.get(), 0600) != 0) return std::unexpected(Because("cannot restrict", path, errno));
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address->socket), sizeof(address->socket)) != 0) {
    return std::unexpected(Because("cannot bind", path, errno));
  }
  constexpr int kBacklog = 64;
  if (::listen(fd.get(), kBacklog) != 0) return std::unexpected(Because("cannot listen on", path, errno));
  return fd;
}

}  // namespace awf::channel
