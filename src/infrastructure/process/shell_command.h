// A shell command as a program to start.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/process/fd.h"

namespace awf::process {

struct ShellCommand {
  std::vector<std::string> argv;
  Fd script;  // stdin for the shell when valid, else /dev/null
};

// `shell -c command`. A command that is too long for one argument (128 KiB) is put into memory that the shell reads as
// its stdin and turns back into /dev/null before the first line. The error is an errno.
std::expected<ShellCommand, int> MakeShellCommand(std::string shell, std::string_view command);

}  // namespace awf::process
