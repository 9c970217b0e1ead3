// Everything that the built-in tools of one step need to know. Travels to mcp-serve in its config file, and is used
// as it is by the in-process path.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "domain/mcp_proxy_settings.h"
#include "domain/time.h"

namespace awf {

// Limits of a result's text, notes included; the smaller cut wins (docs: tools, 1.1).
struct ResultBudget {
  std::size_t characters = 40'000;
  std::size_t bytes = 40'000;
  std::size_t error = 10'000;  // of each, for results with is_error
  std::size_t lines = 0;       // of any result; 0: no limit
};

// Where the commands of a step stand in its trace: each gets the span of its own call, whose id is the call's.
struct CommandTrace {
  std::string trace_id;  // empty: no spans are made, and commands get what the environment holds
  bool sampled = true;
  std::string trace_state;  // may be empty
};

struct ToolSettings {
  std::filesystem::path root;  // working directory; relative paths start here; absolute
  SandboxSettings sandbox;
  ResultBudget budget;
  EnvironmentPolicy env;
  std::vector<std::string> secret_names;  // environment names that hold this step's model keys; dropped for commands
  std::vector<std::string> environment;   // NAME=value, for commands, before dropping
  std::filesystem::path private_folder;   // refused to the file tools in every mode but off; may be empty
  long long max_timeout_ms = 600'000;     // ceiling of Bash's timeout where no deadline of a step rules
  Deadline deadline;                      // of the step
  CommandTrace trace;
};

}  // namespace awf
