// How the end of a program is told.
#pragma once

#include <string>
#include <string_view>

#include "infrastructure/process/keeper.h"

namespace awf::process {

// "SIGKILL"; "signal 40" for one without a name.
std::string SignalName(int signal);

// "command exited with code 2: LINE", "command was ended by SIGKILL (code 137): LINE"; the line is the last of stderr,
// else of stdout, that holds more than blanks, cut to 200 characters; without any the colon is left out.
std::string DescribeExit(const ExitStatus& status, std::string_view error_output, std::string_view output);

// What codes that shells give a meaning (126, 127, 130, 137) may mean; "" for others.
std::string ExitHint(const ExitStatus& status);

}  // namespace awf::process
