// What a command prints on stdout as its result, with the certainty that it arrived.
#pragma once

#include <string_view>

#include "cli/commands.h"

namespace awf::cli {

// Writes all of the text to stdout and returns `exit_code`. When that fails (a full disk), SYSTEM.IO.WRITE_FAILED is
// told on stderr and its exit code returned, unless `exit_code` tells of a failure already. A reader who has gone away
// (EPIPE) is no failure: nobody is missing anything.
int PrintResult(std::string_view text, const GlobalOptions& global, int exit_code = 0);

// Reports that stdout could not be written, and returns the exit code as above.
int ReportLostOutput(int error_number, const GlobalOptions& global, int exit_code);

}  // namespace awf::cli
