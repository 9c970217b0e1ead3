// CommandChild: the process that runs all Bash commands of one server, and the thread that talks to it.
//
// Owns a Keeper: forked at the start of the process while it has one thread (Fork), else executed when the first
// command comes. Commands of several threads run at once; one dispatcher thread moves the output of all, for ever,
// since a background process must neither wait for a reader nor be killed by a closed pipe. When the keeper gets
// killed, its running commands end as lost, what they left is killed, and the next command gets a new keeper. Makes
// this process a subreaper. Thread-safe; destroy it when no Run is under way.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "domain/error.h"
#include "domain/time.h"
#include "infrastructure/process/keeper.h"

namespace awf::builtins {

struct CommandChildOptions {
  bool restrict_programs = true;  // no_new_privs, no core files
  std::filesystem::path program = "/proc/self/exe";
};

// How a command ended.
struct CommandEnd {
  enum class Kind { kExited, kTimedOut, kCancelled, kLost, kNotStarted };
  Kind kind = Kind::kLost;
  process::ExitStatus status;     // kExited
  process::SpawnFailure failure;  // kNotStarted
};

class CommandChild {
 public:
  // Gets what the command prints, on the dispatcher's thread, never after Run has returned.
  using OnOutput = std::function<void(bool is_stderr, std::string_view bytes)>;

  explicit CommandChild(CommandChildOptions options);
  // The same with a keeper that is forked now; the process must have one thread.
  static std::expected<std::shared_ptr<CommandChild>, Error> Fork(CommandChildOptions options);
  CommandChild(const CommandChild&) = delete;
  CommandChild& operator=(const CommandChild&) = delete;
  ~CommandChild();

  // Runs a program to the end of its leader, and a moment longer for output on its way. At the deadline and on
  // cancellation the whole tree gets SIGTERM, after 5 s SIGKILL; returns when it is gone. The descriptors for stdout
  // and stderr of the request are ours to set.
  CommandEnd Run(process::SpawnRequest request, const Deadline& deadline, const std::stop_token& cancelled,
                 const OnOutput& on_output);

  // For the end of the server. SIGTERM to everything below the keeper; running commands end as cancelled, later ones
  // too. Does not wait.
  void CancelAll();
  // The same with SIGKILL.
  void KillAll();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace awf::builtins
