#include "cli/hidden_typing.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace awf::cli {
namespace {

constexpr std::array<int, 5> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};

// What the handlers need. Set before they are installed.
struct Typing {
  int terminal = -1;
  termios shown{}, hidden{};
  std::array<struct sigaction, kSignals.size()> before{};
};
Typing typing;

void Stop(const struct sigaction& usual) {
  struct sigaction ours{};
  ::sigaction(SIGTSTP, &usual, &ours);
  sigset_t stop, blocked;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  ::raise(SIGTSTP);
  ::pthread_sigmask(SIG_UNBLOCK, &stop, &blocked);  // stops here, and goes on after SIGCONT
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  ::sigaction(SIGTSTP, &ours, nullptr);
  ::tcsetattr(typing.terminal, TCSANOW, &typing.hidden);
}

void OnSignal(int signal) {
  const int error = errno;
  ::tcsetattr(typing.terminal, TCSANOW, &typing.shown);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] != signal) continue;
    if (signal == SIGTSTP) {
      Stop(typing.before[i]);
    } else {
      ::sigaction(signal, &typing.before[i], nullptr);
      ::raise(signal);  // comes when this handler returns
    }
  }
  errno = error;
}

}  // namespace

HiddenTyping::HiddenTyping(int terminal) {
  if (::tcgetattr(terminal, &typing.shown) != 0) return;
  typing.terminal = terminal;
  typing.hidden = typing.shown;
  typing.hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  typing.hidden.c_lflag |= ECHONL;
  struct sigaction action{};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  ::sigfillset(&action.sa_mask);  // SIGTTOU too: a process in the background may set the terminal then
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &typing.before[i]);
    if (typing.before[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
  ::tcsetattr(terminal, TCSANOW, &typing.hidden);
  active_ = true;
}

HiddenTyping::~HiddenTyping() {
  if (!active_) return;
  ::tcsetattr(typing.terminal, TCSANOW, &typing.shown);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &typing.before[i], nullptr);
}

}  // namespace awf::cli
