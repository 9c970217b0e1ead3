#include "infrastructure/agents/conversation_folders.h"

#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include "domain/time.h"

namespace awf::agents {
namespace {

using Kind = process::KeeperEvent::Kind;

constexpr std::chrono::milliseconds kPatience{10'000};

std::unexpected<Error> CannotMake(const std::filesystem::path& folder, int error) {
  return Fail("SYSTEM.IO.WRITE_FAILED",
              "cannot make the private folder " + folder.string() + ": " + std::strerror(error));
}

}  // namespace

std::expected<void, Error> MakeKeptFolder(process::Keeper& keeper, const std::filesystem::path& folder) {
  keeper.OwnFolder(folder);
  const Deadline until = SteadyClock::now() + kPatience;
  while (!Passed(until)) {
    while (const auto event = keeper.Next()) {
      if (event->kind == Kind::kGone) return Fail("EXECUTION.AGENT.FAILED", "the keeper process of the step died");
      if (event->kind != Kind::kFolderReady) continue;
      if (event->failure.error_number != 0) return CannotMake(folder, event->failure.error_number);
      return {};
    }
    pollfd fd{keeper.fd(), POLLIN, 0};
    ::poll(&fd, 1, RemainingMs(until));
  }
  return Fail("SYSTEM.INTERNAL.UNMAPPED", "the keeper process of the step does not answer");
}

std::expected<std::filesystem::path, Error> ConversationFolders::Folder(const std::string& conversation) {
  const std::lock_guard lock(mutex_);
  if (const auto found = folders_.find(conversation); found != folders_.end()) return found->second;
  if (base_.empty()) {
    if (auto started = Start(); !started) return std::unexpected(started.error());
  }
  // Numbers, as paths must stay short.
  std::filesystem::path folder = base_ / std::to_string(folders_.size() + 1);
  if (::mkdir(folder.c_str(), S_IRWXU) != 0) return CannotMake(folder, errno);
  folders_[conversation] = folder;
  return folder;
}

std::expected<void, Error> ConversationFolders::Start() {
  auto keeper = process::Keeper::Spawn(program_);
  if (!keeper) return std::unexpected(keeper.error());
  const std::filesystem::path base = place_.NewStepFolder();
  if (auto made = MakeKeptFolder(**keeper, base); !made) return made;
  keeper_ = std::move(*keeper);
  base_ = base;
  return {};
}

std::string ConversationFolders::MarkOf(const std::filesystem::path& folder) {
  std::error_code fault;
  if (folder.empty() || std::filesystem::is_empty(folder, fault) || fault) return {};
  return (folder.parent_path().filename() / folder.filename()).string();
}

}  // namespace awf::agents
