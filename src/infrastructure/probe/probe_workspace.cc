#include "infrastructure/probe/probe_workspace.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "domain/random_id.h"
#include "domain/time.h"
#include "infrastructure/process/fd.h"

namespace awf::probe {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kKeeperPatience{10'000};

std::unexpected<Error> CannotMake(const fs::path& path, int error) {
  return Fail("SYSTEM.IO.WRITE_FAILED", "cannot make " + path.string() + ": " + std::strerror(error));
}

// 0 or errno.
int WaitForFolder(process::Keeper& keeper) {
  const Deadline until = SteadyClock::now() + kKeeperPatience;
  while (!Passed(until)) {
    while (const auto event = keeper.Next()) {
      using Kind = process::KeeperEvent::Kind;
      if (event->kind == Kind::kGone) return ECHILD;
      if (event->kind == Kind::kFolderReady) return event->failure.error_number;
    }
    pollfd fd{keeper.fd(), POLLIN, 0};
    ::poll(&fd, 1, RemainingMs(until));
  }
  return ETIMEDOUT;
}

}  // namespace

ProbeWorkspace::ProbeWorkspace(std::unique_ptr<process::Keeper> keeper, fs::path folder)
    : keeper_(std::move(keeper)),
      folder_(std::move(folder)),
      secret_(RandomHex(16)),
      text_("awf probe " + secret_ + "\n") {}

std::expected<std::unique_ptr<ProbeWorkspace>, Error> ProbeWorkspace::Make(const fs::path& keeper_program,
                                                                           const fs::path& parent) {
  auto keeper = process::Keeper::Spawn(keeper_program);
  if (!keeper) return std::unexpected(keeper.error());
  const fs::path folder = parent / ("awf-probe-" + RandomHex(8));
  (*keeper)->OwnFolder(folder);
  if (const int error = WaitForFolder(**keeper)) return CannotMake(folder, error);
  std::unique_ptr<ProbeWorkspace> workspace(new ProbeWorkspace(std::move(*keeper), folder));
  if (::mkdir(workspace->path().c_str(), 0700) != 0) return CannotMake(workspace->path(), errno);
  const Fd fd(::open(workspace->file().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return CannotMake(workspace->file(), errno);
  if (const int error = WriteAll(fd.get(), workspace->text_)) return CannotMake(workspace->file(), error);
  return workspace;
}

std::vector<std::string> ProbeWorkspace::Changed() const {
  std::vector<std::string> changed;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path(), error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path() != file() && entry->path() != mark()) {
      changed.push_back(entry->path().lexically_relative(path()).string());
    }
  }
  std::ifstream in(file(), std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (text.view() != text_) changed.push_back(file().filename().string());
  std::ranges::sort(changed);
  return changed;
}

}  // namespace awf::probe
