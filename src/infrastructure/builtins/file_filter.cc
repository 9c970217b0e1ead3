#include "infrastructure/builtins/file_filter.h"

#include <utility>

namespace awf::builtins {

WalkInterest FolderInterest(const GlobPattern& pattern, std::string_view path) {
  switch (pattern.ReachOf(path)) {
    case GlobReach::kNone:
      return WalkInterest::kNone;
    case GlobReach::kBelow:
      return WalkInterest::kWanted;
    case GlobReach::kNamed:
      return WalkInterest::kNamed;
  }
  return WalkInterest::kNone;
}

WalkInterest FileInterest(const GlobPattern& pattern, std::string_view path) {
  WalkInterest interest = WalkInterest::kNone;
  for (const GlobPath& one : pattern.alternatives()) {
    if (!one.Matches(path)) continue;
    if (one.NamesFile()) return WalkInterest::kNamed;
    interest = WalkInterest::kWanted;
  }
  return interest;
}

std::expected<FileFilter, std::string> FileFilter::Compile(std::string_view glob, std::string_view start) {
  FileFilter filter;
  if (glob.starts_with('!')) {
    filter.inverted_ = true;
    glob.remove_prefix(1);
  }
  auto pattern = GlobPattern::Compile(glob);
  if (!pattern) return std::unexpected(std::move(pattern.error()));
  filter.by_name_ = glob.find('/') == std::string_view::npos;
  if (!filter.by_name_ && !start.empty()) filter.start_ = std::string(start) + "/";
  filter.pattern_ = std::move(*pattern);
  return filter;
}

WalkInterest FileFilter::Folder(std::string_view path) const {
  if (!pattern_ || by_name_ || inverted_) return WalkInterest::kWanted;
  return start_.empty() ? FolderInterest(*pattern_, path) : FolderInterest(*pattern_, start_ + std::string(path));
}

WalkInterest FileFilter::File(std::string_view path) const {
  if (!pattern_) return WalkInterest::kWanted;
  const std::string full = start_.empty() ? std::string() : start_ + std::string(path);
  std::string_view looked_at = start_.empty() ? path : full;
  if (by_name_) looked_at.remove_prefix(looked_at.rfind('/') + 1);
  if (inverted_) return pattern_->Matches(looked_at) ? WalkInterest::kNone : WalkInterest::kWanted;
  return FileInterest(*pattern_, looked_at);
}

}  // namespace awf::builtins
