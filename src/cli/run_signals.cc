#include "cli/run_signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

#include "infrastructure/process/keeper_registry.h"
#include "infrastructure/process/process_tree.h"

namespace awf::cli {

RunSignals::RunSignals(SignalHandlers handlers) : handlers_(std::move(handlers)) {
  ::sigemptyset(&watched_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP}) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::sigaddset(&watched_, signal);
  }
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &pipe_before_);
  ::sigaction(SIGXFSZ, &ignore, &size_before_);
  ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  signals_ = Fd(::signalfd(-1, &watched_, SFD_CLOEXEC | SFD_NONBLOCK));
  stop_ = Fd(::eventfd(0, EFD_CLOEXEC));
  thread_ = std::thread([this] { Wait(); });
}

RunSignals::~RunSignals() {
  const std::uint64_t one = 1;
  while (::write(stop_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
  ::sigaction(SIGPIPE, &pipe_before_, nullptr);
  ::sigaction(SIGXFSZ, &size_before_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void RunSignals::Wait() {
  std::array<pollfd, 2> waiting{{{signals_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  for (;;) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting[1].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
      Handle(static_cast<int>(info.ssi_signo));
  }
}

void RunSignals::Handle(int signal) {
  if (signal == SIGTSTP) {
    handlers_.suspend();
    ::kill(::getpid(), SIGSTOP);
    handlers_.resume();
    return;
  }
  int none = 0;
  if (caught_.compare_exchange_strong(none, signal)) {
    handlers_.first(signal);
  } else {
    handlers_.again();
  }
}

SignalsHeld::SignalsHeld() {
  sigset_t held;
  ::sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int DieBySignal(int signal) {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::kill(::getpid(), signal);
  return 128 + signal;
}

void KillDescendants() {
  using namespace std::chrono_literals;
  const auto give_up = std::chrono::steady_clock::now() + 1s;
  process::KeeperRegistry& registry = process::KeeperRegistry::Instance();
  for (bool found = true; found && std::chrono::steady_clock::now() < give_up;) {
    found = false;
    {
      const std::lock_guard lock(registry.mutex());
      for (const process::ProcessInfo& victim : process::ProcessTree::Snapshot().DescendantsOf(::getpid())) {
        if (victim.ended() || registry.Contains(victim.pid)) continue;
        found = process::SignalProcess(victim, SIGKILL) == process::Signalled::kSent || found;
      }
    }
    if (found) std::this_thread::sleep_for(1ms);
  }
}

}  // namespace awf::cli
