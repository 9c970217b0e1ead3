// GitLayout: where the git work tree around a folder begins, and which git directories belong to it.
//
// Found by walking up to `.git`, without running git. Is `.git` a file or a link (worktree, submodule), the directory
// that it names lies elsewhere and counts, if it holds a HEAD, and so does its common directory; the rest of the main
// checkout does not.
#pragma once

#include <filesystem>
#include <vector>

namespace awf::builtins {

struct GitLayout {
  std::filesystem::path top;                       // top of the work tree, else `start` itself
  std::vector<std::filesystem::path> directories;  // real paths; may lie outside of `top`
};

// `start` is a real path. Thread-safe; nothing is an error: what cannot be read is not there.
GitLayout FindGitLayout(const std::filesystem::path& start);

}  // namespace awf::builtins
