#include "infrastructure/builtins/grep_run.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "infrastructure/builtins/open_beneath.h"

namespace awf::builtins {
namespace {

constexpr std::chrono::seconds kCountingTime{20};
constexpr std::size_t kFilesPerThread = 16;  // fewer are not worth a thread
constexpr std::size_t kMaxNames = 1000;      // kept to sort; a few are shown

}  // namespace

GrepRun::GrepRun(const GrepPattern& pattern, const GrepRunOptions& options) : pattern_(pattern), options_(options) {}

FileSearchOptions GrepRun::SearchOptions(bool skip_binary) const {
  FileSearchOptions options;
  if (options_.mode == GrepMode::kContent) {
    options.before = options_.before;
    options.after = options_.after;
    options.max_lines = options_.max_lines;
    options.max_text = options_.max_text;
  }
  options.first_only = options_.mode == GrepMode::kFiles;
  options.skip_binary = skip_binary;
  return options;
}

bool GrepRun::Enough() const { return lines_.load() >= options_.max_lines || text_.load() >= options_.max_text; }

bool GrepRun::Stopped(bool counting) {
  if (counting) StartCounting();
  if (options_.cancelled.stop_requested() || Passed(options_.deadline)) return true;
  const auto until = counting_until_.load(std::memory_order_relaxed);
  return until != 0 && SteadyClock::now().time_since_epoch().count() >= until;
}

void GrepRun::StartCounting() {
  SteadyClock::rep not_yet = 0;
  if (counting_until_.load(std::memory_order_relaxed) != 0) return;
  counting_until_.compare_exchange_strong(not_yet, (SteadyClock::now() + kCountingTime).time_since_epoch().count());
}

GrepReport GrepRun::Files(int start, const FileList& list) {
  const std::size_t wanted =
      std::min<std::size_t>(static_cast<std::size_t>(SearchThreads()), list.size() / kFilesPerThread + 1);
  {
    std::vector<std::jthread> helpers;
    try {
      while (helpers.size() + 1 < wanted) helpers.emplace_back([&] { Work(start, list); });
    } catch (const std::system_error&) {  // the limit of processes is reached: fewer do it too
    }
    Work(start, list);
  }
  std::ranges::sort(report_.files, {}, &GrepFile::index);
  std::ranges::sort(report_.unreadable);
  std::ranges::sort(report_.too_large);
  return std::move(report_);
}

GrepReport GrepRun::File(int fd) {
  FileSearch search(pattern_, SearchOptions(false), [this](bool counting) { return Stopped(counting); }, large_);
  Take(0, "", search.Search(fd, true), true);
  return std::move(report_);
}

// Files are handed out in order, so all that was collected before stands before the file at hand.
void GrepRun::Work(int start, const FileList& list) {
  try {
    FileSearch search(pattern_, SearchOptions(true), [this](bool counting) { return Stopped(counting); }, large_);
    std::string path;
    for (;;) {
      const bool collect = !Enough();  // before the index is taken: only files before it may count
      const std::size_t index = next_.fetch_add(1);
      if (index >= list.size()) return;
      if (Stopped(false)) break;
      list.PathAt(index, path);
      const Fd fd = OpenBeneath(start, path.c_str(), O_RDONLY);
      if (!fd) {
        const bool gone = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
        const std::lock_guard lock(mutex_);
        if (!gone) Note(path, report_.unreadable_count, report_.unreadable);
        continue;
      }
      Take(index, path, search.Search(fd.get(), collect), collect);
    }
  } catch (const std::bad_alloc&) {  // the search ends early, the process does not
  }
  const std::lock_guard lock(mutex_);
  report_.incomplete = true;
}

void GrepRun::Take(std::size_t index, const std::string& path, FileMatches matches, bool collect) {
  if (matches.count == 0 && matches.error == 0 && !matches.too_large && !matches.stopped) return;
  const std::lock_guard lock(mutex_);
  if (matches.error != 0) Note(path, report_.unreadable_count, report_.unreadable);
  if (matches.too_large) Note(path, report_.too_large_count, report_.too_large);
  if (matches.stopped) report_.incomplete = true;
  if (matches.count == 0) return;
  report_.matches += matches.count;
  ++report_.matched_files;
  const bool by_line = options_.mode == GrepMode::kContent && !matches.binary;
  lines_.fetch_add(by_line ? matches.match_lines : 1);
  text_.fetch_add(matches.text_bytes + path.size() + 8);
  if (collect) report_.files.push_back({index, std::move(matches)});
  if (Enough()) StartCounting();
}

void GrepRun::Note(const std::string& path, std::size_t& count, std::vector<std::string>& names) {
  ++count;
  if (names.size() < kMaxNames) names.push_back(path);
}

}  // namespace awf::builtins
