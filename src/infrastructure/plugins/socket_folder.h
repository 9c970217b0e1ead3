// SocketFolder: a private folder for the socket of one plugin, removed with all in it at the end: plugins that are
// killed leave their socket. Movable.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <utility>

namespace awf::plugins {

// A socket's path has at most 107 bytes; plugins name theirs themselves, as "plugin1234567890" below it.
inline constexpr std::size_t kLongestSocketFolder = 75;

class SocketFolder {
 public:
  // 0700, below `parent`, or below /tmp when the path would be too long or cannot be made there. The error is a clause.
  static std::expected<SocketFolder, std::string> Make(const std::filesystem::path& parent);

  SocketFolder(SocketFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  SocketFolder& operator=(SocketFolder&& other) noexcept;
  ~SocketFolder() { Remove(); }

  const std::filesystem::path& path() const { return path_; }
  void Remove();  // idempotent

 private:
  explicit SocketFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Deletes the socket of a plugin that has ended, which may lie anywhere: go-plugin before 1.5 knows nothing of folders.
// Only a socket of this user on which nobody listens any more.
void RemoveStaleSocket(const std::filesystem::path& path);

}  // namespace awf::plugins
