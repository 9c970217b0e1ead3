// PluginExecutable: the file of a plugin, opened once: what is hashed is what is run.
//
// Whoever replaces the file afterwards changes nothing; rewriting it in place is still possible. Movable.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "infrastructure/plugins/plugin_launch.h"
#include "infrastructure/process/fd.h"

namespace awf::plugins {

class PluginExecutable {
 public:
  // The error is the text of the plugins page: "cannot execute PATH: No such file or directory".
  static std::expected<PluginExecutable, std::string> Open(const std::filesystem::path& path);

  int fd() const { return file_.get(); }
  const std::filesystem::path& path() const { return path_; }
  const std::string& sha256() const { return sha256_; }  // hex, lower case

  // "cannot execute PATH: CAUSE" for an errno of the start; says when it is the interpreter of a script that is
  // missing.
  std::string CannotExecute(int error) const;

 private:
  PluginExecutable(Fd file, std::filesystem::path path, std::string sha256)
      : file_(std::move(file)), path_(std::move(path)), sha256_(std::move(sha256)) {}

  Fd file_;
  std::filesystem::path path_;
  std::string sha256_;
};

// A checksum that does not fit.
struct ChecksumMismatch {
  std::string text;  // "SOURCE expects A, found B"; several sources are all named
  std::string hint;
};

// Nothing to say when all fit, or there are none.
std::expected<void, ChecksumMismatch> CheckChecksums(const PluginLaunch& launch, std::string_view found);

}  // namespace awf::plugins
