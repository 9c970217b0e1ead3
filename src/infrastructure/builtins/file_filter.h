// FileFilter: which files of a walk Grep searches: its `glob` argument.
//
// A pattern without slash is matched against the base name at any depth, one with a slash against the path from the
// root; "!" before it turns it round. Constant, thread-safe.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "infrastructure/builtins/glob_pattern.h"
#include "infrastructure/builtins/walker.h"

namespace awf::builtins {

// What a walk has to do with a folder or a file when this pattern is what is looked for.
WalkInterest FolderInterest(const GlobPattern& pattern, std::string_view path);
WalkInterest FileInterest(const GlobPattern& pattern, std::string_view path);

class FileFilter {
 public:
  // Takes every file.
  FileFilter() = default;
  // `start` is where the walk starts, as a path from the root ("" for the root itself). The error is the reason alone.
  static std::expected<FileFilter, std::string> Compile(std::string_view glob, std::string_view start);

  WalkInterest Folder(std::string_view path) const;
  WalkInterest File(std::string_view path) const;

 private:
  std::optional<GlobPattern> pattern_;
  std::string start_;  // with a slash at the end, or empty
  bool by_name_ = false;
  bool inverted_ = false;
};

}  // namespace awf::builtins
