#include "infrastructure/process/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "infrastructure/process/fd.h"

namespace awf::process {
namespace {

constexpr int kMaxDepth = 100;  // one descriptor each; what lies deeper is moved up first

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

Fd OpenFolder(int parent, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  return Fd(::openat(parent, name, kFlags));
}

class Remover {
 public:
  explicit Remover(int top) : top_(top) {}

  // Deletes the entry `name` of `parent`.
  bool Remove(int parent, const char* name, int depth) {
    if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return true;
    if (::unlinkat(parent, name, AT_REMOVEDIR) == 0) return true;
    if (errno != ENOTEMPTY && errno != EEXIST) return false;
    ::fchmodat(parent, name, S_IRWXU, 0);  // a folder, as it is not empty
    if (depth >= kMaxDepth) return MoveUp(parent, name);
    Fd folder = OpenFolder(parent, name);
    return folder && Empty(std::move(folder), depth + 1) && ::unlinkat(parent, name, AT_REMOVEDIR) == 0;
  }

  // Deletes everything in `folder`.
  bool Empty(Fd folder, int depth) {
    const int listed = ::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0);
    const std::unique_ptr<DIR, DirectoryCloser> directory(listed >= 0 ? ::fdopendir(listed) : nullptr);
    if (!directory) {
      if (listed >= 0) ::close(listed);
      return false;
    }
    bool all = true;
    while (const dirent* entry = ::readdir(directory.get())) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") all = Remove(folder.get(), name.c_str(), depth) && all;
    }
    return all;
  }

  bool moved() const { return moves_ > 0; }
  void ForgetMoves() { moves_ = 0; }

 private:
  bool MoveUp(int parent, const char* name) {
    const std::string up = ".awf-deep-" + std::to_string(serial_++);
    ++moves_;
    return ::renameat(parent, name, top_, up.c_str()) == 0;
  }

  int top_;
  int moves_ = 0;
  int serial_ = 0;
};

}  // namespace

bool RemoveTree(const std::filesystem::path& folder) {
  if (::unlinkat(AT_FDCWD, folder.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  struct stat status{};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  ::chmod(folder.c_str(), S_IRWXU);
  const Fd top = OpenFolder(AT_FDCWD, folder.c_str());
  if (!top) return false;
  Remover remover(top.get());
  bool emptied = false;
  do {
    remover.ForgetMoves();
    emptied = remover.Empty(OpenFolder(top.get(), "."), 0);
  } while (emptied && remover.moved());
  return emptied && ::rmdir(folder.c_str()) == 0;
}

}  // namespace awf::process
