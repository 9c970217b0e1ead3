// Command steps (`type: step`): the port behind which a shell command runs.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "domain/run_observer.h"
#include "domain/time.h"
#include "domain/workflow.h"

namespace awf {

// One attempt of one command step, rendered.
struct CommandRequest {
  StepContext step;
  std::string command;                 // for SHELL -c; or
  std::string script;                  // the text of a script_file; one of the two is empty
  std::size_t max_output = 10U << 20;  // bytes kept of each stream, as head and tail halves
  CaptureEncoding encoding = CaptureEncoding::kUtf8;
  std::filesystem::path working_dir;                         // absolute, exists
  std::vector<std::pair<std::string, std::string>> set_env;  // beside awf's own environment
  Deadline deadline;
  std::stop_token cancelled;
};

// Runs one attempt: stdout → output (one trailing line feed removed unless it is base64), stderr → error_output; exit
// code other than 0 is EXECUTION.COMMAND.FAILED. A script that begins with #! runs through its interpreter, from a
// private 0700 file. Thread-safe; blocks until no process of the command is left.
class CommandExecutor {
 public:
  virtual ~CommandExecutor() = default;
  virtual StepResult Run(const CommandRequest& request, RunObserver& observer) = 0;
};

}  // namespace awf
