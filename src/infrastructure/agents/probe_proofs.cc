#include "infrastructure/agents/probe_proofs.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "infrastructure/agents/stream_json.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 1 << 20;  // 5000 proofs; what is larger is no file of ours

// Of a package whose files are all looked at. The largest, Gemini CLI 0.61.0, has 450, six folders deep.
constexpr std::size_t kMostEntries = 5000;
constexpr int kDeepestFolder = 32;

// What tells one state of a file from another. The time of status change shows an edit that set the other time back.
json::array Stamp(const fs::path& path, const struct stat& status) {
  return {path.string(),          status.st_size,        status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
}

std::optional<json::array> Stamp(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return Stamp(path, status);
}

// The folder of the package that the program lies in: of those with a package.json above it the nearest, but below
// node_modules the outermost, as packages have such files in their subfolders too. Empty where there is none.
fs::path PackageFolder(const fs::path& program) {
  fs::path nearest, outermost;
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (folder.filename() == "node_modules") return outermost;
    struct stat status{};
    if (::stat((folder / "package.json").c_str(), &status) != 0) continue;
    if (nearest.empty()) nearest = folder;
    outermost = folder;
  }
  return nearest;
}

// By path, as the order of a folder means nothing.
using Stamps = std::map<std::string, std::string>;

// Adds all files below the folder. False when they are too many or lie too deep, or some cannot be looked at.
bool AddFiles(const fs::path& top, std::size_t& entries, Stamps& stamps) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(top, error), end; !error && entry != end; entry.increment(error)) {
    if (++entries > kMostEntries || entry.depth() > kDeepestFolder) return false;
    struct stat status{};
    if (::lstat(entry->path().c_str(), &status) != 0) return false;
    // Links are stamped as such, never followed.
    if (S_ISDIR(status.st_mode)) continue;
    const std::string path = entry->path().string();
    stamps.emplace(path, json::serialize(Stamp(path, status)));
  }
  return !error;
}

// Digest of all files of the package, and of those beside it that carry its program for one platform (codex-linux-x64
// beside codex).
std::optional<std::string> FilesStamp(const fs::path& package) {
  Stamps stamps;
  std::size_t entries = 0;
  if (!AddFiles(package, entries, stamps)) return std::nullopt;
  std::error_code error, unreadable;
  const std::string beside = package.filename().string() + "-";
  for (fs::directory_iterator entry(package.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(beside)) continue;
    if (!fs::exists(entry->path() / "package.json", unreadable)) continue;
    if (!AddFiles(entry->path(), entries, stamps)) return std::nullopt;
  }
  std::string text;
  for (const auto& [path, stamp] : stamps) text += stamp + "\n";
  return telemetry::Sha256Hex(text);
}

// The package of the program; null where there is none.
json::value PackageStamp(const fs::path& program) {
  const fs::path folder = PackageFolder(program);
  if (folder.empty()) return nullptr;
  if (auto files = FilesStamp(folder)) return json::string(*files);
  return Stamp(folder / "package.json").value_or(json::array());
}

Error CannotWrite(const fs::path& path, int error) {
  return Fail("SYSTEM.IO.WRITE_FAILED", "cannot write " + path.string() + ": " + std::strerror(error)).error();
}

// The whole file; "" when it is missing, no regular file, another user's, or too large.
std::string Contents(const fs::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & 022) != 0 || status.st_size > static_cast<off_t>(kLargestFile)) {
    return {};
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t count = ::read(fd.get(), text.data() + have, text.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    have += static_cast<std::size_t>(count);
  }
  text.resize(have);
  return text;
}

// Digests of the proofs in the text, each with its line. Lines that are no proof are passed over: they prove nothing.
std::vector<std::pair<std::string, std::string_view>> Proofs(std::string_view text) {
  std::vector<std::pair<std::string, std::string_view>> proofs;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    const std::string_view line = text.substr(0, feed);
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
    if (feed == std::string_view::npos) break;  // cut
    const auto proof = ParseStreamLine(line);
    if (!proof) continue;
    const std::string_view digest = TextAt(*proof, "key");
    if (digest.size() == 64) proofs.emplace_back(digest, line);
  }
  return proofs;
}

std::string LineOf(const ProofKey& key, const std::string& digest) {
  return json::serialize(json::object{
      {"key", digest}, {"provider", key.provider}, {"version", key.version}, {"program", key.program.string()}});
}

// Others read either the old file or the new one, never half of it. One writer at a time: what an earlier one left of a
// new file is void.
std::expected<void, Error> Replace(const fs::path& path, const std::string& text) {
  const fs::path next = path.string() + ".new";
  ::unlink(next.c_str());
  const Fd fd(::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return std::unexpected(CannotWrite(next, errno));
  int error = WriteAll(fd.get(), text);
  if (error == 0 && ::rename(next.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(next.c_str());
  return std::unexpected(CannotWrite(path, error));
}

// Takes the old lines but those of `digest`, adds `line` unless it is empty. Writers of all processes take turns.
std::expected<void, Error> Rewrite(const fs::path& path, const std::string& digest, const std::string& line) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return std::unexpected(CannotWrite(path.parent_path(), error.value()));
  const fs::path lock_path = path.string() + ".lock";
  const Fd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) return std::unexpected(CannotWrite(lock_path, errno));
  while (::flock(lock.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return std::unexpected(CannotWrite(lock_path, errno));
  }
  const std::string old = Contents(path);
  std::string text;
  std::set<std::string, std::less<>> seen{digest};
  for (const auto& [known, known_line] : Proofs(old)) {
    if (seen.insert(known).second) text.append(known_line).append("\n");
  }
  if (!line.empty()) text += line + "\n";
  if (text == old) return {};
  return Replace(path, text);
}

}  // namespace

std::string ProofKey::Digest() const {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  if (error) return {};
  auto stamp = Stamp(real);
  if (!stamp) return {};
  std::map<std::string, json::value> sorted;
  for (const auto& [name, value] : env) sorted.emplace(name, value);
  json::array variables;
  for (const auto& [name, value] : sorted) variables.push_back(json::array{name, value});
  json::array outranking;
  for (const fs::path& file : managed) outranking.push_back(Stamp(file).value_or(json::array()));
  const json::array parts{"awf-probe-3",
                          provider,
                          version,
                          std::move(*stamp),
                          PackageStamp(real),
                          recipe,
                          intercept,
                          json::array(extra_args.begin(), extra_args.end()),
                          std::move(variables),
                          model,
                          std::move(outranking),
                          json::array(ambient.begin(), ambient.end())};
  return telemetry::Sha256Hex(json::serialize(parts));
}

ProbeProofs ProbeProofs::Assumed() {
  ProbeProofs proofs;
  proofs.assumed_ = true;
  return proofs;
}

fs::path ProbeProofs::FileFor(std::string_view xdg_state_home, std::string_view home) {
  // A relative one is no valid value.
  if (xdg_state_home.starts_with('/')) return fs::path(xdg_state_home) / "awf" / "probes.jsonl";
  if (home.starts_with('/')) return fs::path(home) / ".local/state/awf/probes.jsonl";
  return {};
}

bool ProbeProofs::Holds(const ProofKey& key) const {
  if (file_.empty()) return assumed_;
  const std::string digest = key.Digest();
  if (digest.empty()) return false;
  const std::string text = Contents(file_);
  for (const auto& [known, line] : Proofs(text)) {
    if (known == digest) return true;
  }
  return false;
}

std::expected<void, Error> ProbeProofs::Add(const ProofKey& key) const {
  if (file_.empty())
    return Fail("SYSTEM.IO.WRITE_FAILED", "there is no place for proofs: neither XDG_STATE_HOME nor HOME is set");
  const std::string digest = key.Digest();
  if (digest.empty()) {
    return Fail("SYSTEM.IO.READ_FAILED", "cannot look at " + key.program.string() + " any more");
  }
  return Rewrite(file_, digest, LineOf(key, digest));
}

std::expected<void, Error> ProbeProofs::Remove(const ProofKey& key) const {
  const std::string digest = key.Digest();
  std::error_code error;
  if (file_.empty() || digest.empty() || !fs::exists(file_, error)) return {};
  return Rewrite(file_, digest, {});
}

}  // namespace awf::agents
