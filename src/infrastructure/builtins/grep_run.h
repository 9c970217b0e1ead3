// GrepRun: searches a list of files on several threads, in order, so that what is shown are the first matches in path
// order; once enough was collected, the rest is only counted, for a limited time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "domain/time.h"
#include "infrastructure/builtins/file_list.h"
#include "infrastructure/builtins/file_search.h"

namespace awf::builtins {

enum class GrepMode : std::uint8_t { kContent, kFiles, kCount };

struct GrepRunOptions {
  GrepMode mode = GrepMode::kContent;
  std::size_t before = 0, after = 0;
  std::size_t max_lines = 0;  // of output: matching lines, or files
  std::size_t max_text = 0;   // bytes of text
  Deadline deadline;
  std::stop_token cancelled;
};

struct GrepFile {
  std::size_t index = 0;  // in the list
  FileMatches matches;
};

struct GrepReport {
  std::vector<GrepFile> files;  // in order; with matches; as far as they were collected
  std::uint64_t matches = 0;    // in all files
  std::uint64_t matched_files = 0;
  std::vector<std::string> unreadable;  // sorted; the first of them
  std::size_t unreadable_count = 0;
  std::vector<std::string> too_large;
  std::size_t too_large_count = 0;
  bool incomplete = false;  // not all files were searched
};

class GrepRun {
 public:
  GrepRun(const GrepPattern& pattern, const GrepRunOptions& options);

  // Searches the files of the list, below the folder `start`, which binary ones are left out of.
  GrepReport Files(int start, const FileList& list);
  // Searches one open file, which was asked for by its name.
  GrepReport File(int fd);

 private:
  void Work(int start, const FileList& list);
  void Take(std::size_t index, const std::string& path, FileMatches matches, bool collect);
  void Note(const std::string& path, std::size_t& count, std::vector<std::string>& names);
  bool Enough() const;
  // `counting`: a file has all that is wanted, so the time for counting runs from now on at the latest.
  bool Stopped(bool counting);
  void StartCounting();
  FileSearchOptions SearchOptions(bool skip_binary) const;

  const GrepPattern& pattern_;
  const GrepRunOptions options_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> lines_{0};  // collected so far
  std::atomic<std::size_t> text_{0};
  std::atomic<SteadyClock::rep> counting_until_{0};  // 0: nothing is only counted yet
  std::mutex large_;
  std::mutex mutex_;  // guards the report
  GrepReport report_;
};

}  // namespace awf::builtins
