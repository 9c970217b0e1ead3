// PrivateFolder: the place of a user's private step folders: MCP configurations, sockets, homes of agent CLIs.
//
// $XDG_RUNTIME_DIR/awf, else /var/tmp/awf-UID; 0700 and owned by the user, no link. Names of step folders tell their
// owner (process number and start time, in its process namespace), so that leftovers of an awf that was killed together
// with its keeper can be told from folders in use. The step folders themselves are made and deleted by keepers
// (Keeper::OwnFolder). Paths stay short, as clients put unix sockets below them (108 bytes). Thread-safe; constant.
#pragma once

#include <sys/types.h>

#include <expected>
#include <filesystem>
#include <string_view>

#include "domain/error.h"

namespace awf::process {

// A path below `parent` for a new folder of this process, for Keeper::OwnFolder; differs at each call.
std::filesystem::path NewStepFolderIn(const std::filesystem::path& parent);

class PrivateFolder {
 public:
  // The place for this user, made when missing. SYSTEM.IO.PERMISSION_DENIED when somebody else owns it or it is a link;
  // SYSTEM.IO.WRITE_FAILED when it cannot be made.
  static std::expected<PrivateFolder, Error> Open();

  // The same with explicit places: `runtime_dir` is taken when it is absolute, short, a folder of this user and
  // writable; else `fallback`.
  static std::expected<PrivateFolder, Error> OpenIn(const std::filesystem::path& runtime_dir,
                                                    const std::filesystem::path& fallback);

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path NewStepFolder() const { return NewStepFolderIn(path_); }

  // Deletes step folders whose owner has ended. Returns how many.
  int SweepLeftovers() const;

 private:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace awf::process
