#include "infrastructure/builtins/glob_search.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "infrastructure/builtins/access_rules.h"
#include "infrastructure/builtins/file_filter.h"
#include "infrastructure/builtins/path_walk.h"
#include "infrastructure/builtins/search_notes.h"

namespace awf::builtins {
namespace {

struct Match {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  std::string path;  // as shown
};

// The order of the answer. As the order of a heap it puts the last one of the answer on top.
bool Before(const Match& a, const Match& b) {
  if (a.seconds != b.seconds) return a.seconds > b.seconds;
  if (a.nanoseconds != b.nanoseconds) return a.nanoseconds > b.nanoseconds;
  return a.path < b.path;
}

bool OlderThan(const Match& a, const Match& b) {
  return a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds;
}

// Keeps the first `limit` matches of the answer and counts all. Thread-safe.
class NewestMatches {
 public:
  // `unique`: the same file may come twice, from overlapping alternatives.
  NewestMatches(std::size_t limit, bool unique) : limit_(limit), unique_(unique) {}

  // Most files of a large tree are too old to be shown: `path_of` is asked only for those that are not.
  template <typename PathOf>
  void Add(std::string_view real_folder, std::string_view name, const timespec& time, PathOf path_of) {
    const std::lock_guard lock(mutex_);
    if (unique_ && !seen_.insert(std::hash<std::string>()(std::string(real_folder).append(name))).second) return;
    ++total_;
    Match match{time.tv_sec, time.tv_nsec, {}};
    if (best_.size() == limit_) {
      if (limit_ == 0 || OlderThan(match, best_.front())) return;
      match.path = path_of();
      if (!Before(match, best_.front())) return;
      std::ranges::pop_heap(best_, Before);
      best_.pop_back();
    } else {
      match.path = path_of();
    }
    best_.push_back(std::move(match));
    std::ranges::push_heap(best_, Before);
  }

  void Finish(GlobMatches& out) {
    std::ranges::sort(best_, Before);
    for (Match& match : best_) out.paths.push_back(std::move(match.path));
    out.total = total_;
  }

 private:
  const std::size_t limit_;
  const bool unique_;
  std::mutex mutex_;
  std::uint64_t total_ = 0;
  std::vector<Match> best_;  // a heap
  std::unordered_set<std::size_t> seen_;
};

class MatchVisitor final : public WalkVisitor {
 public:
  MatchVisitor(const Confinement& confinement, const OpenedPath& start, const GlobPattern& pattern,
               NewestMatches& matches)
      : confinement_(confinement), start_(start), pattern_(pattern), matches_(matches) {}

  WalkInterest Folder(std::string_view path) const override { return FolderInterest(pattern_, path); }
  WalkInterest File(std::string_view path) const override { return FileInterest(pattern_, path); }

  bool Found(const WalkedFolder& folder) override {
    const std::string stem = folder.path.empty() ? std::string() : std::string(folder.path) + "/";
    std::string real = start_.real;
    if (!real.ends_with('/')) real += '/';
    real += stem;
    for (const WalkedFile& file : folder.files) {
      const std::string name(file.name);
      struct stat status{};
      if (file.link ? !StatTarget(folder.fd, name, status)
                    : ::fstatat(folder.fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        continue;
      }
      matches_.Add(real, name, status.st_mtim, [&] { return ShownBelow(start_.shown, stem + name); });
    }
    return true;
  }

 private:
  // A link counts when it leads to a file in the workspace, or in the folder that is searched.
  bool StatTarget(int folder, const std::string& name, struct stat& status) const {
    const Fd target(::openat(folder, name.c_str(), O_PATH | O_CLOEXEC));
    if (!target || ::fstat(target.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    const std::string real = RealPathOf(target.get());
    return (IsUnder(real, confinement_.workspace()) || IsUnder(real, start_.real)) && confinement_.MayRead(real);
  }

  const Confinement& confinement_;
  const OpenedPath& start_;
  const GlobPattern& pattern_;
  NewestMatches& matches_;
};

// Which alternatives start in which folder.
std::map<std::string, std::vector<GlobPath>> ByStart(const GlobPattern& pattern, const GlobQuery& query) {
  std::map<std::string, std::vector<GlobPath>> starts;
  for (const GlobPath& path : pattern.alternatives()) {
    if (path.segments().empty() || path.folders_only()) continue;
    const std::size_t lead = query.open_lead ? path.LiteralLead() : 0;
    std::string start = path.absolute() ? "" : query.directory;
    for (std::size_t i = 0; i < lead; ++i) start.append("/").append(path.segments()[i].text());
    if (start.empty()) start.push_back('/');
    starts[start].push_back(path.WithoutLead(lead));
  }
  return starts;
}

void Merge(const WalkReport& part, std::string_view shown_start, WalkReport& whole) {
  whole.ignored += part.ignored;
  for (std::size_t i = 0; i < part.ignored_by.size(); ++i) whole.ignored_by[i] |= part.ignored_by[i];
  whole.unreadable += part.unreadable;
  for (const std::string& name : part.unreadable_names) {
    whole.unreadable_names.push_back(ShownBelow(shown_start, name));
  }
  whole.incomplete |= part.incomplete;
}

}  // namespace

GlobMatches FindGlobMatches(const Confinement& confinement, const GlobPattern& pattern, const GlobQuery& query) {
  GlobMatches found;
  const auto starts = ByStart(pattern, query);
  NewestMatches matches(query.limit, starts.size() > 1);
  WalkOptions options;
  options.ignore_rules = !query.include_ignored;
  options.links = true;
  options.workspace = confinement.workspace();
  options.may_read = [&confinement](std::string_view real) { return confinement.MayRead(real); };
  options.deadline = query.deadline;
  options.cancelled = query.cancelled;
  for (const auto& [path, alternatives] : starts) {
    const auto start = confinement.OpenForSearch(path, "Directory");
    if (!start) {
      if (start.error().denied && !found.denied) found.denied = start.error();
      if (found.missing.empty()) found.missing = start.error().text;
      continue;
    }
    if (!S_ISDIR(start->status.st_mode)) continue;
    const GlobPattern rest(alternatives);
    MatchVisitor visitor(confinement, *start, rest, matches);
    Merge(Walk(start->fd.get(), start->real, options, visitor), start->shown, found.walk);
    if (found.walk.incomplete) break;
  }
  matches.Finish(found);
  return found;
}

}  // namespace awf::builtins
