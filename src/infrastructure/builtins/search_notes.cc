#include "infrastructure/builtins/search_notes.h"

#include <algorithm>
#include <array>

namespace awf::builtins {

std::string ShownBelow(std::string_view shown_start, std::string_view path) {
  if (path.empty() || path == ".") return std::string(shown_start);
  if (shown_start == ".") return ShownName(path);
  std::string shown(shown_start);
  if (!shown.ends_with('/')) shown += '/';
  return shown + ShownName(path);
}

std::string NameList(const std::vector<std::string>& names, std::size_t count) {
  constexpr std::size_t kNames = 3;
  std::string list;
  const std::size_t shown = std::min(kNames, names.size());
  for (std::size_t i = 0; i < shown; ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (count > shown) list += " and " + std::to_string(count - shown) + " more";
  return list;
}

void AddWalkNotes(const WalkReport& report, Notes& notes) {
  if (report.ignored > 0) {
    constexpr std::array kSources = {IgnoreSource::kGitignore, IgnoreSource::kIgnore, IgnoreSource::kExclude,
                                     IgnoreSource::kNodeModules};
    std::string sources;
    for (const IgnoreSource source : kSources) {
      if (!report.ignored_by[static_cast<std::size_t>(source)]) continue;
      if (!sources.empty()) sources += ", ";
      sources += ToString(source);
    }
    notes.Add(Counted(report.ignored, "ignored entry", "ignored entries") + " not searched (" + sources +
              "). Set include_ignored to search " + (report.ignored == 1 ? "it." : "them."));
  }
  if (report.unreadable > 0) {
    notes.Add(Counted(report.unreadable, "unreadable directory", "unreadable directories") +
              " skipped: " + NameList(report.unreadable_names, report.unreadable));
  }
}

}  // namespace awf::builtins
