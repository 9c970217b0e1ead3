// Confinement: where the file tools may read and write, decided on opened descriptors, never on text.
//
// A path is resolved by the kernel and judged by what was really opened (/proc/self/fd/N), so `..`, links and links
// that are swapped in between cannot escape, while an absolute link back into the workspace works. Writes go through
// the descriptor of the parent folder with the *at() calls only.
#pragma once

#include <sys/stat.h>

#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/tool_settings.h"
#include "infrastructure/process/fd.h"

namespace awf::builtins {

// Why a path cannot be used. `text` is the whole first line for the model; `denied` is set when policy refused it.
struct PathFault {
  std::string text;
  bool denied = false;
};

// A file or folder opened for reading.
struct OpenedPath {
  Fd fd;
  struct stat status;
  std::string real;   // absolute real path
  std::string shown;  // as shown to the model: relative to the root when under it
};

// Where a write will happen: a checked parent folder and a name in it.
struct WriteTarget {
  Fd parent;
  std::string name;  // last component; links are already followed
  std::string real;  // parent's real path + name
  std::string shown;
  bool exists = false;
  struct stat status{};  // of the existing file
};

// Thread-safe; constant after construction.
class Confinement {
 public:
  explicit Confinement(const ToolSettings& settings);

  const std::string& root() const;       // as configured
  const std::string& workspace() const;  // real path of the git work tree's top, else of the root
  SandboxMode mode() const;

  // Text checks that hold for every path argument: not empty, no NUL. `path` may be relative to the root.
  // Opens for reading (O_NONBLOCK|O_CLOEXEC|O_NOCTTY), then judges what was opened. Not found comes with a proposal.
  std::expected<OpenedPath, PathFault> OpenForRead(std::string_view path) const;

  // Same for a folder (Glob's directory, Grep's path). `kind` is "Directory" or "Path" for the not-found text.
  std::expected<OpenedPath, PathFault> OpenForSearch(std::string_view path, std::string_view kind) const;

  // Follows links of the last component by hand, opens and checks the parent; makes missing parents when
  // `make_parents`.
  std::expected<WriteTarget, PathFault> OpenForWrite(std::string_view path, bool make_parents) const;

  // The fault of a path that does not exist: "File not found: readme.md. Did you mean README.md?", or that policy
  // refuses it, or that the root is gone.
  PathFault NotFound(std::string_view path, std::string_view kind) const;

  // True when a real absolute path may be read / written in this mode.
  bool MayRead(std::string_view real) const;
  bool MayWrite(std::string_view real) const;

  // The path as shown to the model: relative to the root when under it, control characters as \n, \x01.
  std::string Shown(std::string_view real) const;

  // "Blocked by the sandbox (MODE): cannot write X. To allow it, …"
  PathFault Blocked(std::string_view shown, bool writing) const;

 private:
  struct Rules;
  struct WritePath;

  std::expected<std::string, PathFault> Absolute(std::string_view path) const;
  std::expected<OpenedPath, PathFault> Open(std::string_view path, std::string_view kind) const;
  std::string ShownAsGiven(std::string_view absolute) const;
  std::string ShownOpened(std::string_view absolute, std::string_view real) const;
  PathFault Refusal(std::string_view absolute, std::string_view real, bool writing) const;
  bool RefusedUnopened(const std::string& absolute, bool writing) const;
  bool RootGone(std::string_view absolute) const;
  PathFault Explain(const std::string& absolute, int error, std::string_view kind, bool writing) const;
  std::expected<Fd, PathFault> OpenParent(const WritePath& path, bool make_parents) const;
  std::expected<Fd, PathFault> MakeParents(const WritePath& path) const;
  std::expected<WriteTarget, PathFault> Target(const WritePath& path, Fd parent) const;

  std::shared_ptr<const Rules> rules_;
};

}  // namespace awf::builtins
