#include "infrastructure/builtins/file_list.h"

#include <algorithm>
#include <utility>

namespace awf::builtins {
namespace {

// A slash counts less than every other byte, so that a folder's entries stay together.
bool PathLess(std::string_view a, std::string_view b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (y == b.end()) return false;
  if (x == a.end()) return true;
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return rank(*x) < rank(*y);
}

bool IsAbove(std::string_view folder, std::string_view path) {
  return folder.empty() || (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

}  // namespace

bool FileList::Found(const WalkedFolder& folder) {
  std::vector<std::string_view> names;
  names.reserve(folder.files.size());
  for (const WalkedFile& file : folder.files) names.push_back(file.name);
  std::ranges::sort(names);
  ListedFolder listed{std::string(folder.path), {}};
  for (const std::string_view name : names) listed.names.append(name).push_back('\0');

  const std::lock_guard lock(mutex_);
  found_ += names.size();
  folders_.push_back(std::move(listed));
  if (found_ >= max_files_) full_ = true;
  return !full_;
}

// Folders are sorted, then the files of a folder are put between its subfolders, where their names belong.
void FileList::Sort() {
  std::ranges::sort(folders_, PathLess, &ListedFolder::path);
  order_.reserve(found_);
  std::vector<Place> open;  // folders whose files are not all out yet, each above the next
  const auto name_at = [&](const Place& place) {
    return std::string_view(folders_[place.folder].names.data() + place.name);
  };
  // Puts out the files of the innermost open folder that come before `limit`; all of them when it is empty.
  const auto flush = [&](std::string_view limit) {
    Place& place = open.back();
    while (place.name < folders_[place.folder].names.size()) {
      const std::string_view name = name_at(place);
      if (!limit.empty() && name > limit) return;
      order_.push_back(place);
      place.name += static_cast<std::uint32_t>(name.size() + 1);
    }
  };
  for (std::uint32_t i = 0; i < folders_.size(); ++i) {
    const std::string_view path = folders_[i].path;
    while (!open.empty() && !IsAbove(folders_[open.back().folder].path, path)) {
      flush({});
      open.pop_back();
    }
    if (!open.empty()) {
      const std::size_t above = folders_[open.back().folder].path.size();
      const std::string_view below = path.substr(above == 0 ? 0 : above + 1);
      flush(below.substr(0, below.find('/')));
    }
    open.push_back({i, 0});
  }
  while (!open.empty()) {
    flush({});
    open.pop_back();
  }
}

void FileList::PathAt(std::size_t index, std::string& path) const {
  const Place& place = order_[index];
  const ListedFolder& folder = folders_[place.folder];
  path = folder.path;
  if (!path.empty()) path += '/';
  path += folder.names.data() + place.name;
}

}  // namespace awf::builtins
