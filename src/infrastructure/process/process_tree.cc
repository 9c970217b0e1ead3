#include "infrastructure/process/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>

#include "infrastructure/process/fd.h"

namespace awf::process {
namespace {

// Takes the next blank-separated field off `text`.
std::string_view TakeField(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view field = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return field;
}

template <typename Number>
Number ToNumber(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The line is `pid (name) state ppid pgrp …`; the name may hold blanks and parentheses, so the last ')' counts.
std::optional<ProcessInfo> ParseStat(pid_t pid, std::string_view line) {
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  line.remove_prefix(name_end + 1);
  ProcessInfo info;
  info.pid = pid;
  const std::string_view state = TakeField(line);
  if (state.empty()) return std::nullopt;
  info.state = state[0];
  info.parent = ToNumber<pid_t>(TakeField(line));
  info.group = ToNumber<pid_t>(TakeField(line));
  constexpr int kFieldsBeforeStart = 16;  // session (6th field) to itrealvalue (21st)
  for (int skipped = 0; skipped < kFieldsBeforeStart; ++skipped) TakeField(line);
  info.start = ToNumber<std::uint64_t>(TakeField(line));
  return info;
}

std::optional<ProcessInfo> ReadStatAt(int proc, pid_t pid) {
  const std::string path = std::to_string(pid) + "/stat";
  const Fd file(::openat(proc, path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  char buffer[1024];  // the longest line seen is below 400 bytes
  const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
  if (got <= 0) return std::nullopt;
  return ParseStat(pid, std::string_view(buffer, static_cast<std::size_t>(got)));
}

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

std::optional<ProcessInfo> ReadProcess(pid_t pid) {
  const Fd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!proc || pid <= 0) return std::nullopt;
  return ReadStatAt(proc.get(), pid);
}

ProcessTree ProcessTree::Snapshot() {
  ProcessTree tree;
  const std::unique_ptr<DIR, DirectoryCloser> proc(::opendir("/proc"));
  if (!proc) return tree;
  const int proc_fd = ::dirfd(proc.get());
  while (const dirent* entry = ::readdir(proc.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (const auto info = ReadStatAt(proc_fd, ToNumber<pid_t>(entry->d_name))) {
      tree.by_parent_.emplace(info->parent, *info);
    }
  }
  return tree;
}

std::vector<ProcessInfo> ProcessTree::ChildrenOf(pid_t parent) const {
  std::vector<ProcessInfo> children;
  const auto [begin, end] = by_parent_.equal_range(parent);
  for (auto child = begin; child != end; ++child) children.push_back(child->second);
  return children;
}

std::vector<ProcessInfo> ProcessTree::DescendantsOf(pid_t root) const {
  std::vector<ProcessInfo> found = ChildrenOf(root);
  // The size bound ends the walk even if numbers that were reused during the snapshot made a ring.
  for (std::size_t next = 0; next < found.size() && found.size() <= by_parent_.size(); ++next) {
    const std::vector<ProcessInfo> children = ChildrenOf(found[next].pid);
    found.insert(found.end(), children.begin(), children.end());
  }
  return found;
}

Signalled SignalProcess(const ProcessInfo& process, int signal) {
  const Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (!handle && errno == ESRCH) return Signalled::kGone;
  // The handle is taken before the look, so what is looked at is what will be signalled.
  const auto now = ReadProcess(process.pid);
  if (!now || now->start != process.start) return Signalled::kGone;
  const long sent =
      handle ? ::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) : ::kill(process.pid, signal);
  if (sent == 0) return Signalled::kSent;
  return errno == EPERM ? Signalled::kRefused : Signalled::kGone;
}

bool IsOfThisNamespace(pid_t pid) {
  const Fd file(::open(("/proc/" + std::to_string(pid) + "/status").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  char buffer[4096];  // the line stands within the first 1000 bytes
  const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
  const std::string_view text(buffer, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  // "NSpid:\t123", and a number more for each namespace below ours.
  constexpr std::string_view kName = "\nNSpid:\t";
  const std::size_t begin = text.find(kName);
  if (begin == std::string_view::npos) return false;
  const std::string_view line = text.substr(begin + kName.size());
  return line.substr(0, line.find('\n')).find('\t') == std::string_view::npos;
}

bool MaySignal(pid_t pid) { return ::kill(pid, 0) == 0 || errno != EPERM; }

}  // namespace awf::process
