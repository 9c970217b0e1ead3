#include "infrastructure/plugins/plugin_executable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "infrastructure/process/script_program.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::plugins {
namespace {

std::string Cannot(const std::filesystem::path& path, int error) {
  return "cannot execute " + path.string() + ": " + std::generic_category().message(error);
}

std::string HintFor(const std::string& source, const std::string& plugin) {
  if (source == "state file") return "If the change is wanted: awf plugin verify " + plugin + " --update.";
  if (source.ends_with(".yaml")) return "If the change is wanted: correct sha256 of " + plugin + " in " + source + ".";
  return "If the change is wanted: awf plugin lock " + plugin + ".";
}

}  // namespace

std::expected<PluginExecutable, std::string> PluginExecutable::Open(const std::filesystem::path& path) {
  // Not to wait for the writer of a FIFO; files do not know the flag.
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return std::unexpected(Cannot(path, errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return std::unexpected(Cannot(path, errno));
  if (!S_ISREG(status.st_mode)) return std::unexpected(Cannot(path, S_ISDIR(status.st_mode) ? EISDIR : EACCES));
  auto sha256 = telemetry::Sha256OfDescriptor(file.get());
  if (!sha256) return std::unexpected(Cannot(path, sha256.error()));
  return PluginExecutable(std::move(file), path, std::move(*sha256));
}

std::string PluginExecutable::CannotExecute(int error) const {
  std::array<char, 256> start{};  // what the kernel itself reads of the line
  const ssize_t got = ::pread(file_.get(), start.data(), start.size(), 0);
  const std::string_view begin(start.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  const auto interpreter = process::InterpreterOf(begin);
  std::string text = Cannot(path_, error);
  if (error == ENOENT && interpreter) text += " (its interpreter " + interpreter->program + ")";
  return text;
}

std::expected<void, ChecksumMismatch> CheckChecksums(const PluginLaunch& launch, std::string_view found) {
  ChecksumMismatch mismatch;
  for (const ExpectedChecksum& expected : launch.checksums) {
    if (expected.sha256 == found) continue;
    if (mismatch.hint.empty()) mismatch.hint = HintFor(expected.source, launch.name);
    mismatch.text += expected.source + " expects " + expected.sha256 + ", ";
  }
  if (mismatch.text.empty()) return {};
  mismatch.text.append("found ").append(found);
  return std::unexpected(std::move(mismatch));
}

}  // namespace awf::plugins
