#include "cli/folder_listing.h"

#include <algorithm>
#include <set>
#include <system_error>

namespace awf::cli {
namespace {

namespace fs = std::filesystem;

// Deeper than anybody sorts files; bounds a folder that holds a link to itself from above.
constexpr int kDeepest = 8;

std::vector<fs::path> FilesBelow(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> files;
  std::error_code fault;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, fault);
  for (const fs::recursive_directory_iterator end; !fault && entry != end; entry.increment(fault)) {
    const std::string name = entry->path().filename().string();
    std::error_code gone;
    if (name.starts_with('.') || entry.depth() >= kDeepest) {
      if (entry->is_directory(gone)) entry.disable_recursion_pending();
      continue;
    }
    if (name.ends_with(ending) && name.size() > ending.size() && entry->is_regular_file(gone))
      files.push_back(entry->path());
  }
  return files;
}

}  // namespace

std::vector<ListedFile> ListFolders(const std::vector<fs::path>& folders, std::string_view ending, bool from_variable,
                                    const fs::path& local) {
  std::vector<ListedFile> listed;
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    const std::string source = from_variable ? "env" : folder == local ? "local" : "global";
    std::set<std::string> here;
    for (fs::path& path : FilesBelow(folder, ending)) {
      std::string name = path.lexically_relative(folder).string();
      name.resize(name.size() - ending.size());
      here.insert(name);
      const bool shadowed = names.contains(name);
      listed.push_back({std::move(name), std::move(path), source, shadowed});
    }
    names.merge(here);
  }
  std::ranges::stable_sort(listed, {}, &ListedFile::name);
  return listed;
}

}  // namespace awf::cli
