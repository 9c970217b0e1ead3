// PluginProcess: a running plugin as a process: its first line, what it prints, its end.
//
// A ProcessLoop starts it, drains its pipes for its whole life and sees its end; any thread may wait for what comes.
// Once the process has ended, what it left behind is killed before the end is told, and all that it printed has been
// handed on. Thread-safe. Outlives the loop as an ended one.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time.h"
#include "infrastructure/plugins/plugin_program.h"
#include "infrastructure/process/keeper.h"

namespace awf::plugins {

// What came of waiting for the first line of stdout.
struct FirstLine {
  enum class Kind {
    kComplete,
    kTooLong,  // more than kLongestHandshake bytes without a line feed; `text` is their start
    kClosed,   // stdout ended without a line
    kExited,   // the process did
    kTimeout,
    kCancelled,
  };
  Kind kind = Kind::kTimeout;
  std::string text;
};

class PluginProcess {
 public:
  // Gets what is printed after the first line of stdout, on the loop's thread. Must not throw.
  using OnOutput = std::function<void(bool is_stderr, std::string_view bytes)>;
  using OnEnd = std::function<void(const process::ExitStatus&)>;

  PluginProcess(StartedProgram program, OnOutput on_output);

  pid_t pid() const { return pid_; }

  FirstLine AwaitFirstLine(const Deadline& deadline, const std::stop_token& cancelled) const;
  // How it ended; nothing while it lives.
  std::optional<process::ExitStatus> AwaitEnd(const Deadline& deadline) const;
  std::optional<process::ExitStatus> end() const;

  // Called once, before anybody who waits sees the end; at once when it has ended. On the loop's thread or this one.
  void WhenEnded(OnEnd on_end);

  // To its whole group, as long as it has not ended.
  void SignalGroup(int signal) const;

 private:
  friend class ProcessLoop;

  // The loop's side.
  void TakeOutput();
  void TakeErrors();
  void FirstLineBytes(std::string_view bytes);
  bool HasEnded();  // looks; the process is reaped and everything told when true
  void Finish(const process::ExitStatus& status);

  const pid_t pid_;
  Fd output_, errors_, handle_;  // of the loop; handle_: a pidfd, invalid where the kernel has none
  OnOutput on_output_;           // of the loop

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::string first_line_;  // while incomplete: what is there
  bool line_complete_ = false, line_too_long_ = false, output_closed_ = false;
  std::optional<process::ExitStatus> ending_, end_;  // ending_: reaped; end_: everybody was told
  std::vector<OnEnd> on_end_;
};

}  // namespace awf::plugins
