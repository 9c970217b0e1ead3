// What the tests of this folder share: finding the processes of one's own, waiting, events of a keeper.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "domain/random_id.h"
#include "domain/test_folder.h"
#include "domain/time.h"
#include "infrastructure/process/keeper.h"

namespace awf::process {

// A hang ends a test after this; nothing is expected to take so long.
inline constexpr std::chrono::seconds kHang{30};

inline bool Eventually(const std::function<bool()>& condition) {
  const Deadline deadline = SteadyClock::now() + kHang;
  while (!condition()) {
    if (Passed(deadline)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

// A number of seconds that no other test sleeps for; it marks processes by argument and by environment.
inline std::string UniqueSleep() {
  std::string digits = "300.";
  for (const char c : RandomHex(8)) digits.push_back(static_cast<char>('0' + c % 10));
  return digits;
}

// Living processes (no zombies) that carry the mark in their command line or environment.
inline std::vector<pid_t> MarkedProcesses(const std::string& mark) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name[0] < '1' || name[0] > '9' || std::stoi(name) == ::getpid()) continue;
    const bool marked = FileText(entry.path() / "cmdline").find(mark) != std::string::npos ||
                        FileText(entry.path() / "environ").find(mark) != std::string::npos;
    if (marked) found.push_back(std::stoi(name));
  }
  return found;
}

inline bool IsAlive(pid_t pid) {
  const std::string status = FileText("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = status.rfind(") ");
  return name_end != std::string::npos && status[name_end + 2] != 'Z' && status[name_end + 2] != 'X';
}

// The events of a keeper, awaited in any order.
class Events {
 public:
  explicit Events(Keeper& keeper) : keeper_(keeper) {}

  // Takes the first event of that kind and job. Fails the test when the keeper dies or nothing comes.
  KeeperEvent Await(KeeperEvent::Kind kind, std::uint32_t job = 0) {
    const Deadline deadline = SteadyClock::now() + kHang;
    for (;;) {
      while (const auto event = keeper_.Next()) seen_.push_back(*event);
      const auto found = std::find_if(seen_.begin(), seen_.end(),
                                      [&](const KeeperEvent& e) { return e.kind == kind && e.job == job; });
      if (found != seen_.end()) {
        const KeeperEvent event = *found;
        seen_.erase(found);
        return event;
      }
      const bool gone = !seen_.empty() && seen_.back().kind == KeeperEvent::Kind::kGone;
      if (gone || Passed(deadline)) break;
      pollfd watched{keeper_.fd(), POLLIN, 0};
      ::poll(&watched, 1, 100);
    }
    ADD_FAILURE() << "no event of kind " << static_cast<int>(kind) << " for job " << job;
    return {};
  }

 private:
  Keeper& keeper_;
  std::vector<KeeperEvent> seen_;
};

inline std::vector<std::string> PlainEnvironment() { return {"PATH=/usr/local/bin:/usr/bin:/bin"}; }

inline SpawnRequest Shell(std::string command, std::vector<std::string> environment = PlainEnvironment()) {
  SpawnRequest request;
  request.argv = {"/bin/sh", "-c", std::move(command)};
  request.environment = std::move(environment);
  request.working_dir = "/";
  request.new_session = true;
  return request;
}

// Every test: children of its own only, none left behind.
class ProcessTest : public ::testing::Test {
 protected:
  ProcessTest() { BecomeSubreaper(); }
  void TearDown() override { EXPECT_EQ(KillStrayChildren(), 0) << "the test left children behind"; }
};

}  // namespace awf::process
