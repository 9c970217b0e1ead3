#include "infrastructure/process/shell_command.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace awf::process {
namespace {

constexpr std::size_t kLongestArgument = 100UL * 1024;
// On the same line as the command's first, so that line numbers in messages stay right.
constexpr std::string_view kGiveUpStdin = "exec </dev/null; ";

}  // namespace

std::expected<ShellCommand, int> MakeShellCommand(std::string shell, std::string_view command) {
  if (command.size() <= kLongestArgument) return ShellCommand{{std::move(shell), "-c", std::string(command)}, Fd()};
  Fd script(::memfd_create("awf-command", MFD_CLOEXEC));
  if (!script) return std::unexpected(errno);
  if (const int error = WriteAll(script.get(), kGiveUpStdin); error != 0) return std::unexpected(error);
  if (const int error = WriteAll(script.get(), command); error != 0) return std::unexpected(error);
  // The shell opens it anew, so the offset does not matter.
  return ShellCommand{{std::move(shell), "-c", ". /dev/stdin"}, std::move(script)};
}

}  // namespace awf::process
