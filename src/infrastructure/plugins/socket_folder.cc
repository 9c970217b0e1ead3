#include "infrastructure/plugins/socket_folder.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "infrastructure/process/fd.h"
#include "infrastructure/process/remove_tree.h"

namespace awf::plugins {
namespace {

constexpr const char* kFallback = "/tmp/awf-p-XXXXXX";

bool IsOwnSocket(const std::filesystem::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) && status.st_uid == ::geteuid();
}

bool NobodyListens(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) return false;
  path.native().copy(address.sun_path, sizeof address.sun_path - 1);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return socket && ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

std::expected<SocketFolder, std::string> SocketFolder::Make(const std::filesystem::path& parent) {
  std::string pattern = (parent / "p-XXXXXX").string();
  const bool suits = parent.is_absolute() && pattern.size() <= kLongestSocketFolder;
  if (suits && ::mkdtemp(pattern.data()) != nullptr) return SocketFolder(pattern);
  pattern = kFallback;
  if (::mkdtemp(pattern.data()) != nullptr) return SocketFolder(pattern);
  return std::unexpected("cannot make a folder for its socket below /tmp: " + std::generic_category().message(errno));
}

SocketFolder& SocketFolder::operator=(SocketFolder&& other) noexcept {
  if (this != &other) {
    Remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void SocketFolder::Remove() {
  if (!path_.empty()) process::RemoveTree(path_);
  path_.clear();
}

void RemoveStaleSocket(const std::filesystem::path& path) {
  if (IsOwnSocket(path) && NobodyListens(path)) ::unlink(path.c_str());
}

}  // namespace awf::plugins
