#include "infrastructure/agents/program_version.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>

#include "domain/time.h"
#include "infrastructure/process/keeper.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{5000};
constexpr std::size_t kMostOutput = 64 * 1024;

// Reads what is there; false at the end of the stream.
bool ReadSome(int fd, std::string& text) {
  char buffer[4096];
  const ssize_t count = ::read(fd, buffer, sizeof buffer);
  if (count > 0 && text.size() < kMostOutput) text.append(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

}  // namespace

bool IsExecutableFile(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::expected<fs::path, Error> FindProgram(std::string_view name, std::string_view path) {
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    // Relative entries are passed over: they would lead into the workspace.
    if (!folder.starts_with('/')) continue;
    fs::path candidate = fs::path(folder) / name;
    if (IsExecutableFile(candidate)) return candidate;
  }
  return Fail("EXECUTION.AGENT.NOT_INSTALLED", std::string(name) + " was not found on the PATH",
              "Install it, or add its folder to the PATH.");
}

std::string FirstVersion(std::string_view text) {
  const auto digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
  };
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (!digit(begin) || (begin > 0 && (digit(begin - 1) || text[begin - 1] == '.'))) continue;
    std::size_t end = begin;
    int parts = 0;
    while (digit(end)) {
      while (digit(end)) ++end;
      if (++parts == 3) return std::string(text.substr(begin, end - begin));
      if (end >= text.size() || text[end] != '.') break;
      ++end;
    }
  }
  return {};
}

std::string ProgramVersions::Get(const fs::path& program, const std::vector<std::string>& environment,
                                 const std::stop_token& cancelled) {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(program.string());
  if (known != known_.end()) return known->second;

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  ::fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  auto keeper = process::Keeper::Spawn(keeper_program_);
  if (!keeper) return {};
  (*keeper)->Start({{program.string(), "--version"}, environment, "/", -1, write_end.get(), -1, false});
  write_end.Reset();

  std::string output;
  bool over = false;
  const auto until = SteadyClock::now() + kPatience;
  while (!over && SteadyClock::now() < until) {
    if (cancelled.stop_requested()) return {};
    pollfd fds[] = {{(*keeper)->fd(), POLLIN, 0}, {read_end.get(), POLLIN, 0}};
    constexpr int kSlice = 50;  // how soon a cancel is noticed
    if (::poll(fds, 2, kSlice) < 0 && errno != EINTR) break;
    if (fds[1].revents != 0 && !ReadSome(read_end.get(), output)) read_end.Reset();
    while (const auto event = (*keeper)->Next()) {
      using Kind = process::KeeperEvent::Kind;
      over = over || event->kind == Kind::kExited || event->kind == Kind::kFailed || event->kind == Kind::kGone;
    }
  }
  while (read_end && ReadSome(read_end.get(), output) && errno != EAGAIN) {
  }
  (*keeper)->Stop(milliseconds{0});
  return known_[program.string()] = FirstVersion(output);
}

}  // namespace awf::agents
