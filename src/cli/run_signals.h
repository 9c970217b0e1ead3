// RunSignals: what a run does on Ctrl-C, SIGTERM, SIGHUP and Ctrl-Z.
//
// While it lives these signals are blocked in the thread that made it and in every thread started after it, and a
// thread of its own waits for them: handlers run there as ordinary code. Make it before any other thread. A signal that
// was ignored when awf started (nohup, background jobs) stays so. SIGPIPE and SIGXFSZ are ignored meanwhile: writes
// fail instead.
#pragma once

#include <signal.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "infrastructure/process/fd.h"

namespace awf::cli {

struct SignalHandlers {
  std::function<void(int)> first;         // the first of SIGINT, SIGTERM, SIGHUP: end in order
  std::function<void()> again;            // each one after it: end at once
  std::function<void()> suspend, resume;  // around a stop by Ctrl-Z
};

class RunSignals {
 public:
  explicit RunSignals(SignalHandlers handlers);
  ~RunSignals();  // as it was before
  RunSignals(const RunSignals&) = delete;
  RunSignals& operator=(const RunSignals&) = delete;

  int caught() const { return caught_; }  // the first one; 0: none

 private:
  void Wait();
  void Handle(int signal);

  const SignalHandlers handlers_;
  sigset_t watched_{}, before_{};
  struct sigaction pipe_before_{};
  struct sigaction size_before_{};
  Fd signals_, stop_;
  std::atomic<int> caught_{0};
  std::thread thread_;
};

// Keeps SIGINT, SIGTERM and SIGHUP back while it lives: for what has to be taken away again and is made before a
// RunSignals, which takes those kept back as its own. What is still there afterwards acts as ever.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

// Ends this process by that signal, so that whoever waits for it (a shell loop) sees why. Returns 128 + signal when the
// signal is one that does not end it.
int DieBySignal(int signal);

// SIGKILL to every process that descends from this one, but not to the keepers: they see their programs end, clean up
// and follow. Repeats until nothing is left, for a second at most.
void KillDescendants();

}  // namespace awf::cli
