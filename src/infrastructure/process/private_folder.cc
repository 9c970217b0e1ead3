#include "infrastructure/process/private_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "domain/random_id.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/process/process_tree.h"
#include "infrastructure/process/remove_tree.h"

namespace awf::process {
namespace {

// Of the 107 bytes that a socket's path may have, a step's name takes about 45; this leaves 25 for what lies in it.
constexpr std::size_t kLongestBase = 36;
constexpr std::string_view kPrefix = "s-";

std::unexpected<Error> Denied(const std::filesystem::path& folder, const std::string& why) {
  return Fail("SYSTEM.IO.PERMISSION_DENIED", folder.string() + " cannot hold private files: " + why + ".",
              "Remove it, or set XDG_RUNTIME_DIR to a folder of your own.");
}

bool IsOwnFolder(const std::filesystem::path& folder) {
  struct stat status{};
  return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

bool Suits(const std::filesystem::path& runtime_dir) {
  return runtime_dir.is_absolute() && (runtime_dir / "awf").native().size() <= kLongestBase &&
         IsOwnFolder(runtime_dir) && ::access(runtime_dir.c_str(), W_OK | X_OK) == 0;
}

// Makes the folder when missing, and holds its descriptor against what is expected: no link, ours, nobody else's eyes.
std::expected<void, Error> Claim(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return Fail("SYSTEM.IO.WRITE_FAILED",
                "cannot make " + folder.string() + ": " + std::generic_category().message(errno));
  }
  const Fd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!opened || ::fstat(opened.get(), &status) != 0) return Denied(folder, "it is no folder, or a link");
  if (status.st_uid != ::geteuid()) return Denied(folder, "it belongs to another user");
  if ((status.st_mode & 07777) != S_IRWXU && ::fchmod(opened.get(), S_IRWXU) != 0) {
    return Denied(folder, "its mode is not 0700");
  }
  return {};
}

// Process numbers mean something within one namespace only; containers may share a folder.
std::string ProcessNamespace() {
  struct stat status{};
  if (::stat("/proc/self/ns/pid", &status) != 0) return "0";
  char digits[16];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, status.st_ino, 36);
  return std::string(digits, end);
}

struct Owner {
  pid_t pid = 0;
  std::uint64_t start = 0;
  std::string process_namespace;
};

// s-PID-STARTTIME-HEX-NAMESPACE
std::optional<Owner> ParseName(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::vector<std::string_view> parts;
  for (std::size_t dash = 0; dash != std::string_view::npos;) {
    dash = name.find('-');
    parts.push_back(name.substr(0, dash));
    if (dash != std::string_view::npos) name.remove_prefix(dash + 1);
  }
  if (parts.size() != 4) return std::nullopt;
  Owner owner;
  const auto pid = std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), owner.pid);
  const auto start = std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), owner.start);
  if (pid.ec != std::errc{} || start.ec != std::errc{}) return std::nullopt;
  owner.process_namespace = parts[3];
  return owner;
}

bool HasEnded(const Owner& owner) {
  if (owner.process_namespace != ProcessNamespace()) return false;  // nothing is known of it: let it be
  const auto process = ReadProcess(owner.pid);
  return !process || process->start != owner.start || process->ended();
}

}  // namespace

std::filesystem::path NewStepFolderIn(const std::filesystem::path& parent) {
  const auto self = ReadProcess(::getpid());
  const std::uint64_t start = self ? self->start : 0;
  return parent / (std::string(kPrefix) + std::to_string(::getpid()) + "-" + std::to_string(start) + "-" +
                   RandomHex(4) + "-" + ProcessNamespace());
}

std::expected<PrivateFolder, Error> PrivateFolder::Open() {
  const char* runtime_dir = std::getenv("XDG_RUNTIME_DIR");
  return OpenIn(runtime_dir == nullptr ? "" : runtime_dir, "/var/tmp/awf-" + std::to_string(::geteuid()));
}

std::expected<PrivateFolder, Error> PrivateFolder::OpenIn(const std::filesystem::path& runtime_dir,
                                                          const std::filesystem::path& fallback) {
  const std::filesystem::path folder = Suits(runtime_dir) ? runtime_dir / "awf" : fallback;
  if (auto claimed = Claim(folder); !claimed) return std::unexpected(claimed.error());
  return PrivateFolder(folder);
}

int PrivateFolder::SweepLeftovers() const {
  int swept = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    const auto owner = ParseName(entry->path().filename().native());
    if (owner && HasEnded(*owner) && RemoveTree(entry->path())) ++swept;
  }
  return swept;
}

}  // namespace awf::process
