// A scratch world for tests of the whole program: folders of its own, an environment of its own, and the process tree
// of one `awf run`. The test process is a subreaper, so that whatever escapes from the run becomes its child and is
// seen.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/test_folder.h"

namespace awf::e2e {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';
  std::vector<std::string> words;  // argv
};

// All processes below `ancestor`, by the parents that the kernel names now. Zombies are left out.
std::vector<ProcessInfo> Descendants(pid_t ancestor);

// One folder tree below /var/tmp, removed at the end.
class World {
 public:
  World();

  const std::filesystem::path& base() const { return base_; }
  std::filesystem::path Path(const std::string& name) const { return base_ / name; }
  void Write(const std::string& name, const std::string& contents, bool executable = false) const;
  std::string Read(const std::string& name) const;

  // Environment of the run; PATH begins with the world's bin folder.
  std::map<std::string, std::string>& environment() { return environment_; }

  // Starts `awf ARGUMENTS` in the workspace. stdout and stderr go to files of these names.
  pid_t StartAwf(const std::vector<std::string>& arguments);

  // Exit code of `sh -c COMMAND` in the workspace, with nothing but that environment; -1: it ended by a signal. stdout
  // and stderr go to files of these names.
  int Shell(const std::string& command) const;

  // Puts awf and, under the name of claude, the fake into the bin folder.
  void PutPrograms() const;

  // The folder of the newest run, or empty.
  std::filesystem::path RunFolder() const;
  // Names of the private step folders that are left.
  std::vector<std::string> PrivateFolders() const;

 private:
  const TestFolder base_{"/var/tmp"};  // where sockets and programs work
  std::map<std::string, std::string> environment_;
};

// Reaps children of this process until none is left. Returns how long it took, or nothing after `bound`; then the
// processes that are left are killed, and told in `left`.
std::optional<std::chrono::milliseconds> WaitUntilNoChildIsLeft(std::chrono::milliseconds bound, std::string* left,
                                                                std::map<pid_t, int>* statuses);

// Polls until `condition` holds; false after `bound`.
template <typename Condition>
bool WaitFor(std::chrono::milliseconds bound, Condition condition);

void SleepMs(int milliseconds);

// How many random moments a process is killed at: AWF_KILL_ROUNDS, or 20. Under a sanitizer 2, as its awf takes a
// hundred times as long to start; `make test-kill` has the other moments.
int KillRounds();

template <typename Condition>
bool WaitFor(std::chrono::milliseconds bound, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + bound;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    SleepMs(5);
  }
  return true;
}

}  // namespace awf::e2e
