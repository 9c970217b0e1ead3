#include "infrastructure/builtins/path_walk.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <vector>

namespace awf::builtins {
namespace {

constexpr int kMostLinks = 40;  // as the kernel

// Components still to go, the next one last.
using Pending = std::vector<std::string>;

void PushComponents(Pending& pending, std::string_view path) {
  std::size_t end = path.size();
  while (end > 0) {
    const std::size_t slash = path.rfind('/', end - 1);
    const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    const std::string_view component = path.substr(begin, end - begin);
    if (!component.empty() && component != ".") pending.emplace_back(component);
    end = slash == std::string_view::npos ? 0 : slash;
  }
}

std::string Joined(const Pending& pending) {
  std::string rest;
  for (auto component = pending.rbegin(); component != pending.rend(); ++component) {
    if (!rest.empty()) rest += '/';
    rest += *component;
  }
  return rest;
}

std::string Parent(const std::string& real) {
  const std::size_t slash = real.rfind('/');
  return slash == 0 ? "/" : real.substr(0, slash);
}

class Walker {
 public:
  explicit Walker(const std::function<bool(std::string_view)>& may_pass) : may_pass_(may_pass) {}

  PathWalk Run(std::string_view path) {
    PushComponents(pending_, path);
    if (!ToTop()) return Ended(errno);
    while (!pending_.empty()) {
      const int error = Step();
      if (error != 0 || !at_.passed || at_file_) return Ended(error);
    }
    return Ended(0);
  }

 private:
  PathWalk Ended(int error) {
    at_.error = error;
    at_.rest = Joined(pending_);
    return std::move(at_);
  }

  bool ToTop() {
    at_.folder = Fd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    at_.real = "/";
    return at_.folder.valid();
  }

  void Enter(Fd folder, std::string real) {
    at_.folder = std::move(folder);
    at_.real = std::move(real);
    at_.passed = !may_pass_ || may_pass_(at_.real);
  }

  // Takes the next component; a failed one stays pending.
  int Step() {
    const std::string name = pending_.back();
    const bool up = name == "..";
    Fd next(::openat(at_.folder.get(), name.c_str(), O_PATH | O_CLOEXEC | (up ? O_DIRECTORY : O_NOFOLLOW)));
    if (!next) return errno;
    struct stat status{};
    if (::fstat(next.get(), &status) != 0) return errno;
    if (S_ISLNK(status.st_mode)) return FollowLink(next.get());
    if (S_ISDIR(status.st_mode)) {
      pending_.pop_back();
      Enter(std::move(next), up ? Parent(at_.real) : (at_.real == "/" ? "/" : at_.real + "/") + name);
      return 0;
    }
    if (pending_.size() > 1) return ENOTDIR;
    at_file_ = true;
    return 0;
  }

  int FollowLink(int link) {
    if (++links_ > kMostLinks) return ELOOP;
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlinkat(link, "", target.data(), target.size());
    if (length < 0) return errno;
    if (length == 0 || static_cast<std::size_t>(length) >= target.size()) return ENAMETOOLONG;
    const std::string_view text(target.data(), static_cast<std::size_t>(length));
    pending_.pop_back();
    PushComponents(pending_, text);
    return text.front() == '/' && !ToTop() ? errno : 0;
  }

  const std::function<bool(std::string_view)>& may_pass_;
  Pending pending_;
  PathWalk at_;
  int links_ = 0;
  bool at_file_ = false;
};

}  // namespace

std::string PathWalk::Full() const {
  if (rest.empty()) return real;
  return std::filesystem::path(real + "/" + rest).lexically_normal().string();
}

PathWalk WalkPath(std::string_view path, const std::function<bool(std::string_view)>& may_pass) {
  return Walker(may_pass).Run(path);
}

std::string RealPathOf(int fd) {
  std::array<char, PATH_MAX> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  if (length <= 0 || static_cast<std::size_t>(length) >= target.size()) return {};
  return {target.data(), static_cast<std::size_t>(length)};
}

}  // namespace awf::builtins
