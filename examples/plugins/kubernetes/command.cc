#include "command.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace {

// A file in memory: unlike a pipe it is never full, and its end does not depend on who else holds it.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("kubectl", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (fd_ >= 0) ::close(fd_);
  }

  int fd() const { return fd_; }

  bool Write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::lseek(fd_, 0, SEEK_SET) == 0;
  }

  std::string Read() const {
    std::string text;
    char buffer[16 * 1024];
    for (;;) {
      const ssize_t size = ::pread(fd_, buffer, sizeof buffer, static_cast<off_t>(text.size()));
      if (size <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(size));
    }
  }

 private:
  int fd_;
};

// The program's process, or the number of the error.
std::expected<pid_t, int> Spawn(const std::vector<std::string>& argv, const MemoryFile (&files)[3]) {
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int fd = 0; fd < 3; ++fd) ::posix_spawn_file_actions_adddup2(&actions, files[fd].fd(), fd);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::unexpected(error);
  return pid;
}

// Signals only a process that has not been reaped, so never a stranger with the same number.
int WaitFor(pid_t pid, const std::stop_token& cancelled) {
  {
    const std::stop_callback stop{cancelled, [pid] { ::kill(pid, SIGTERM); }};
    siginfo_t ignored;
    while (::waitid(P_PID, static_cast<id_t>(pid), &ignored, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::expected<CommandResult, std::string> RunCommand(const std::vector<std::string>& argv, std::string_view input,
                                                     const std::stop_token& cancelled) {
  const MemoryFile files[3];
  if (!files[0].Write(input) || files[1].fd() < 0 || files[2].fd() < 0) {
    return std::unexpected(std::string{"no file in memory: "} + std::strerror(errno));
  }
  const auto pid = Spawn(argv, files);
  if (!pid) return std::unexpected("cannot start " + argv[0] + ": " + std::strerror(pid.error()));
  const int exit_code = WaitFor(*pid, cancelled);
  return CommandResult{exit_code, files[1].Read(), files[2].Read()};
}
