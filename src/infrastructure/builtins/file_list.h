// FileList: the files that a walk found, in path order (component by component), for Grep to hand out.
//
// Kept small: a folder's path once, names beside each other, 8 bytes an entry; at most kMaxListedFiles. Filling is
// thread-safe (it is the walk's visitor); Sort once after the walk, reading is thread-safe then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/builtins/file_filter.h"
#include "infrastructure/builtins/walker.h"

namespace awf::builtins {

inline constexpr std::size_t kMaxListedFiles = 2'000'000;

class FileList final : public WalkVisitor {
 public:
  // The filter must outlive the list.
  explicit FileList(const FileFilter& filter, std::size_t max_files = kMaxListedFiles)
      : filter_(filter), max_files_(max_files) {}

  WalkInterest Folder(std::string_view path) const override { return filter_.Folder(path); }
  WalkInterest File(std::string_view path) const override { return filter_.File(path); }
  bool Found(const WalkedFolder& folder) override;

  void Sort();
  std::size_t size() const { return order_.size(); }
  // Relative to the start of the walk.
  void PathAt(std::size_t index, std::string& path) const;
  // True when the walk found more than fits.
  bool full() const { return full_; }

 private:
  struct ListedFolder {
    std::string path;
    std::string names;  // sorted, each with a NUL at the end
  };
  struct Place {
    std::uint32_t folder = 0;
    std::uint32_t name = 0;  // offset in the folder's names
  };

  const FileFilter& filter_;
  const std::size_t max_files_;
  std::mutex mutex_;
  std::vector<ListedFolder> folders_;
  std::size_t found_ = 0;
  bool full_ = false;
  std::vector<Place> order_;
};

}  // namespace awf::builtins
