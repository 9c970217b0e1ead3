// PluginGuard: what outlives awf when awf is killed, to end what its plugins have started and to delete their sockets.
//
// Plugins die with awf (PDEATHSIG), but not their children. A keeper beside them (process/keeper.h) sees awf's death,
// kills all that wears a job mark of awf, and deletes the folder in which the folders of sockets lie. Used by one
// thread at a time.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>

#include "domain/error.h"
#include "infrastructure/process/keeper.h"

namespace awf::plugins {

class PluginGuard {
 public:
  // Makes a folder of its own below `parent`; where that cannot be, there is none and folder() is empty. Takes as long
  // as the program needs to start. EXECUTION.COMMAND.SPAWN_FAILED.
  static std::expected<PluginGuard, Error> Start(const std::filesystem::path& parent);

  const std::filesystem::path& folder() const { return folder_; }

  // Ends the keeper and deletes the folder. Done by the destructor, too.
  void Stop() { keeper_->Stop(std::chrono::milliseconds{0}); }

 private:
  PluginGuard(std::unique_ptr<process::Keeper> keeper, std::filesystem::path folder)
      : keeper_(std::move(keeper)), folder_(std::move(folder)) {}

  std::unique_ptr<process::Keeper> keeper_;
  std::filesystem::path folder_;
};

}  // namespace awf::plugins
