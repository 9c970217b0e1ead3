#include "infrastructure/process/program_start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/process/default_signals.h"

namespace awf::process {
namespace {

constexpr int kFailurePipe = 3;
constexpr int kExitNotStarted = 127;
constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

[[noreturn]] void GiveUp(int pipe, const char* stage) {
  StartFailure failure;
  failure.error_number = errno;
  std::strncpy(failure.stage, stage, sizeof failure.stage - 1);
  // The pipe is empty and the message small: it goes out whole, or the keeper is gone and nobody reads it.
  [[maybe_unused]] const ssize_t written = ::write(pipe, &failure, sizeof failure);
  ::_exit(kExitNotStarted);
}

// Puts `fd` (above 2, or -1 for /dev/null) in place of `standard`.
bool Place(int fd, int standard) {
  if (fd >= 0) return ::dup2(fd, standard) == standard;
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  return null >= 0 && ::dup2(null, standard) == standard;
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string_view PathOf(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  for (const std::string& variable : environment)
    if (variable.starts_with(kName)) return std::string_view(variable).substr(kName.size());
  return kDefaultPath;
}

// execve, with argv[0] looked up on the PATH of the program's own environment. Returns only on failure, with errno of
// the most telling try: a file that was there but could not be executed beats "not found".
void Execute(const SpawnRequest& request) {
  const std::vector<char*> argv = Pointers(request.argv);
  const std::vector<char*> environment = Pointers(request.environment);
  const std::string& name = request.argv[0];
  if (name.empty() || name.find('/') != std::string::npos) {
    ::execve(name.c_str(), argv.data(), environment.data());
    return;
  }
  int telling = ENOENT;
  std::string_view path = PathOf(request.environment);
  for (;;) {
    const std::size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    const std::string file = (folder.empty() ? std::string(".") : std::string(folder)) + "/" + name;
    ::execve(file.c_str(), argv.data(), environment.data());
    if (errno != ENOENT && errno != ENOTDIR) telling = errno;
    if (telling == E2BIG || colon == std::string_view::npos) break;
    path.remove_prefix(colon + 1);
  }
  errno = telling;
}

}  // namespace

void BecomeProgram(const SpawnRequest& request, JobMark mark, pid_t keeper, int failure_pipe) {
  if (request.new_session ? ::setsid() < 0 : ::setpgid(0, 0) != 0) GiveUp(failure_pipe, "session");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(kExitNotStarted);  // the keeper died before the signal was set
  const bool placed = Place(request.stdin_fd, STDIN_FILENO) && Place(request.stdout_fd, STDOUT_FILENO) &&
                      Place(request.stderr_fd, STDERR_FILENO);
  if (!placed) GiveUp(failure_pipe, "dup2");
  if (failure_pipe != kFailurePipe && ::dup3(failure_pipe, kFailurePipe, O_CLOEXEC) < 0) GiveUp(failure_pipe, "dup2");
  ::closefrom(kFailurePipe + 1);
  if (::chdir(request.working_dir.c_str()) != 0) GiveUp(kFailurePipe, "chdir");
  WearJobMark(mark);
  ResetSignals();
  Execute(request);
  GiveUp(kFailurePipe, "execve");
}

}  // namespace awf::process
