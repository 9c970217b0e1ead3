#include "infrastructure/telemetry/kept_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "domain/random_id.h"
#include "domain/utf8.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/telemetry/file_failure.h"

namespace awf::telemetry {
namespace {

std::string CauseOf(int error_number) { return std::generic_category().message(error_number); }

std::unexpected<Error> Unreadable(const std::filesystem::path& path, const std::string& cause, std::string hint = {}) {
  return Fail("USER.INPUT.MISSING_FILE", "cannot read " + path.string() + ": " + cause, std::move(hint));
}

// At most one byte more than is allowed, which tells that there is more. The size that fstat gives is not to be
// trusted: files of /proc say 0, and others may grow.
std::expected<std::string, int> ReadUpToLimit(int fd) {
  std::string text;
  std::array<char, 65536> piece;
  while (text.size() <= kMaxTextFileBytes) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(errno);
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// The place of the first byte that belongs to no character.
std::optional<std::size_t> FirstBadByte(std::string_view text) {
  if (IsValidUtf8(text)) return std::nullopt;
  std::size_t at = 0;
  while (at < text.size()) {
    const Utf8Step step = StepUtf8(text, at);
    if (!step.valid) break;
    at += step.length;
  }
  return at;
}

std::expected<std::string, Error> ReadTextFile(const std::filesystem::path& path) {
  // O_NONBLOCK: a pipe without a writer must not hold the run up before it is seen to be no file.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd) return Unreadable(path, CauseOf(errno));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return Unreadable(path, CauseOf(errno));
  if (S_ISDIR(info.st_mode)) return Unreadable(path, "it is a folder");
  if (!S_ISREG(info.st_mode)) return Unreadable(path, "it is not a regular file");
  std::expected<std::string, int> text = ReadUpToLimit(fd.get());
  if (!text) return Unreadable(path, CauseOf(text.error()));
  if (text->size() > kMaxTextFileBytes) return Unreadable(path, "it is longer than 1 MiB");
  if (const auto bad = FirstBadByte(*text)) {
    return Unreadable(path, "it is not UTF-8 text (at byte " + std::to_string(*bad) + ")",
                      "Convert the file to UTF-8.");
  }
  return std::move(*text);
}

bool IsThere(const std::filesystem::path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

// The folders from `top` down to that of `file`.
std::expected<void, Error> MakeFolders(const std::filesystem::path& top, const std::filesystem::path& file) {
  std::filesystem::path folder = top;
  const std::filesystem::path below = file.parent_path().lexically_relative(top);
  const auto make = [&]() -> std::expected<void, Error> {
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return MakeFailure(folder, errno);
    return {};
  };
  if (auto made = make(); !made) return made;
  for (const std::filesystem::path& part : below) {
    if (part == ".") continue;
    folder /= part;
    if (auto made = make(); !made) return made;
  }
  return {};
}

// By a temporary file in `top`, so that a copy is whole or not there.
std::expected<void, Error> WriteCopy(const std::filesystem::path& top, const std::filesystem::path& copy,
                                     std::string_view text) {
  if (auto made = MakeFolders(top, copy); !made) return made;
  const std::filesystem::path temporary = top / (".new-" + RandomHex(8));
  const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return MakeFailure(temporary, errno);
  int error = WriteAll(fd.get(), text);
  if (error == 0 && ::fsync(fd.get()) != 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), copy.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return MakeFailure(copy, error);
}

// Loops read the same file again and again: no need to write the same copy each time.
bool Holds(const std::filesystem::path& copy, const std::string& text) {
  if (!IsThere(copy)) return false;
  const std::expected<std::string, Error> kept = ReadTextFile(copy);
  return kept && *kept == text;
}

}  // namespace

std::expected<std::string, Error> PlainFiles::Read(const std::filesystem::path& path) { return ReadTextFile(path); }

bool PlainFiles::Exists(const std::filesystem::path& path) { return IsThere(path); }

std::expected<std::string, Error> KeptFiles::Read(const std::filesystem::path& path) {
  const std::filesystem::path copy = CopyOf(path);
  const std::lock_guard lock(mutex_);
  if (Replays(copy)) return ReadTextFile(copy);
  std::expected<std::string, Error> text = ReadTextFile(path);
  if (!text) return text;
  live_.insert(copy);
  if (Holds(copy, *text)) return text;
  if (auto written = WriteCopy(folder_, copy, *text); !written) return std::unexpected(std::move(written.error()));
  return text;
}

std::expected<std::string, Error> KeptFiles::ReadNow(const std::filesystem::path& path) { return ReadTextFile(path); }

bool KeptFiles::Exists(const std::filesystem::path& path) {
  const std::filesystem::path copy = CopyOf(path);
  const std::lock_guard lock(mutex_);
  return Replays(copy) || IsThere(path);
}

// What this owner of the run has read from the file itself goes on coming from there.
bool KeptFiles::Replays(const std::filesystem::path& copy) const {
  return replay_ && !live_.contains(copy) && IsThere(copy);
}

// /home/ann/p.md is kept as home/ann/p.md: absolute and normal paths hold no "..".
std::filesystem::path KeptFiles::CopyOf(const std::filesystem::path& path) const {
  return folder_ / ("/" / path).lexically_normal().relative_path();
}

}  // namespace awf::telemetry
