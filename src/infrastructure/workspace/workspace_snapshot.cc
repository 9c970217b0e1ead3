#include "infrastructure/workspace/workspace_snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

#include "infrastructure/process/fd.h"

namespace awf::workspace {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 200;  // each level holds a descriptor

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

WrittenFile FileOf(const struct stat& status) {
  return {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
          status.st_ctim.tv_sec * std::int64_t{1'000'000'000} + status.st_ctim.tv_nsec};
}

class Taker {
 public:
  Taker(const fs::path& root, const std::vector<fs::path>& skipped, std::size_t limit) : left_(limit) {
    for (const fs::path& folder : skipped) skipped_.push_back(folder.lexically_relative(root).string());
  }

  // False: the folder cannot be read, or there is too much.
  bool Folder(int parent, const char* name, const std::string& prefix, int depth = 0) {
    if (depth > kDeepest) return Overflow();
    Fd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    const std::unique_ptr<DIR, CloseFolder> folder(fd ? ::fdopendir(fd.get()) : nullptr);
    if (!folder) return false;
    const int at = fd.Release();  // the stream closes it
    std::vector<std::string> inner;
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string_view entry_name = entry->d_name;
      if (entry_name == "." || entry_name == ".." || entry_name == ".git") continue;
      if (left_-- == 0) return Overflow();
      struct stat status{};
      if (::fstatat(at, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      const std::string path = prefix + entry->d_name;
      if (std::ranges::find(skipped_, path) != skipped_.end()) continue;
      if (S_ISDIR(status.st_mode)) {
        inner.emplace_back(entry_name);
      } else if (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)) {
        files_.emplace(path, FileOf(status));
      }
    }
    for (const std::string& child : inner) {
      Folder(at, child.c_str(), prefix + child + "/", depth + 1);
      if (overflow_) return false;
    }
    return true;
  }

  std::map<std::string, WrittenFile> Files() { return std::move(files_); }

 private:
  bool Overflow() {
    overflow_ = true;
    return false;
  }

  std::size_t left_;
  std::vector<std::string> skipped_;  // relative to the root
  bool overflow_ = false;
  std::map<std::string, WrittenFile> files_;
};

}  // namespace

std::optional<WorkspaceSnapshot> WorkspaceSnapshot::Take(const fs::path& root, const std::vector<fs::path>& skipped,
                                                         Limits limits) {
  Taker taker(root, skipped, limits.entries);
  const Fd top(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
  if (!top || !taker.Folder(top.get(), ".", "")) return std::nullopt;
  WorkspaceSnapshot snapshot;
  snapshot.files_ = taker.Files();
  return snapshot;
}

std::vector<FileChange> Changes(const WorkspaceSnapshot& before, const WorkspaceSnapshot& after) {
  std::vector<FileChange> changes;
  std::set<WrittenFile> known;
  for (const auto& [path, file] : before.files()) known.insert(file);
  for (const auto& [path, file] : after.files()) {
    const auto old = before.files().find(path);
    if (old == before.files().end() || old->second != file) changes.push_back({path, file, known.contains(file)});
  }
  for (const auto& [path, file] : before.files()) {
    if (!after.files().contains(path)) changes.push_back({path, std::nullopt});
  }
  std::ranges::sort(changes, {}, &FileChange::path);
  return changes;
}

}  // namespace awf::workspace
