// The descriptors 0, 1 and 2 of the program.
#pragma once

namespace awf::cli {

// Opens those that are closed as /dev/null. Without it the next file that is opened would get the number, and what is
// meant for the user would be written into it: a log, the audit. Call it first in main. False: one stays closed.
bool OpenStandardStreams();

}  // namespace awf::cli
