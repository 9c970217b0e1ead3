#include "stdout_relay.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

namespace awf::sdk {

std::expected<void, std::string> StdoutRelay::Open() {
  int ends[2];
  // Above 2, also where a standard descriptor is closed.
  real_stdout_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (real_stdout_ < 0 || ::pipe2(ends, O_CLOEXEC) != 0) {
    return std::unexpected(std::string{"stdout cannot be relayed: "} + std::strerror(errno));
  }
  read_end_ = ends[0];
  write_end_ = ends[1];
  return {};
}

void StdoutRelay::Redirect() {
  ::dup2(write_end_, STDOUT_FILENO);
  ::close(write_end_);
  std::thread{[this] { Read(); }}.detach();
}

void StdoutRelay::Restore() { ::dup2(real_stdout_, STDOUT_FILENO); }

void StdoutRelay::Read() {
  std::array<char, 64 * 1024> buffer;
  for (;;) {
    const ssize_t size = ::read(read_end_, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    const std::lock_guard lock{mutex_};
    if (size > 0) pieces_.emplace_back(buffer.data(), static_cast<std::size_t>(size));
    if (size <= 0) ended_ = true;
    changed_.notify_all();
    if (ended_) return;
  }
}

std::optional<std::string> StdoutRelay::Fetch(const std::stop_token& cancelled) {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, cancelled, [&] { return ended_ || !pieces_.empty(); });
  if (pieces_.empty() || cancelled.stop_requested()) return std::nullopt;
  std::string piece = std::move(pieces_.front());
  pieces_.pop_front();
  return piece;
}

void StdoutRelay::GiveBack(std::string piece) {
  const std::lock_guard lock{mutex_};
  pieces_.push_front(std::move(piece));
  changed_.notify_all();
}

}  // namespace awf::sdk
