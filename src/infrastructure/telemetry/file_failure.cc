#include "infrastructure/telemetry/file_failure.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace awf::telemetry {
namespace {

std::unexpected<Error> CannotWrite(std::string code, const std::filesystem::path& path, int error_number) {
  return Fail(std::move(code), "cannot write " + path.string() + ": " + std::generic_category().message(error_number));
}

}  // namespace

std::unexpected<Error> ReadFailure(const std::filesystem::path& path, const std::string& cause) {
  return Fail("SYSTEM.IO.READ_FAILED", "cannot read " + path.string() + ": " + cause);
}

std::unexpected<Error> ReadFailure(const std::filesystem::path& path, int error_number) {
  return ReadFailure(path, std::generic_category().message(error_number));
}

std::unexpected<Error> WriteFailure(const std::filesystem::path& path, int error_number) {
  return CannotWrite("SYSTEM.IO.WRITE_FAILED", path, error_number);
}

std::unexpected<Error> MakeFailure(const std::filesystem::path& path, int error_number) {
  const bool denied = error_number == EACCES || error_number == EPERM;
  return CannotWrite(denied ? "SYSTEM.IO.PERMISSION_DENIED" : "SYSTEM.IO.WRITE_FAILED", path, error_number);
}

}  // namespace awf::telemetry
