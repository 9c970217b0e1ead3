// Errors of the files of a run: path and cause. Pure.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

#include "domain/error.h"

namespace awf::telemetry {

// SYSTEM.IO.READ_FAILED.
std::unexpected<Error> ReadFailure(const std::filesystem::path& path, const std::string& cause);
std::unexpected<Error> ReadFailure(const std::filesystem::path& path, int error_number);

// SYSTEM.IO.WRITE_FAILED.
std::unexpected<Error> WriteFailure(const std::filesystem::path& path, int error_number);
// The same of what is to be made: SYSTEM.IO.PERMISSION_DENIED where it is that.
std::unexpected<Error> MakeFailure(const std::filesystem::path& path, int error_number);

}  // namespace awf::telemetry
