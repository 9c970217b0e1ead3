#include "infrastructure/telemetry/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>

#include "domain/random_id.h"
#include "domain/timestamp.h"
#include "infrastructure/telemetry/file_failure.h"
#include "infrastructure/telemetry/record_cut.h"

namespace awf::telemetry {
namespace {

constexpr std::size_t kLongestRunId = 64;

bool IsRunId(std::string_view text) {
  if (text.empty() || text.size() > kLongestRunId || text.front() == '.' || text.front() == '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
}

std::expected<void, Error> MakePrivate(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return MakeFailure(folder, errno);
  struct stat info{};
  if (::stat(folder.c_str(), &info) != 0) return MakeFailure(folder, errno);
  if (!S_ISDIR(info.st_mode)) return MakeFailure(folder, ENOTDIR);
  return {};
}

// The storage and what is missing above it, all 0700 as the XDG convention wants it.
std::expected<void, Error> MakeWithParents(const std::filesystem::path& folder) {
  std::filesystem::path built;
  for (const std::filesystem::path& part : folder) {
    built /= part;
    if (auto made = MakePrivate(built); !made) return made;
  }
  return {};
}

// A new file with that content, on disk when this returns.
std::expected<void, Error> WriteNew(const std::filesystem::path& path, std::string_view text) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return MakeFailure(path, errno);
  if (const int error = WriteAll(fd.get(), text)) return MakeFailure(path, error);
  if (::fsync(fd.get()) != 0) return MakeFailure(path, errno);
  return {};
}

// The file as a whole, whatever was there: a reader never sees half of it.
std::expected<void, Error> Replace(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary = path.string() + ".new";
  ::unlink(temporary.c_str());  // left by a crash of an earlier owner
  if (auto written = WriteNew(temporary, text); !written) return written;
  if (::rename(temporary.c_str(), path.c_str()) != 0) return MakeFailure(path, errno);
  return {};
}

// A run.json is small; what is larger is none.
constexpr std::size_t kLongestManifest = 16U << 20;

std::expected<std::string, Error> ReadSmall(const std::filesystem::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return ReadFailure(path, errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return ReadFailure(path, errno);
  if (!S_ISREG(info.st_mode)) return ReadFailure(path, EINVAL);
  if (static_cast<std::size_t>(info.st_size) > kLongestManifest) return ReadFailure(path, EFBIG);
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t got = ::read(fd.get(), text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadFailure(path, errno);
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  return text;
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path path, std::string run_id)
    : path_(std::move(path)), run_id_(std::move(run_id)) {}

std::expected<RunFolder, Error> RunFolder::Create(const std::filesystem::path& storage, const std::string& run_id,
                                                  WallClock::time_point now) {
  if (!run_id.empty() && !IsRunId(run_id)) {
    return Fail("USER.INPUT.INVALID_FORMAT", "run id '" + run_id + "' is malformed",
                "Use letters, digits, '-', '_' and '.', at most 64, the first a letter or digit.");
  }
  const std::filesystem::path runs = std::filesystem::absolute(storage) / "runs";
  if (auto made = MakeWithParents(runs); !made) return std::unexpected(made.error());
  for (;;) {
    const std::string id = run_id.empty() ? CompactUtc(now) + "-" + RandomHex(4) : run_id;
    const std::filesystem::path path = runs / id;
    if (::mkdir(path.c_str(), 0700) == 0) {
      RunFolder folder(path, id);
      if (auto locked = folder.Lock(); !locked) return std::unexpected(locked.error());
      return folder;
    }
    if (errno != EEXIST) return MakeFailure(path, errno);
    if (!run_id.empty()) {
      return Fail("USER.INPUT.INVALID_FORMAT", "run id '" + run_id + "' is taken",
                  "Leave --run-id out, or choose another.");
    }
  }
}

std::expected<void, Error> RunFolder::WriteWorkflow(std::string_view text) const {
  return Replace(StoredWorkflow(), text);
}

// A record lock, not flock: it belongs to the process, so a child that lives longer (or has not yet begun its program)
// never holds it, and the kernel names its owner.
std::expected<void, Error> RunFolder::Lock() {
  const std::filesystem::path path = path_ / "lock";
  lock_ = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_) return MakeFailure(path, errno);
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(lock_.get(), F_SETLK, &lock) == 0) return {};
  if (errno != EACCES && errno != EAGAIN) return MakeFailure(path, errno);
  std::string owner = "another process";
  // A pid of 0 or less: it runs in another container or on another machine.
  if (::fcntl(lock_.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0)
    owner = "process " + std::to_string(lock.l_pid);
  return Fail("USER.RUN.BUSY", "run " + run_id_ + " is in use by " + owner, "Wait until it has ended, or end it.");
}

std::expected<RunFolder, Error> RunFolder::Reopen(const std::filesystem::path& path) {
  RunFolder folder(std::filesystem::absolute(path), path.filename().string());
  if (auto locked = folder.Lock(); !locked) return std::unexpected(locked.error());
  return folder;
}

std::expected<ReadBackManifest, Error> RunFolder::ReadManifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "run.json";
  const auto text = ReadSmall(path);
  if (!text) return std::unexpected(text.error());
  auto manifest = ParseManifest(*text);
  if (!manifest) {
    return Fail("USER.RUN.NOT_RESUMABLE", path.string() + " is damaged: " + manifest.error(),
                "Start a new run; this one cannot be taken up again.");
  }
  return std::move(*manifest);
}

std::expected<void, Error> RunFolder::WriteManifest(const RunManifest& manifest, const Masker& masker) const {
  const json::object run = ToJson(manifest, run_id_, RunOwner::ThisProcess());
  json::value masked = RepairStrings(masker.MaskJson(run));
  // A digest holds no secret, but a pattern of the user may take it for one; the chain is checked against it.
  masked.as_object()["audit"] = run.at("audit");
  return Replace(path_ / "run.json", json::serialize(masked) + "\n");
}

}  // namespace awf::telemetry
