#include "infrastructure/telemetry/audit_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "domain/json.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/telemetry/audit_line.h"
#include "infrastructure/telemetry/file_failure.h"
#include "infrastructure/telemetry/record_cut.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::telemetry {
namespace {

// The cut line and the whole one before it.
constexpr std::size_t kEnough = 2 * kLongestLine + 1;

// The head that a line stands for when it is a whole record.
std::optional<AuditHead> HeadOf(std::string_view line) {
  const auto parts = SplitHash(line);
  if (!parts) return std::nullopt;
  json::error_code fault;
  const json::value record = json::parse(line, fault);
  if (fault || !record.is_object()) return std::nullopt;
  const json::value* seq = record.get_object().if_contains("seq");
  if (seq == nullptr || !seq->is_int64() || seq->get_int64() < 0) return std::nullopt;
  if (Sha256Hex(parts->hashed) != parts->hash) return std::nullopt;
  return AuditHead{seq->get_int64(), std::string(parts->hash)};
}

// Takes the last line off; its line feed, if it has one, is not part of it.
std::string_view TakeLastLine(std::string_view& text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t feed = text.rfind('\n');
  const std::string_view line = feed == std::string_view::npos ? text : text.substr(feed + 1);
  text.remove_suffix(line.size());
  return line;
}

}  // namespace

std::expected<AuditTail, Error> ReadAuditTail(const std::filesystem::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd && errno == ENOENT) return AuditTail{};
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0) return ReadFailure(path, errno);
  const auto size = static_cast<std::size_t>(info.st_size);
  std::string block(std::min(size, kEnough), '\0');
  const ssize_t got = ::pread(fd.get(), block.data(), block.size(), static_cast<off_t>(size - block.size()));
  if (got < 0) return ReadFailure(path, errno);
  block.resize(static_cast<std::size_t>(got));
  if (block.empty()) return AuditTail{};

  std::string_view rest = block;
  const std::string_view last = TakeLastLine(rest);
  if (const auto head = HeadOf(last)) return AuditTail{*head, {}};
  if (rest.empty() && size == block.size()) return AuditTail{{}, std::string(last)};
  if (const auto head = HeadOf(TakeLastLine(rest))) return AuditTail{*head, std::string(last)};
  return ReadFailure(path, "it does not end in an audit record");
}

}  // namespace awf::telemetry
