#include "infrastructure/builtins/ignore_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "infrastructure/builtins/access_rules.h"
#include "infrastructure/builtins/git_layout.h"
#include "infrastructure/process/fd.h"

namespace awf::builtins {
namespace {

constexpr std::size_t kMaxFile = 1U << 20;
constexpr std::string_view kNodeModules = "node_modules";

// "" when it is no regular file.
std::string ReadFile(int folder, const char* path, const MayRead* may_read = nullptr) {
  const Fd fd(::openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (may_read != nullptr && *may_read && !(*may_read)(path)) return {};
  std::string text;
  while (text.size() < kMaxFile) {
    const std::size_t before = text.size();
    text.resize(std::min(kMaxFile, before + 16 * 1024));
    const ssize_t got = ::read(fd.get(), text.data() + before, text.size() - before);
    text.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  return text;
}

// Of a worktree or a submodule the git directories lie elsewhere.
std::string ReadExclude(int folder, std::string_view real, const MayRead& may_read) {
  struct stat status{};
  if (::fstatat(folder, ".git", &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (S_ISDIR(status.st_mode)) return ReadFile(folder, ".git/info/exclude");
  std::string text;
  for (const std::filesystem::path& directory : FindGitLayout(std::string(real)).directories) {
    text += ReadFile(AT_FDCWD, (directory / "info/exclude").c_str(), &may_read);
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
  }
  return text;
}

bool Exists(int folder, const char* name) {
  struct stat status{};
  return ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

// The topmost folder of which the rules count for `start`.
std::string TopAbove(const std::string& start, const std::string& workspace) {
  std::string top = FindGitLayout(start).top.string();
  if (top == start && IsUnder(start, workspace)) {
    const Fd fd(::open(start.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd && !Exists(fd.get(), ".git")) top = workspace;
  }
  return top;
}

}  // namespace

void IgnoreFilesFound::Note(std::string_view name) {
  if (name == ".gitignore") gitignore = true;
  if (name == ".ignore") ignore = true;
  if (name == ".git") git = true;
}

IgnoreRules ReadIgnoreRules(int folder, std::string_view real, const IgnoreFilesFound& found, const MayRead& may_read) {
  IgnoreRules rules;
  if (found.git) rules.Add(ReadExclude(folder, real, may_read), IgnoreSource::kExclude);
  if (found.gitignore) rules.Add(ReadFile(folder, ".gitignore"), IgnoreSource::kGitignore);
  if (found.ignore) rules.Add(ReadFile(folder, ".ignore"), IgnoreSource::kIgnore);
  return rules;
}

RulesAbove ReadRulesAbove(const std::string& start, const std::string& workspace, const MayRead& may_read) {
  RulesAbove above;
  const std::string top = TopAbove(start, workspace);
  if (top == start || !IsUnder(start, top)) return above;
  above.below_top = true;
  for (std::string folder = top; folder != start;) {
    const std::string base = folder == "/" ? folder : folder + "/";
    const std::string next = start.substr(0, start.find('/', base.size()));
    const Fd fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd && (!may_read || may_read(folder))) {
      const IgnoreFilesFound found{.gitignore = true, .ignore = true, .git = folder == top && Exists(fd.get(), ".git")};
      IgnoreRules rules = ReadIgnoreRules(fd.get(), folder, found, may_read);
      if (!rules.empty())
        above.chain = std::make_shared<IgnoreChain>(IgnoreChain{above.chain, base.size(), std::move(rules)});
    }
    if (next.substr(base.size()) == kNodeModules) above.ignored = true;
    if (above.chain && above.chain->Judge(next, true).verdict == IgnoreVerdict::kIgnore) above.ignored = true;
    folder = next;
  }
  return above;
}

}  // namespace awf::builtins
