#include "infrastructure/process/output_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace awf::process {

std::expected<OutputPipe, int> MakeOutputPipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(errno);
  OutputPipe pipe{Fd(ends[0]), Fd(ends[1])};
  ::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);  // of this end alone: they are two open files
  return pipe;
}

void ReadAvailable(Fd& read_end, const std::function<void(std::string_view)>& take) {
  constexpr int kBuffers = 4;
  std::array<char, 64UL * 1024> buffer;
  for (int round = 0; round < kBuffers; ++round) {
    const ssize_t got = ::read(read_end.get(), buffer.data(), buffer.size());
    if (got > 0) {
      take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    return read_end.Reset();
  }
}

}  // namespace awf::process
