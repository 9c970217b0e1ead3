// PathWalk: follows a path component by component, links by hand, and tells how far it leads.
//
// The kernel's own resolution says only "not found"; to name the folder in which something is missing, and to judge a
// path that does not exist by where it would lie, the walk is made again in steps.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "infrastructure/process/fd.h"

namespace awf::builtins {

struct PathWalk {
  Fd folder;           // O_PATH descriptor of the last folder reached
  std::string real;    // its real path
  std::string rest;    // what remains below it: the file's name, or the part that is missing and all after it
  int error = 0;       // 0: all of the path exists; else the errno of the step that failed
  bool passed = true;  // false: `may_pass` refused a folder on the way; the walk ended there

  std::string Full() const;  // real path that the whole path stands for
};

// `path` is absolute. `may_pass` is asked for the real path of every folder entered; empty means "all".
PathWalk WalkPath(std::string_view path, const std::function<bool(std::string_view)>& may_pass = {});

// The real path of an open descriptor (/proc/self/fd/N), or "" when it cannot be told.
std::string RealPathOf(int fd);

}  // namespace awf::builtins
