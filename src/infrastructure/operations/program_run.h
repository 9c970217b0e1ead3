// RunProgram: runs a small program of the user's (gh, git, notify-send) for an operation and takes what it prints.
//
// argv, never a shell; under a keeper of its own, so that nothing of it is left, however awf ends. stdin is /dev/null.
// The environment is made of the few variables that such programs need; entries of PATH that are not absolute are left
// out, since they would lead into the workspace. Thread-safe; blocks. The program that calls it must know the command
// `keeper` (process/keeper.h).
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time.h"

namespace awf::operations {

using Variables = std::function<std::optional<std::string>(std::string_view)>;

// NAME=value of those that are set: PATH, HOME and the like, and `more`.
std::vector<std::string> ProgramEnvironment(const Variables& variables,
                                            std::initializer_list<std::string_view> more = {});

struct ProgramRequest {
  std::vector<std::string> argv;  // argv[0] is a name on the PATH of the environment
  std::vector<std::string> environment;
  std::filesystem::path working_dir;
  std::chrono::milliseconds patience;
  Deadline deadline;  // of the call
  std::stop_token cancelled;
};

struct ProgramEnd {
  enum class Kind {
    kExited,      // exit_code, output, errors
    kMissing,     // no such program on the PATH
    kNotStarted,  // `errors` says why
    kTooSlow,     // for `patience`
    kOutOfTime,   // the deadline
    kCancelled,
  };
  Kind kind = Kind::kNotStarted;
  int exit_code = 0;
  std::string output, errors;  // at most 64 KiB each; valid UTF-8
};

ProgramEnd RunProgram(const ProgramRequest& request);

}  // namespace awf::operations
