#include "infrastructure/process/script_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <system_error>

#include "domain/time.h"
#include "domain/trimmed.h"
#include "infrastructure/process/fd.h"

namespace awf::process {
namespace {

constexpr std::chrono::seconds kKeeperPatience{10};
constexpr std::string_view kBlanks = " \t";

std::unexpected<Error> CannotMake(const std::filesystem::path& path, int error) {
  return Fail("SYSTEM.IO.WRITE_FAILED", "cannot make " + path.string() + ": " + std::generic_category().message(error));
}

std::expected<void, Error> AwaitFolder(Keeper& keeper, const std::filesystem::path& folder) {
  const Deadline until = SteadyClock::now() + kKeeperPatience;
  while (!Passed(until)) {
    while (const auto event = keeper.Next()) {
      if (event->kind == KeeperEvent::Kind::kGone) {
        return Fail("EXECUTION.COMMAND.FAILED", "the process that was to run the command was killed");
      }
      if (event->kind != KeeperEvent::Kind::kFolderReady) continue;
      if (event->failure.error_number != 0) return CannotMake(folder, event->failure.error_number);
      return {};
    }
    pollfd watched{keeper.fd(), POLLIN, 0};
    ::poll(&watched, 1, RemainingMs(until));
  }
  return Fail("SYSTEM.INTERNAL.UNMAPPED", "the keeper process of the command does not answer");
}

}  // namespace

std::optional<Interpreter> InterpreterOf(std::string_view script) {
  if (!script.starts_with("#!")) return std::nullopt;
  const std::string_view line = Trimmed(script.substr(2, script.find('\n') - 2), kBlanks);
  const std::size_t end = line.find_first_of(kBlanks);
  if (line.empty()) return std::nullopt;
  Interpreter interpreter{std::string(line.substr(0, end)), {}};
  if (end != std::string_view::npos) interpreter.argument = Trimmed(line.substr(end), kBlanks);
  return interpreter;
}

std::expected<std::vector<std::string>, Error> PlaceScript(Keeper& keeper, const PrivateFolder& place,
                                                           const Interpreter& interpreter, std::string_view script) {
  const std::filesystem::path folder = place.NewStepFolder();
  keeper.OwnFolder(folder);
  if (auto made = AwaitFolder(keeper, folder); !made) return std::unexpected(made.error());
  const std::filesystem::path path = folder / "script";
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRWXU));
  if (!file || ::fchmod(file.get(), S_IRWXU) != 0) return CannotMake(path, errno);
  if (const int error = WriteAll(file.get(), script); error != 0) return CannotMake(path, error);
  std::vector<std::string> argv = {interpreter.program};
  if (!interpreter.argument.empty()) argv.push_back(interpreter.argument);
  argv.push_back(path);
  return argv;
}

}  // namespace awf::process
