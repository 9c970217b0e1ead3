#include "infrastructure/step_channel/peer.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "infrastructure/process/fd.h"

namespace awf::channel {
namespace {

// From /proc/PID/stat: "PID (NAME) STATE PPID …". NAME may hold anything, so the last ')' counts.
std::optional<pid_t> ParentOf(pid_t pid) {
  const Fd fd(::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::array<char, 1024> buffer{};
  ssize_t length = 0;
  do {
    length = ::read(fd.get(), buffer.data(), buffer.size());
  } while (length < 0 && errno == EINTR);
  if (length <= 0) return std::nullopt;
  std::string_view text(buffer.data(), static_cast<std::size_t>(length));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 > text.size()) return std::nullopt;
  text.remove_prefix(name_end + 4);  // ") S "
  pid_t parent = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), parent).ec != std::errc()) return std::nullopt;
  return parent;
}

enum class Descent { kFree, kDescends, kUnknown };

Descent WalkUp(pid_t pid, std::span<const pid_t> known) {
  constexpr int kDeepest = 10'000;
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (std::ranges::find(known, pid) != known.end()) return Descent::kDescends;
    if (pid <= 1 || pid == ::getpid()) return Descent::kFree;
    const auto parent = ParentOf(pid);
    if (!parent) return Descent::kUnknown;
    pid = *parent;
  }
  return Descent::kUnknown;
}

}  // namespace

std::optional<Peer> PeerOf(int socket) {
  ucred credentials{};
  socklen_t length = sizeof(credentials);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return std::nullopt;
  return Peer{credentials.pid, credentials.uid};
}

std::expected<void, std::string> CheckDescent(pid_t pid, std::span<const pid_t> known) {
  if (pid <= 0) return std::unexpected("the process cannot be seen from here");
  // An ancestor may end during the walk; its children then have another parent, so the walk starts again.
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    switch (WalkUp(pid, known)) {
      case Descent::kFree:
        return {};
      case Descent::kDescends:
        return std::unexpected("the process descends from a server of this step");
      case Descent::kUnknown:
        break;
    }
  }
  return std::unexpected("the descent of the process cannot be told");
}

}  // namespace awf::channel
