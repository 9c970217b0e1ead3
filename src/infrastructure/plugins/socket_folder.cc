#include "infrastructure/plugins/socket_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <system_error>

#include "infrastructure/process/remove_tree.h"

namespace awf::plugins {
namespace {

constexpr const char* kFallback = "/tmp/awf-p-XXXXXX";

}  // namespace

std::expected<SocketFolder, std::string> SocketFolder::Make(const std::filesystem::path& parent) {
  std::string pattern = (parent / "p-XXXXXX").string();
  const bool suits = parent.is_absolute() && pattern.size() <= kLongestSocketFolder;
  if (suits && ::mkdtemp(pattern.data()) != nullptr) return SocketFolder(pattern);
  pattern = kFallback;
  if (::mkdtemp(pattern.data()) != nullptr) return SocketFolder(pattern);
  return std::unexpected("cannot make a folder for its socket below /tmp: " + std::generic_category().message(errno));
}

SocketFolder& SocketFolder::operator=(SocketFolder&& other) noexcept {
  if (this != &other) {
    Remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void SocketFolder::Remove() {
  if (!path_.empty()) process::RemoveTree(path_);
  path_.clear();
}

}  // namespace awf::plugins
