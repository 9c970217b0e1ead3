// A script that names its interpreter (#!) as a program to start.
//
// The script is written into a private file and the interpreter is started with its path, as the kernel does it for an
// executable script. The kernel is not asked: its refusals do not say that it is the interpreter that is missing, the
// folder may be on a file system without executables, and a file that was being written while another thread forked is
// busy (ETXTBSY).
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/process/private_folder.h"

namespace awf::process {

struct Interpreter {
  std::string program;
  std::string argument;  // all that follows, as one; may be empty
};

// From the first line; nothing when that is no #! line or names nobody.
std::optional<Interpreter> InterpreterOf(std::string_view script);

// The program that runs the script, which lies in a new 0700 file in a private folder. The folder is made and owned by
// the keeper, so it goes with it. SYSTEM.IO.* when it cannot be made, EXECUTION.COMMAND.FAILED when the keeper died.
std::expected<std::vector<std::string>, Error> PlaceScript(Keeper& keeper, const PrivateFolder& place,
                                                           const Interpreter& interpreter, std::string_view script);

}  // namespace awf::process
