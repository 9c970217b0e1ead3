// Programs that a case starts: shell scripts and the server. As root they run as an ordinary user, since root hides
// permission faults.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "case_file.h"

namespace awf::cases {

inline constexpr uid_t kOrdinaryUser = 65534;

struct Program {
  std::vector<std::string> argv;  // argv[0] is a path
  std::map<std::string, std::string> environment;
  std::filesystem::path working_dir;
  int stdin_fd = -1, stdout_fd = -1, stderr_fd = -1;  // -1: /dev/null
  std::optional<unsigned> umask;
  std::optional<std::size_t> max_file, max_memory;  // bytes
};

// The contents, as far as they can be read.
std::string ReadAll(const std::filesystem::path& path);

// The pid, or -1.
pid_t Start(const Program& program);

// Runs `bash -c SCRIPT` in the case's root; what it prints goes to `output`. The exit code, 128 + signal, or -1 when it
// took longer than a minute.
int RunShell(const std::string& script, const Folders& folders, std::string& output);

// PATH, HOME, TMPDIR, LANG and nothing else.
std::map<std::string, std::string> PlainEnvironment(const Folders& folders);

// Makes the folder belong to the ordinary user, when this is root.
void HandOver(const std::filesystem::path& folder);

// Living processes that the server left behind: children of this process, and those with `mark` (NAME=value) in their
// environment. What a script of the case left in the background does not count.
std::vector<pid_t> LeftBehind(const std::string& mark);
// Children of `parent`, zombies included.
std::vector<pid_t> ChildrenOf(pid_t parent);
// Kills everything that this process's cases started.
void KillAll();

}  // namespace awf::cases
