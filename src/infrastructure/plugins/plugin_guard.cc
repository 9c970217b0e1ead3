#include "infrastructure/plugins/plugin_guard.h"

#include <poll.h>

#include <chrono>
#include <optional>
#include <utility>

#include "domain/time.h"
#include "infrastructure/process/private_folder.h"

namespace awf::plugins {
namespace {

constexpr std::chrono::seconds kPatience{30};  // a machine under load

// The keeper's first word; nothing when it has died or says none.
std::optional<process::KeeperEvent> AwaitFolder(process::Keeper& keeper) {
  const Deadline deadline = SteadyClock::now() + kPatience;
  while (!Passed(deadline)) {
    if (auto event = keeper.Next()) {
      if (event->kind != process::KeeperEvent::Kind::kFolderReady) return std::nullopt;
      return event;
    }
    pollfd watched{keeper.fd(), POLLIN, 0};
    ::poll(&watched, 1, RemainingMs(deadline));
  }
  return std::nullopt;
}

}  // namespace

std::expected<PluginGuard, Error> PluginGuard::Start(const std::filesystem::path& parent) {
  auto keeper = process::Keeper::Spawn();
  if (!keeper) return std::unexpected(std::move(keeper.error()));
  std::filesystem::path folder = process::NewStepFolderIn(parent);
  (*keeper)->GuardOwner();
  (*keeper)->OwnFolder(folder);
  const auto ready = AwaitFolder(**keeper);
  if (!ready) return Fail("EXECUTION.COMMAND.SPAWN_FAILED", "the keeper process of the plugins does not answer");
  if (ready->failure.error_number != 0) folder.clear();
  return PluginGuard(std::move(*keeper), std::move(folder));
}

}  // namespace awf::plugins
