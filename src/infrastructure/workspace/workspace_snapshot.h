// WorkspaceSnapshot: which files a folder holds at one moment, and when each was changed last.
//
// Regular files and links; what lies in `.git` is left out (git itself and editors change it at any time), and what
// the caller names. Links are not followed. Constant; thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/written_file.h"

namespace awf::workspace {

class WorkspaceSnapshot {
 public:
  struct Limits {
    std::size_t entries = 50'000;  // folders count too; some 100 ms
  };

  // `skipped`: absolute paths of folders and files. Nothing when there are more entries than the limit or they nest
  // deeper than 200 folders, or the folder itself cannot be read; folders below it that cannot be read are empty.
  static std::optional<WorkspaceSnapshot> Take(const std::filesystem::path& root,
                                               const std::vector<std::filesystem::path>& skipped, Limits limits);
  static std::optional<WorkspaceSnapshot> Take(const std::filesystem::path& root,
                                               const std::vector<std::filesystem::path>& skipped) {
    return Take(root, skipped, Limits());
  }

  // By path relative to the root.
  const std::map<std::string, WrittenFile>& files() const { return files_; }

 private:
  std::map<std::string, WrittenFile> files_;
};

struct FileChange {
  std::string path;
  std::optional<WrittenFile> now;  // nothing: it was deleted
  bool moved = false;              // the very file lay elsewhere before: when it came here is not known
  friend bool operator==(const FileChange&, const FileChange&) = default;
};

// Files that are new, gone or others than before, sorted by path.
std::vector<FileChange> Changes(const WorkspaceSnapshot& before, const WorkspaceSnapshot& after);

}  // namespace awf::workspace
