#include "infrastructure/builtins/confinement.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "infrastructure/builtins/access_rules.h"
#include "infrastructure/builtins/name_proposal.h"
#include "infrastructure/builtins/path_walk.h"
#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

std::string WithoutFinalSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// Never waits for the writer of a FIFO, never takes a terminal.
Fd OpenToRead(const std::string& path) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  return Fd(fd);
}

// A procfs mounted elsewhere holds the same secrets as /proc.
bool IsForeignProc(int fd, std::string_view real) {
  if (IsUnder(real, "/proc")) return false;
  struct statfs status{};
  return ::fstatfs(fd, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

struct Confinement::Rules {
  explicit Rules(const ToolSettings& settings)
      : access(settings), root(WithoutFinalSlashes(settings.root.lexically_normal().string())) {}

  AccessRules access;
  std::string root;  // as configured
};

Confinement::Confinement(const ToolSettings& settings) : rules_(std::make_shared<const Rules>(settings)) {}

const std::string& Confinement::root() const { return rules_->root; }
const std::string& Confinement::workspace() const { return rules_->access.workspace(); }
SandboxMode Confinement::mode() const { return rules_->access.mode(); }
bool Confinement::MayRead(std::string_view real) const { return rules_->access.MayRead(real); }
bool Confinement::MayWrite(std::string_view real) const { return rules_->access.MayWrite(real); }

std::string Confinement::Shown(std::string_view real) const {
  for (const std::string* root : {&rules_->access.root(), &rules_->root}) {
    if (real == *root) return ".";
    if (IsUnder(real, *root)) return ShownName(real.substr(*root == "/" ? 1 : root->size() + 1));
  }
  return ShownName(real);
}

// The path as the model wrote it, made relative to the root where it can be. Says nothing about links on the way.
std::string Confinement::ShownAsGiven(std::string_view absolute) const {
  return Shown(WithoutFinalSlashes(std::filesystem::path(absolute).lexically_normal().string()));
}

// As given, unless it goes up: `link/../x` need not be the x that it looks like.
std::string Confinement::ShownOpened(std::string_view absolute, std::string_view real) const {
  const std::string dotted = std::string(absolute) + "/";
  return dotted.find("/../") == std::string::npos ? ShownAsGiven(absolute) : Shown(real);
}

std::expected<std::string, PathFault> Confinement::Absolute(std::string_view path) const {
  if (path.empty()) return std::unexpected(PathFault{"The path is empty."});
  if (path.find('\0') != std::string_view::npos)
    return std::unexpected(PathFault{"The path contains a NUL character."});
  if (path.front() == '/') return std::string(path);
  return (rules_->root == "/" ? "/" : rules_->root + "/") + std::string(path);
}

PathFault Confinement::Blocked(std::string_view shown, bool writing) const {
  std::string text = "Blocked by the sandbox (" + std::string(ToString(mode())) + "): cannot ";
  text += writing ? "write " : "read ";
  text += shown;
  if (writing && mode() == SandboxMode::kReadOnly) {
    text += ". To allow it, set mcp_proxy.sandbox to workspace-write.";
  } else {
    text += ". To allow it, list the folder under mcp_proxy.sandbox.";
    text += writing ? "write." : "read.";
  }
  return {std::move(text), true};
}

// In strict the text names the path as given: where a link leads is not told, whether it leads anywhere neither.
PathFault Confinement::Refusal(std::string_view absolute, std::string_view real, bool writing) const {
  const bool as_given = mode() == SandboxMode::kStrict || !writing || real.empty();
  const std::string shown = as_given ? ShownAsGiven(absolute) : Shown(real);
  if (!rules_->access.IsSecret(real)) return Blocked(shown, writing);
  return {"Blocked by the sandbox (" + std::string(ToString(mode())) + "): cannot " + (writing ? "write " : "read ") +
              shown + ", which may show keys. Only mcp_proxy.sandbox: off allows it.",
          true};
}

// Strict decides before it opens, so that a refused path gives the same answer whether it exists or not. The decision
// on the opened descriptor still follows.
bool Confinement::RefusedUnopened(const std::string& absolute, bool writing) const {
  if (mode() != SandboxMode::kStrict) return false;
  const PathWalk walk = WalkPath(absolute, [this](std::string_view real) { return rules_->access.MayPass(real); });
  return !walk.passed || !(writing ? MayWrite(walk.Full()) : MayRead(walk.Full()));
}

bool Confinement::RootGone(std::string_view absolute) const {
  if (!IsUnder(absolute, rules_->root) && !IsUnder(absolute, rules_->access.root())) return false;
  struct stat status{};
  return ::stat(rules_->root.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

PathFault Confinement::Explain(const std::string& absolute, int error, std::string_view kind, bool writing) const {
  const PathWalk walk = WalkPath(absolute);
  const std::string full = walk.Full();
  if (!(writing ? MayWrite(full) : MayRead(full))) return Refusal(absolute, full, writing);
  if ((error == ENOENT || error == ENOTDIR) && RootGone(absolute)) return {"The workspace root no longer exists."};
  const std::string shown = ShownAsGiven(absolute);
  if (error != ENOENT) return {ErrnoSentence(shown, error)};

  std::string text = std::string(kind) + " not found: " + shown + ".";
  const std::size_t slash = std::min(walk.rest.find('/'), walk.rest.size());
  if (!walk.folder || !MayRead(walk.real)) return {text};
  std::string proposal = NearestEntry(walk.folder.get(), walk.rest.substr(0, slash));
  if (proposal.empty()) return {text};
  const std::string deeper = proposal + walk.rest.substr(slash);
  struct stat status{};
  if (::fstatat(walk.folder.get(), deeper.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) proposal = deeper;
  const std::string proposed = (walk.real == "/" ? "" : walk.real) + "/" + proposal;
  if (MayRead(proposed)) text += " Did you mean " + Shown(proposed) + "?";
  return {text};
}

PathFault Confinement::NotFound(std::string_view path, std::string_view kind) const {
  const auto absolute = Absolute(path);
  if (!absolute) return absolute.error();
  if (RefusedUnopened(*absolute, false)) return Refusal(*absolute, {}, false);
  return Explain(*absolute, ENOENT, kind, false);
}

std::expected<OpenedPath, PathFault> Confinement::Open(std::string_view path, std::string_view kind) const {
  const auto absolute = Absolute(path);
  if (!absolute) return std::unexpected(absolute.error());
  if (RefusedUnopened(*absolute, false)) return std::unexpected(Refusal(*absolute, {}, false));
  OpenedPath opened{OpenToRead(*absolute), {}, {}, {}};
  if (!opened.fd || ::fstat(opened.fd.get(), &opened.status) != 0)
    return std::unexpected(Explain(*absolute, errno, kind, false));
  opened.real = RealPathOf(opened.fd.get());
  if (opened.status.st_nlink == 0 && opened.real.ends_with(kDeleted))
    opened.real.resize(opened.real.size() - kDeleted.size());
  // What has no path (a pipe behind /proc/self/fd) is no file: the caller says so, nothing is read from it.
  const bool has_path = opened.real.starts_with('/') || S_ISREG(opened.status.st_mode);
  if (has_path &&
      (!MayRead(opened.real) || (mode() != SandboxMode::kOff && IsForeignProc(opened.fd.get(), opened.real))))
    return std::unexpected(Refusal(*absolute, opened.real, false));
  opened.shown = ShownOpened(*absolute, opened.real);
  return opened;
}

std::expected<OpenedPath, PathFault> Confinement::OpenForRead(std::string_view path) const {
  return Open(path, "File");
}

std::expected<OpenedPath, PathFault> Confinement::OpenForSearch(std::string_view path, std::string_view kind) const {
  return Open(path, kind);
}

// A name in a folder, on the way to where the links end.
struct Confinement::WritePath {
  const std::string& absolute;  // as the caller gave it
  Fd base;                      // where `parent` starts; invalid: it is absolute
  std::string parent;           // "." for the base itself
  std::string name;

  void Split(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    parent = slash == std::string_view::npos ? "." : slash == 0 ? "/" : std::string(path.substr(0, slash));
  }
  Fd Open(const std::string& folder) const {
    return Fd(::openat(base ? base.get() : AT_FDCWD, folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
};

std::expected<WriteTarget, PathFault> Confinement::OpenForWrite(std::string_view path, bool make_parents) const {
  constexpr int kMostLinks = 40;  // as the kernel
  const auto absolute = Absolute(path);
  if (!absolute) return std::unexpected(absolute.error());
  if (mode() == SandboxMode::kReadOnly || RefusedUnopened(*absolute, true))
    return std::unexpected(Refusal(*absolute, {}, true));

  WritePath at{*absolute, {}, {}, {}};
  at.Split(*absolute);
  for (int links = 0; links <= kMostLinks; ++links) {
    const std::string shown = ShownAsGiven(*absolute);
    if (at.name.empty()) return std::unexpected(PathFault{shown + "/: the path ends with a slash."});
    if (at.name == "." || at.name == "..") return std::unexpected(PathFault{shown + " is a directory."});
    auto parent = OpenParent(at, make_parents);
    if (!parent) return std::unexpected(parent.error());
    std::array<char, PATH_MAX> link{};
    const ssize_t length = ::readlinkat(parent->get(), at.name.c_str(), link.data(), link.size() - 1);
    if (length <= 0) return Target(at, std::move(*parent));
    at.base = link[0] == '/' ? Fd() : std::move(*parent);
    at.Split({link.data(), static_cast<std::size_t>(length)});
  }
  return std::unexpected(Explain(*absolute, ELOOP, "File", true));
}

std::expected<Fd, PathFault> Confinement::OpenParent(const WritePath& path, bool make_parents) const {
  Fd parent = path.Open(path.parent);
  if (parent) return parent;
  if (errno == ENOENT && make_parents) return MakeParents(path);
  return std::unexpected(Explain(path.absolute, errno, "File", true));
}

// Opens the deepest folder that exists, judges the whole path from there, then makes one folder after the other below
// the descriptor of the last: no link is followed from here on.
std::expected<Fd, PathFault> Confinement::MakeParents(const WritePath& path) const {
  const auto fail = [&](int error) { return std::unexpected(Explain(path.absolute, error, "File", true)); };
  if (RootGone(path.absolute)) return fail(ENOENT);
  std::string existing = path.parent;
  std::vector<std::string> missing;
  Fd folder;
  while (!folder) {
    existing = WithoutFinalSlashes(existing);
    if (existing == "/" || existing == ".") return fail(ENOENT);
    const std::size_t slash = existing.rfind('/');
    const std::string name = existing.substr(slash == std::string::npos ? 0 : slash + 1);
    if (name == "..") return fail(ENOENT);
    if (name != ".") missing.push_back(name);
    existing = slash == std::string::npos ? "." : slash == 0 ? "/" : existing.substr(0, slash);
    folder = path.Open(existing);
    if (!folder && errno != ENOENT) return fail(errno);
  }
  std::string real = RealPathOf(folder.get());
  for (auto name = missing.rbegin(); name != missing.rend(); ++name) real += "/" + *name;
  real += "/" + path.name;
  if (!MayWrite(real)) return std::unexpected(Refusal(path.absolute, real, true));
  for (auto name = missing.rbegin(); name != missing.rend(); ++name) {
    if (::mkdirat(folder.get(), name->c_str(), 0777) != 0 && errno != EEXIST) return fail(errno);
    Fd next(::openat(folder.get(), name->c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return fail(errno);
    folder = std::move(next);
  }
  return folder;
}

std::expected<WriteTarget, PathFault> Confinement::Target(const WritePath& path, Fd parent) const {
  const std::string folder = RealPathOf(parent.get());
  WriteTarget target{std::move(parent), path.name, (folder == "/" ? "" : folder) + "/" + path.name, {}, false, {}};
  if ((folder.empty() && mode() != SandboxMode::kOff) || !MayWrite(target.real))
    return std::unexpected(Refusal(path.absolute, target.real, true));
  target.shown = ShownOpened(path.absolute, target.real);
  target.exists = ::fstatat(target.parent.get(), target.name.c_str(), &target.status, AT_SYMLINK_NOFOLLOW) == 0;
  if (!target.exists && errno != ENOENT) return std::unexpected(PathFault{ErrnoSentence(target.shown, errno)});
  return target;
}

}  // namespace awf::builtins
