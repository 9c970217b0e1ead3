// Runs a program without a shell and keeps what it says.
#pragma once

#include <expected>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

struct CommandResult {
  int exit_code = 0;  // 128 + N when signal N ended it
  std::string output, error;
};

// `argv[0]` is looked up in PATH. `input` is its stdin. A stop ends it with SIGTERM. Blocks until the program has
// ended. The error says why it could not be started.
std::expected<CommandResult, std::string> RunCommand(const std::vector<std::string>& argv, std::string_view input,
                                                     const std::stop_token& cancelled);
