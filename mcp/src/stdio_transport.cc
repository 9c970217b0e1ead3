#include "mcp/stdio_transport.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "line_buffer.h"

namespace mcp {
namespace {

constexpr std::size_t kReadSize = std::size_t{64} << 10;

// Owns a descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error SystemError(std::string what) { return Error{std::move(what) + ": " + std::strerror(errno)}; }

bool IsSocket(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

// Polls without end, and goes on after a signal handler.
void PollAll(std::vector<pollfd>& descriptors) {
  while (::poll(descriptors.data(), descriptors.size(), -1) < 0 && errno == EINTR) {
  }
}

// Moves a descriptor above 2 and out of the reach of programs that are started.
Descriptor MoveUp(int fd) { return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)); }

}  // namespace

struct StdioTransport::State {
  struct Watched {
    int fd;
    std::function<bool()> on_ready;
  };
  struct Ready {
    bool input = false;
    bool hung_up = false;
    bool woken = false;
    bool write_dead = false;
  };

  explicit State(std::size_t max_frame) : lines(max_frame) {}

  Ready Wait(short input_events);
  void RunWatches(const std::vector<pollfd>& polled, std::size_t first);
  void ReadSome();
  std::optional<ReadOutcome> Received(std::string& frame);
  bool WaitWritable();
  ssize_t WriteSome(iovec* parts, std::size_t count, std::size_t size);

  Descriptor in, out, wake, abandon;
  bool out_is_socket = false;
  bool partial_writes = true;  // whether the kernel can write as much to a pipe as fits at once
  bool eof = false;
  std::atomic<bool> abandoned = false;
  LineBuffer lines;
  std::vector<Watched> watched;
  std::unique_ptr<char[]> chunk = std::make_unique_for_overwrite<char[]>(kReadSize);
};

StdioTransport::StdioTransport(std::unique_ptr<State> state) : state_(std::move(state)) {}
StdioTransport::~StdioTransport() = default;

std::expected<std::unique_ptr<StdioTransport>, Error> StdioTransport::Over(int in, int out, std::size_t max_frame) {
  auto state = std::make_unique<State>(max_frame);
  state->in = Descriptor(in);
  if (out == in) out = ::fcntl(in, F_DUPFD_CLOEXEC, 0);
  state->out = Descriptor(out);
  state->wake = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  state->abandon = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (state->out.get() < 0 || state->wake.get() < 0 || state->abandon.get() < 0) {
    return std::unexpected(SystemError("cannot set up the transport"));
  }
  state->out_is_socket = IsSocket(state->out.get());
  return std::unique_ptr<StdioTransport>(new StdioTransport(std::move(state)));
}

std::expected<std::unique_ptr<StdioTransport>, Error> StdioTransport::TakeOver(std::size_t max_frame) {
  Descriptor in = MoveUp(STDIN_FILENO);
  if (in.get() < 0) return std::unexpected(SystemError("stdin"));
  Descriptor out = MoveUp(STDOUT_FILENO);
  if (out.get() < 0) return std::unexpected(SystemError("stdout"));
  Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (null.get() < 0) return std::unexpected(SystemError("/dev/null"));
  if (null.get() == STDERR_FILENO) {  // stderr was closed
    null.Release();
    ::fcntl(STDERR_FILENO, F_SETFD, 0);
  }
  const int source = null.get() < 0 ? STDERR_FILENO : null.get();
  if (::dup2(source, STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return std::unexpected(SystemError("cannot take over stdin and stdout"));
  }
  // Large blocks go back to the system when they are freed. By itself the allocator keeps them after the first one.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  if (::signal(SIGPIPE, SIG_IGN) == SIG_ERR) return std::unexpected(SystemError("SIGPIPE"));
  return Over(in.Release(), out.Release(), max_frame);
}

void StdioTransport::Watch(int fd, std::function<bool()> on_ready) {
  state_->watched.push_back({fd, std::move(on_ready)});
}

// Waits for anything. Input is taken before watches run, so that what came before a signal still counts.
StdioTransport::State::Ready StdioTransport::State::Wait(short input_events) {
  std::vector<pollfd> polled = {{in.get(), input_events, 0}, {out.get(), 0, 0}, {wake.get(), POLLIN, 0}};
  const std::size_t first_watch = polled.size();
  for (const Watched& watch : watched) polled.push_back({watch.fd, POLLIN, 0});
  PollAll(polled);
  Ready ready;
  ready.input = (polled[0].revents & input_events) != 0;
  ready.hung_up = (polled[0].revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0;
  ready.write_dead = (polled[1].revents & (POLLERR | POLLNVAL)) != 0;
  if ((polled[2].revents & POLLIN) != 0) {
    std::uint64_t count = 0;
    ready.woken = ::read(wake.get(), &count, sizeof count) > 0;
  }
  if ((input_events & POLLIN) != 0 && (ready.input || ready.hung_up)) ReadSome();
  RunWatches(polled, first_watch);
  return ready;
}

void StdioTransport::State::RunWatches(const std::vector<pollfd>& polled, std::size_t first) {
  std::vector<Watched> kept;
  for (std::size_t i = first; i < polled.size(); ++i) {
    Watched& watch = watched[i - first];
    if (polled[i].revents == 0 || watch.on_ready()) kept.push_back(std::move(watch));
  }
  watched = std::move(kept);
}

void StdioTransport::State::ReadSome() {
  const ssize_t got = ::read(in.get(), chunk.get(), kReadSize);
  if (got > 0) {
    lines.Append({chunk.get(), static_cast<std::size_t>(got)});
  } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
    eof = true;
  }
}

std::optional<ReadOutcome> StdioTransport::State::Received(std::string& frame) {
  LineBuffer::Outcome outcome = lines.Next(frame);
  if (outcome == LineBuffer::Outcome::kNothing && eof) outcome = lines.Last(frame);
  switch (outcome) {
    case LineBuffer::Outcome::kLine:
      return ReadOutcome::kFrame;
    case LineBuffer::Outcome::kOversized:
      return ReadOutcome::kOversized;
    case LineBuffer::Outcome::kNothing:
      break;
  }
  return eof ? std::optional(ReadOutcome::kEof) : std::nullopt;
}

ReadOutcome StdioTransport::ReadFrame(std::string& frame) {
  for (;;) {
    if (const auto received = state_->Received(frame)) return *received;
    const State::Ready ready = state_->Wait(POLLIN);
    if (ready.input || ready.hung_up) continue;  // a wake that came with it is the caller's to see before the next call
    if (ready.woken) return ReadOutcome::kWoken;
    if (ready.write_dead) return ReadOutcome::kWriteDead;
  }
}

ReadOutcome StdioTransport::TakeReceived(std::string& frame) {
  return state_->Received(frame).value_or(ReadOutcome::kWoken);
}

ReadOutcome StdioTransport::WaitForEnd() {
  for (;;) {
    if (state_->eof) return ReadOutcome::kEof;
    const State::Ready ready = state_->Wait(POLLRDHUP);
    if (ready.hung_up) return ReadOutcome::kEof;
    if (ready.woken) return ReadOutcome::kWoken;
    if (ready.write_dead) return ReadOutcome::kWriteDead;
  }
}

bool StdioTransport::State::WaitWritable() {
  if (abandoned) return false;
  std::vector<pollfd> polled = {{out.get(), POLLOUT, 0}, {abandon.get(), POLLIN, 0}};
  PollAll(polled);
  return polled[1].revents == 0;
}

// Writes at least one byte, but no more than fits at once, so that a client that does not read can be abandoned.
ssize_t StdioTransport::State::WriteSome(iovec* parts, std::size_t count, std::size_t size) {
  if (out_is_socket) {
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    return ::sendmsg(out.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  if (size > PIPE_BUF && partial_writes) {
    const ssize_t written = ::pwritev2(out.get(), parts, static_cast<int>(count), -1, RWF_NOWAIT);
    if (written >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL && errno != EAGAIN)) return written;
    if (errno != EAGAIN) partial_writes = false;
  }
  if (size <= PIPE_BUF) return ::writev(out.get(), parts, static_cast<int>(count));
  // A pipe that polls as writable takes this much.
  return ::write(out.get(), parts[0].iov_base, std::min<std::size_t>(parts[0].iov_len, PIPE_BUF));
}

bool StdioTransport::WriteFrame(std::string_view frame) {
  char line_feed = '\n';
  iovec parts[2] = {{const_cast<char*>(frame.data()), frame.size()}, {&line_feed, 1}};
  for (std::size_t left = frame.size() + 1; left > 0;) {
    if (!state_->WaitWritable()) return false;
    const bool only_end = parts[0].iov_len == 0;
    const ssize_t got = state_->WriteSome(only_end ? parts + 1 : parts, only_end ? 1 : 2, left);
    if (got < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (got <= 0) continue;
    const auto written = static_cast<std::size_t>(got);
    left -= written;
    const std::size_t of_frame = std::min(written, parts[0].iov_len);
    parts[0].iov_base = static_cast<char*>(parts[0].iov_base) + of_frame;
    parts[0].iov_len -= of_frame;
  }
  return true;
}

void StdioTransport::Wake() {
  const std::uint64_t one = 1;
  if (::write(state_->wake.get(), &one, sizeof one) < 0) return;  // full: it is awake already
}

void StdioTransport::AbandonWrites() {
  state_->abandoned = true;
  const std::uint64_t one = 1;
  if (::write(state_->abandon.get(), &one, sizeof one) < 0) return;
}

}  // namespace mcp
