// ConversationFolders: private folders for the sessions of conversations that have several steps, for CLIs whose
// sessions lie in a private home. They live as long as the run: a keeper of their own deletes them when this object, or
// the process, ends in whatever way. Thread-safe.
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "domain/error.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/process/private_folder.h"

namespace awf::agents {

// Has the keeper make the folder (0700), and waits until it is there. What goes wrong is an error of `SYSTEM.IO` or, if
// the keeper has died, EXECUTION.AGENT.FAILED.
std::expected<void, Error> MakeKeptFolder(process::Keeper& keeper, const std::filesystem::path& folder);

class ConversationFolders {
 public:
  // `program`: absolute path of awf, for the keeper; it is started with the first folder.
  ConversationFolders(std::filesystem::path program, process::PrivateFolder place)
      : program_(std::move(program)), place_(std::move(place)) {}

  // The folder of that conversation (0700), made when it is asked for the first time.
  std::expected<std::filesystem::path, Error> Folder(const std::string& conversation);

  // What AgentSession::folder says of a session that lies in that folder: differs from run to run. Empty when nothing
  // lies in it.
  static std::string MarkOf(const std::filesystem::path& folder);

 private:
  std::expected<void, Error> Start();

  const std::filesystem::path program_;
  const process::PrivateFolder place_;
  std::mutex mutex_;  // guards what follows
  std::unique_ptr<process::Keeper> keeper_;
  std::filesystem::path base_;  // empty until it is there
  std::map<std::string, std::filesystem::path> folders_;
};

}  // namespace awf::agents
