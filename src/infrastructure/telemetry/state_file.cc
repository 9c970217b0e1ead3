#include "infrastructure/telemetry/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <utility>

#include "infrastructure/telemetry/file_failure.h"

namespace awf::telemetry {
namespace {

// Results of agents may nest deeper than the parser allows by itself.
constexpr std::size_t kDeepest = 512;
constexpr std::size_t kBlock = 64U << 10;

std::unexpected<Error> Damaged(const std::filesystem::path& path, std::size_t line, const std::string& what) {
  return Fail("USER.RUN.NOT_RESUMABLE", path.string() + " is damaged in line " + std::to_string(line) + ": " + what,
              "Start a new run.");
}

// So that a file made in it is there after a power failure.
int SyncFolder(const std::filesystem::path& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return errno == EINVAL || errno == EROFS ? 0 : errno;
  return 0;
}

// Where the last whole line ends: the length of the file without a cut last line. Reads from the end. -1: errno.
off_t WholeLength(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return -1;
  std::string block(kBlock, '\0');
  for (off_t end = info.st_size; end > 0;) {
    const off_t start = end > static_cast<off_t>(kBlock) ? end - static_cast<off_t>(kBlock) : 0;
    const ssize_t got = ::pread(fd, block.data(), static_cast<std::size_t>(end - start), start);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    const std::size_t feed = std::string_view(block.data(), static_cast<std::size_t>(got)).rfind('\n');
    if (feed != std::string_view::npos) return start + static_cast<off_t>(feed) + 1;
    end = start;
  }
  return 0;
}

std::expected<json::object, std::string> ParseRecord(const std::string& line) {
  json::parse_options options;
  options.max_depth = kDeepest;
  options.allow_invalid_utf8 = true;  // values of inputs may hold any bytes
  json::error_code fault;
  json::value value = json::parse(line, fault, {}, options);
  if (fault) return std::unexpected("it is no JSON: " + fault.message());
  if (!value.is_object()) return std::unexpected("it is no JSON object");
  return std::move(value.get_object());
}

}  // namespace

StateFile::StateFile(std::filesystem::path path, Fd fd, off_t length)
    : path_(std::move(path)), fd_(std::move(fd)), length_(length) {}

std::expected<std::unique_ptr<StateFile>, Error> StateFile::Create(const std::filesystem::path& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return WriteFailure(path, errno);
  if (const int error = SyncFolder(path.parent_path())) return WriteFailure(path, error);
  return std::unique_ptr<StateFile>(new StateFile(path, std::move(fd), 0));
}

std::expected<std::unique_ptr<StateFile>, Error> StateFile::Continue(const std::filesystem::path& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return WriteFailure(path, errno);
  const off_t length = WholeLength(fd.get());
  if (length < 0) return ReadFailure(path, errno);
  if (::ftruncate(fd.get(), length) != 0) return WriteFailure(path, errno);
  return std::unique_ptr<StateFile>(new StateFile(path, std::move(fd), length));
}

std::expected<RunState, Error> StateFile::Load(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return ReadFailure(path, errno != 0 ? errno : EIO);
  RunState state;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) break;  // without a line feed: cut by a crash, so not written
    ++number;
    const auto record = ParseRecord(line);
    if (!record) return Damaged(path, number, record.error());
    if (const auto applied = state.Apply(*record); !applied) return Damaged(path, number, applied.error());
  }
  if (file.bad()) return ReadFailure(path, errno != 0 ? errno : EIO);
  return state;
}

std::expected<void, Error> StateFile::Append(const json::object& record) {
  const std::string line = json::serialize(record) + "\n";
  const std::lock_guard lock(mutex_);
  if (failure_) return std::unexpected(*failure_);
  int error = WriteAll(fd_.get(), line);
  while (error == 0 && ::fdatasync(fd_.get()) != 0) error = errno == EINTR ? 0 : errno;
  if (error == 0) {
    length_ += static_cast<off_t>(line.size());
    return {};
  }
  failure_ = WriteFailure(path_, error).error();
  // A piece of a record in the middle would make the file unreadable; at its end it is passed over, so this may fail.
  [[maybe_unused]] const int ignored = ::ftruncate(fd_.get(), length_);
  return std::unexpected(*failure_);
}

void StateFile::Remove() {
  const std::lock_guard lock(mutex_);
  ::unlink(path_.c_str());
}

}  // namespace awf::telemetry
