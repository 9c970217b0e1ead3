#include "cli/run_signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>

namespace awf::cli {
namespace {

int ExitOf(const std::function<int()>& child) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(child());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(RunSignals, TheFirstEndsInOrderTheSecondAtOnce) {
  EXPECT_EQ(ExitOf([] {
              std::promise<int> first;
              std::promise<void> again;
              RunSignals signals(
                  {[&](int signal) { first.set_value(signal); }, [&] { again.set_value(); }, nullptr, nullptr});
              if (signals.caught() != 0) return 1;
              ::kill(::getpid(), SIGTERM);
              if (first.get_future().get() != SIGTERM) return 2;
              if (signals.caught() != SIGTERM) return 3;
              ::kill(::getpid(), SIGINT);
              again.get_future().get();
              return signals.caught() == SIGTERM ? 7 : 4;
            }),
            7);
}

TEST(RunSignals, AreAsBeforeAfterwards) {
  EXPECT_EQ(ExitOf([] {
              ::signal(SIGPIPE, SIG_DFL);
              {
                const RunSignals signals({});
              }
              if (::signal(SIGPIPE, SIG_DFL) != SIG_DFL) return 1;
              sigset_t mask;
              ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
              if (::sigismember(&mask, SIGINT) == 1) return 2;
              return DieBySignal(SIGHUP);
            }),
            128 + SIGHUP);
}

TEST(RunSignals, TakeWhatWasHeldBefore) {
  EXPECT_EQ(ExitOf([] {
              std::promise<int> first;
              const SignalsHeld held;
              ::kill(::getpid(), SIGINT);
              const RunSignals signals({[&](int signal) { first.set_value(signal); }, [] {}, nullptr, nullptr});
              return first.get_future().get() == SIGINT ? 7 : 1;
            }),
            7);
  EXPECT_EQ(ExitOf([] {
              {
                const SignalsHeld held;
                ::kill(::getpid(), SIGTERM);
              }
              return 1;
            }),
            128 + SIGTERM);
}

TEST(RunSignals, WhatWasIgnoredStaysIgnored) {
  EXPECT_EQ(ExitOf([] {
              ::signal(SIGHUP, SIG_IGN);
              std::promise<int> first;
              RunSignals signals({[&](int signal) { first.set_value(signal); }, [] {}, nullptr, nullptr});
              ::kill(::getpid(), SIGHUP);
              ::kill(::getpid(), SIGTERM);
              return first.get_future().get() == SIGTERM ? 7 : 1;
            }),
            7);
}

TEST(RunSignals, AStopGivesTheTerminalBackFirst) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::atomic<int> state{0};
    std::promise<void> resumed;
    RunSignals signals({[](int) {}, [] {}, [&] { state = 1; },
                        [&] {
                          state = state == 1 ? 2 : 3;
                          resumed.set_value();
                        }});
    ::kill(::getpid(), SIGTSTP);
    resumed.get_future().get();
    ::_exit(state == 2 ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
  ASSERT_TRUE(WIFSTOPPED(status));
  ::kill(pid, SIGCONT);
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(KillDescendants, ReachesGrandchildren) {
  EXPECT_EQ(ExitOf([] {
              int ready[2];
              if (::pipe(ready) != 0) return 1;
              const pid_t child = ::fork();
              if (child == 0) {
                if (::fork() == 0) ::setsid();
                // The write end stays open: that is how the end of both is seen.
                for (bool told = ::write(ready[1], "x", 1) == 1; told;) ::pause();
                ::_exit(1);
              }
              char two[1];
              for (int i = 0; i < 2; ++i)
                if (::read(ready[0], two, 1) != 1) return 2;
              ::close(ready[1]);
              KillDescendants();
              // Both ends of the pipe are closed once nobody is left.
              if (::read(ready[0], two, 1) != 0) return 3;
              int status = 0;
              if (::waitpid(child, &status, 0) != child) return 4;
              return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 7 : 5;
            }),
            7);
}

}  // namespace
}  // namespace awf::cli
