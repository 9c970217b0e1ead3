// The start of a keeper process: gives up everything that it inherited but its socket, then loops.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "infrastructure/process/fd.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/process/keeper_loop.h"

extern char** environ;

namespace awf::process {
namespace {

constexpr int kNotAKeeperSocket = 1;

bool IsOwnersSocket(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_SEQPACKET;
}

// Only the socket and stderr stay; stdin and stdout would keep a protocol or a pipeline open that is not ours.
int KeepOnly(int socket) {
  const int moved = ::fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) return -1;
  if (const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
  }
  if (::fcntl(STDERR_FILENO, F_GETFD) < 0) ::dup2(STDOUT_FILENO, STDERR_FILENO);
  constexpr int kSocket = STDERR_FILENO + 1;
  if (moved != kSocket) ::dup3(moved, kSocket, O_CLOEXEC);
  ::closefrom(kSocket + 1);
  return kSocket;
}

// A keeper needs no environment: requests bring it along. What lies in memory could be read through /proc by root.
void WipeEnvironment() {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    ::explicit_bzero(*variable, std::strlen(*variable));
    *variable = nullptr;
  }
}

// Everything that can be sent to it is blocked: a keeper ends when its owner does, or by SIGKILL. Faults of its own
// still end it.
Fd BlockSignals() {
  sigset_t blocked;
  ::sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) ::sigdelset(&blocked, fault);
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
  ::signal(SIGCHLD, SIG_DFL);  // ignored it would take the exit codes away
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  return Fd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

int KeeperMain(int socket_fd) {
  if (!IsOwnersSocket(socket_fd)) return kNotAKeeperSocket;
  ::setsid();  // fails when Spawn has done it already
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int socket = KeepOnly(socket_fd);
  Fd signals = BlockSignals();
  WipeEnvironment();
  if (socket < 0 || !signals || ::chdir("/") != 0) return kNotAKeeperSocket;
  KeeperLoop(Fd(socket), std::move(signals)).Run();
  return 0;
}

}  // namespace awf::process
