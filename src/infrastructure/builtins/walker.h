// Walk: visits a folder tree on several threads, fast: openat and getdents64 only, no stat; folders wait in a
// last-in-first-out queue as open descriptors, of which there are at most kMaxQueuedDescriptors (the rest wait as
// paths).
//
// No link is followed, so nothing outside of the start is reached, and loops do not exist. Nothing below `.git` is
// visited, and /proc, /sys, /dev only when the walk starts in there. Ignore rules (.gitignore, .ignore,
// .git/info/exclude, node_modules) leave out files and folders, except what the visitor calls named; below a folder
// that is ignored but named, or that is the start, no rule holds any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time.h"
#include "infrastructure/builtins/ignore_files.h"

namespace awf::builtins {

inline constexpr int kMaxQueuedDescriptors = 128;

// How many threads a search uses: one per processor, at least 2, at most 8.
int SearchThreads();

enum class WalkInterest : std::uint8_t {
  kNone,
  kWanted,
  kNamed,  // wanted even if it is ignored
};

struct WalkedFile {
  std::string_view name;
  bool link = false;  // a symbolic link, to whatever
};

struct WalkedFolder {
  std::string_view path;  // relative to the start; "" is the start
  int fd = -1;            // open during the call
  std::span<const WalkedFile> files;
};

// Called from several threads at once. Paths are relative to the start.
class WalkVisitor {
 public:
  virtual ~WalkVisitor() = default;
  virtual WalkInterest Folder(std::string_view path) const = 0;
  virtual WalkInterest File(std::string_view path) const = 0;
  // The wanted files of a folder, in no order; not called when there are none. False ends the walk.
  virtual bool Found(const WalkedFolder& folder) = 0;
};

struct WalkOptions {
  bool ignore_rules = true;
  bool links = false;     // links are reported like files
  std::string workspace;  // real path; how far up ignore files count outside of git work trees
  MayRead may_read;       // asked for the real path of each folder; empty: all
  Deadline deadline;
  std::stop_token cancelled;
};

struct WalkReport {
  std::size_t ignored = 0;                    // entries that the visitor wanted
  std::array<bool, 4> ignored_by{};           // by IgnoreSource
  std::size_t unreadable = 0;                 // folders
  std::vector<std::string> unreadable_names;  // relative to the start, sorted; the first few
  bool incomplete = false;                    // deadline, cancellation, or the visitor's wish
};

// `start` is open for reading, `real` its real path.
WalkReport Walk(int start, const std::string& real, const WalkOptions& options, WalkVisitor& visitor);

}  // namespace awf::builtins
