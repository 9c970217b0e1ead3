#include "infrastructure/agents/cli_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace awf::agents {
namespace {

constexpr std::size_t kErrorTail = 64 * 1024;
constexpr std::size_t kOneRound = std::size_t{4} << 20;

struct Pipe {
  Fd read_end, write_end;
};

std::expected<Pipe, Error> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Fail("SYSTEM.INTERNAL.UNMAPPED", std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// write(2) to a pipe that may be closed at the other end, without dying of SIGPIPE whatever its disposition is.
ssize_t WriteQuietly(int fd, const char* data, std::size_t size) {
  sigset_t pipe_signal;
  sigset_t former;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &former);
  const ssize_t count = ::write(fd, data, size);
  const int error = errno;
  if (count < 0 && error == EPIPE && sigismember(&former, SIGPIPE) == 0) {
    const timespec now{0, 0};
    while (::sigtimedwait(&pipe_signal, nullptr, &now) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
  errno = error;
  return count;
}

// Reads until nothing is there or `most` is reached. False at the end of the stream.
template <typename Sink>
bool ReadAvailable(int fd, std::size_t most, const Sink& sink) {
  std::array<char, 65536> buffer;
  for (std::size_t total = 0; total < most;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    total += static_cast<std::size_t>(count);
    sink(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
  }
  return true;
}

}  // namespace

std::expected<std::unique_ptr<CliProcess>, Error> CliProcess::Start(process::Keeper& keeper, CliStart start,
                                                                    LineReader::OnLine on_line) {
  auto input = MakePipe();
  auto output = MakePipe();
  auto errors = MakePipe();
  for (const auto* made : {&input, &output, &errors}) {
    if (!*made) return std::unexpected(made->error());
  }
  std::unique_ptr<CliProcess> cli(new CliProcess(std::move(start.input), std::move(on_line)));
  for (const int fd : {input->write_end.get(), output->read_end.get(), errors->read_end.get()}) {
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  cli->stdin_ = std::move(input->write_end);
  cli->stdout_ = std::move(output->read_end);
  cli->stderr_ = std::move(errors->read_end);
  cli->job_ = keeper.Start({std::move(start.argv), std::move(start.environment), std::move(start.working_dir),
                            input->read_end.get(), output->write_end.get(), errors->write_end.get(), false});
  return cli;
}

void CliProcess::AddFds(std::vector<pollfd>& fds) const {
  if (stdin_) fds.push_back({stdin_.get(), POLLOUT, 0});
  if (stdout_) fds.push_back({stdout_.get(), POLLIN, 0});
  if (stderr_) fds.push_back({stderr_.get(), POLLIN, 0});
}

void CliProcess::Handle() {
  WriteInput();
  ReadOutput(kOneRound);
  ReadErrors(kOneRound);
}

void CliProcess::Finish() {
  stdin_.Reset();
  // A descendant that holds the pipe could write for ever: what was there at the end fits into this.
  ReadOutput(std::size_t{128} << 20);
  ReadErrors(kOneRound);
  stdout_.Reset();
  stderr_.Reset();
  lines_.Finish();
}

void CliProcess::WriteInput() {
  while (stdin_ && written_ < input_.size()) {
    const ssize_t count = WriteQuietly(stdin_.get(), input_.data() + written_, input_.size() - written_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) break;  // a CLI that reads no further tells why on its own
    written_ += static_cast<std::size_t>(count);
  }
  stdin_.Reset();
}

void CliProcess::ReadOutput(std::size_t most) {
  if (!stdout_) return;
  const bool open = ReadAvailable(stdout_.get(), most, [&](std::string_view bytes) { lines_.Append(bytes); });
  if (!open) stdout_.Reset();
}

void CliProcess::ReadErrors(std::size_t most) {
  if (!stderr_) return;
  const bool open = ReadAvailable(stderr_.get(), most, [&](std::string_view bytes) {
    error_tail_.append(bytes);
    if (error_tail_.size() > 2 * kErrorTail) KeepTail();
  });
  if (!open) stderr_.Reset();
  if (error_tail_.size() > kErrorTail) KeepTail();
}

// Whole lines, where there are any: half of one may be half of a secret.
void CliProcess::KeepTail() {
  const std::size_t cut = error_tail_.size() - kErrorTail;
  const std::size_t feed = error_tail_.find('\n', cut - 1);
  error_tail_.erase(0, feed == std::string::npos ? cut : feed + 1);
}

}  // namespace awf::agents
