#include "infrastructure/plugins/plugin_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

#include "domain/time.h"
#include "infrastructure/process/default_signals.h"
#include "infrastructure/process/descriptor_limit.h"
#include "infrastructure/process/job_mark.h"
#include "infrastructure/process/keeper_registry.h"
#include "infrastructure/process/output_pipe.h"
#include "infrastructure/process/process_tree.h"

namespace awf::plugins {
namespace {

constexpr int kExecutable = 3;
constexpr int kFailurePipe = 4;
constexpr int kFirstFree = 10;  // above all numbers that descriptors are moved to
constexpr int kExitNotStarted = 127;

// Everything that the child needs, made before the fork: between fork and exec it may call async-signal-safe functions
// only, since other threads may have held any lock.
struct ChildPlan {
  int executable, output, errors, failure_pipe;
  pid_t parent;
  char* const* argv;
  char* const* environment;
};

[[noreturn]] void GiveUp(int pipe) {
  const int error = errno;
  // The pipe is empty and the message small: it goes out whole, or the parent is gone and nobody reads it.
  [[maybe_unused]] const ssize_t written = ::write(pipe, &error, sizeof error);
  ::_exit(kExitNotStarted);
}

int MovedUp(int fd, int failure_pipe) {
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFree);
  if (moved < 0) GiveUp(failure_pipe);
  return moved;
}

[[noreturn]] void BecomePlugin(const ChildPlan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(kExitNotStarted);  // it died before the signal was set
  if (::setpgid(0, 0) != 0) GiveUp(plan.failure_pipe);
  const int pipe = MovedUp(plan.failure_pipe, plan.failure_pipe);
  const int executable = MovedUp(plan.executable, pipe);
  const int output = MovedUp(plan.output, pipe);
  const int errors = MovedUp(plan.errors, pipe);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || (null != STDIN_FILENO && ::dup2(null, STDIN_FILENO) < 0)) GiveUp(pipe);
  if (null == STDIN_FILENO) ::fcntl(null, F_SETFD, 0);
  if (::dup2(output, STDOUT_FILENO) < 0 || ::dup2(errors, STDERR_FILENO) < 0) GiveUp(pipe);
  if (::dup3(executable, kExecutable, O_CLOEXEC) < 0 || ::dup3(pipe, kFailurePipe, O_CLOEXEC) < 0) GiveUp(pipe);
  ::closefrom(kFailurePipe + 1);
  process::GiveUsersDescriptorLimit(0);
  process::WearJobMark(process::MakeJobMark(plan.parent, static_cast<std::uint32_t>(::getpid())));
  process::ResetSignals();
  ::syscall(SYS_execveat, kExecutable, "", plan.argv, plan.environment, AT_EMPTY_PATH);
  // An interpreter opens the file by its descriptor, which must be there then; the kernel calls that ENOENT. Programs
  // that need no interpreter do not inherit it.
  if (errno != ENOENT) GiveUp(kFailurePipe);
  ::fcntl(kExecutable, F_SETFD, 0);
  ::syscall(SYS_execveat, kExecutable, "", plan.argv, plan.environment, AT_EMPTY_PATH);
  GiveUp(kFailurePipe);
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What the child writes when it fails; 0 when exec closed the pipe.
int ReadFailure(int pipe) {
  int error = 0;
  ssize_t got = 0;
  do got = ::read(pipe, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

// _Fork runs no handlers of libraries: the child leads no life of its own before exec.
std::expected<pid_t, int> ForkRegistered(const ChildPlan& plan) {
  process::KeeperRegistry& registry = process::KeeperRegistry::Instance();
  const std::lock_guard lock(registry.mutex());
  const pid_t pid = ::_Fork();
  if (pid == 0) BecomePlugin(plan);
  if (pid < 0) return std::unexpected(errno);
  registry.Add(pid);
  return pid;
}

bool BelongsTo(pid_t program, const process::ProcessInfo& process) {
  if (process.group == program) return true;
  return process::ReadJobMark(process.pid, ::getpid()) == process::MarkedJob(static_cast<std::uint32_t>(program));
}

// True when something still lived.
bool KillRound(pid_t program) {
  const std::lock_guard lock(process::KeeperRegistry::Instance().mutex());  // numbers of our children stay theirs
  const process::ProcessTree tree = process::ProcessTree::Snapshot();
  bool found = false;
  for (const process::ProcessInfo& orphan : tree.ChildrenOf(::getpid())) {
    if (orphan.pid == program || !BelongsTo(program, orphan)) continue;
    std::vector<process::ProcessInfo> victims = tree.DescendantsOf(orphan.pid);
    victims.push_back(orphan);
    for (const process::ProcessInfo& victim : victims) {
      if (!victim.ended() && process::SignalProcess(victim, SIGKILL) == process::Signalled::kSent) found = true;
    }
    // Ended ones count, too, until they are reaped: they may have had children that come to this process then.
    if (::waitpid(orphan.pid, nullptr, WNOHANG) == 0) found = true;
  }
  return found;
}

}  // namespace

std::expected<StartedProgram, int> StartProgram(const ProgramStart& start) {
  auto output = process::MakeOutputPipe();
  auto errors = process::MakeOutputPipe();
  int ends[2];
  if (!output || !errors) return std::unexpected(output ? errors.error() : output.error());
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(errno);
  const Fd failure(ends[0]);
  Fd failure_end(ends[1]);

  std::string path = start.path;
  char* const argv[] = {path.data(), nullptr};
  const std::vector<char*> environment = Pointers(start.environment);
  const auto pid = ForkRegistered({start.executable, output->write_end.get(), errors->write_end.get(),
                                   failure_end.get(), ::getpid(), argv, environment.data()});
  if (!pid) return std::unexpected(pid.error());
  failure_end.Reset();
  if (const int error = ReadFailure(failure.get()); error != 0) {
    process::KeeperRegistry::Instance().Reap(*pid);
    return std::unexpected(error);
  }
  return StartedProgram{*pid, std::move(output->read_end), std::move(errors->read_end)};
}

void EndLeftovers(pid_t program) {
  ::kill(-program, SIGKILL);
  const Deadline give_up = SteadyClock::now() + std::chrono::seconds{2};
  // Twice nothing, since a process that was being forked may be missing in a snapshot.
  for (int quiet = 0; quiet < 2 && !Passed(give_up);) {
    quiet = KillRound(program) ? 0 : quiet + 1;
    if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

}  // namespace awf::plugins
