// Signals as a new program should find them, for children between fork and exec. Async-signal-safe.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>

namespace awf::process {

// The system call itself, as glibc's signal() refuses two numbers that it keeps for its threads, and its posix_spawn
// leaves just these two ignored in the program. Zeros are SIG_DFL without flags. Refused for SIGKILL, SIGSTOP: right
// so.
inline void ResetSignals() {
  constexpr std::size_t kSetSize = 8;
  const std::array<unsigned long, 8> defaults{};
  for (int signal = 1; signal < NSIG; ++signal) {
    ::syscall(SYS_rt_sigaction, signal, defaults.data(), nullptr, kSetSize);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace awf::process
