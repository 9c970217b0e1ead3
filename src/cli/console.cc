#include "cli/console.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

namespace awf::cli {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[2K";
constexpr std::string_view kHideCursor = "\x1b[?25l", kShowCursor = "\x1b[?25h";
constexpr int kUsualColumns = 80;
constexpr int kLookUp = 50;               // ms between looks at the patience, while a stream takes nothing
constexpr std::size_t kPiece = PIPE_BUF;  // a pipe that is ready takes so much without a wait

// Terminals have several names, but one device number.
bool SamePlace(int a, int b, bool terminals) {
  struct stat first{}, second{};
  if (::fstat(a, &first) != 0 || ::fstat(b, &second) != 0) return false;
  if (terminals) return first.st_rdev == second.st_rdev;
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

int TerminalColumns(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool CapableTerminal() { return IsSet("TERM") && std::string_view(std::getenv("TERM")) != "dumb"; }

}  // namespace

bool WantsColor(bool no_color) { return CapableTerminal() && !no_color && !IsSet("NO_COLOR"); }

ConsoleOptions ConsoleOptions::Detect(bool no_color) {
  ConsoleOptions options;
  options.out_is_terminal = ::isatty(options.out) == 1;
  options.err_is_terminal = ::isatty(options.err) == 1;
  options.same_place = options.out_is_terminal == options.err_is_terminal &&
                       SamePlace(options.out, options.err, options.err_is_terminal);
  options.live = options.err_is_terminal && CapableTerminal();
  options.color = options.err_is_terminal && WantsColor(no_color);
  if (options.err_is_terminal) options.columns = [fd = options.err] { return TerminalColumns(fd); };
  return options;
}

Console::Console(ConsoleOptions options) : options_(std::move(options)) {
  out_.fd = options_.out;
  err_.fd = options_.err;
}

Console::~Console() { Restore(); }

void Console::Line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  Erase();
  BreakLine(err_);
  if (options_.same_place) BreakLine(out_);
  std::string line(text);
  if (!line.ends_with('\n')) line.push_back('\n');
  WriteText(err_, line);
  Draw();
}

void Console::Out(std::string_view text) {
  if (text.empty()) return;
  const std::lock_guard lock(mutex_);
  Erase();
  if (options_.same_place) BreakLine(err_);
  WriteText(out_, text);
  Draw();
}

void Console::Err(std::string_view text) {
  if (text.empty()) return;
  const std::lock_guard lock(mutex_);
  Erase();
  if (options_.same_place) BreakLine(out_);
  WriteText(err_, text);
  Draw();
}

void Console::EndOutLine() {
  const std::lock_guard lock(mutex_);
  if (!out_.mid_line) return;
  Erase();
  BreakLine(out_);
  Draw();
}

void Console::SetLive(std::string_view line) {
  if (!options_.live) return;
  const std::lock_guard lock(mutex_);
  if (line == live_ && drawn_) return;
  Erase();
  live_ = line;
  Draw();
}

void Console::Restore() {
  const std::lock_guard lock(mutex_);
  Erase();
  live_.clear();
  if (std::exchange(cursor_hidden_, false)) Write(err_, kShowCursor);
}

int Console::OutFailure() {
  const std::lock_guard lock(mutex_);
  return out_.failure == EPIPE ? 0 : out_.failure;
}

void Console::Erase() {
  if (std::exchange(drawn_, false)) Write(err_, kEraseLine);
}

void Console::Draw() {
  const bool free = !err_.mid_line && !(options_.same_place && out_.mid_line);
  if (live_.empty() || !free) return;
  std::string line;
  if (!std::exchange(cursor_hidden_, true)) line += kHideCursor;
  line += live_;
  Write(err_, line);
  drawn_ = true;
}

void Console::BreakLine(Stream& stream) {
  if (stream.mid_line) WriteText(stream, "\n");
}

void Console::WriteText(Stream& stream, std::string_view text) {
  Write(stream, text);
  stream.mid_line = !text.ends_with('\n');
}

bool Console::WaitFor(const Stream& stream) const {
  const auto begin = std::chrono::steady_clock::now();
  for (pollfd waiting{stream.fd, POLLOUT, 0};;) {
    const int ready = ::poll(&waiting, 1, kLookUp);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;  // the write tells what is wrong
    if (std::chrono::steady_clock::now() - begin >= patience_.load()) return false;
  }
}

void Console::Write(Stream& stream, std::string_view text) {
  while (!text.empty() && !stream.closed) {
    if (!WaitFor(stream)) {
      stream.closed = true;
      return;
    }
    const ssize_t written = ::write(stream.fd, text.data(), std::min(text.size(), kPiece));
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      stream.failure = errno;
      stream.closed = true;
    }
  }
}

}  // namespace awf::cli
