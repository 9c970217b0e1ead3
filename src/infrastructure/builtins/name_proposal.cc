#include "infrastructure/builtins/name_proposal.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "domain/nearest_name.h"
#include "infrastructure/process/fd.h"

namespace awf::builtins {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

Directory OpenDirectory(int folder) {
  Fd fd(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Directory directory(fd ? ::fdopendir(fd.get()) : nullptr);
  if (directory) fd.Release();
  return directory;
}

}  // namespace

std::string NearestEntry(int folder, std::string_view wanted) {
  constexpr std::size_t kMostEntries = 5000;    // beyond, a proposal is not worth its time
  constexpr std::size_t kLengthDifference = 4;  // the distance allows 2; '_' and '-' are free
  const Directory directory = OpenDirectory(folder);
  if (!directory) return {};
  std::vector<std::string> candidates;
  for (std::size_t seen = 0; seen < kMostEntries; ++seen) {
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    const std::size_t difference =
        name.size() > wanted.size() ? name.size() - wanted.size() : wanted.size() - name.size();
    if (name != "." && name != ".." && difference <= kLengthDifference) candidates.push_back(std::move(name));
  }
  return NearestName(wanted, candidates);
}

}  // namespace awf::builtins
