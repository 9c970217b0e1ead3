#include "infrastructure/builtins/git_layout.h"

#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace awf::builtins {
namespace {

namespace fs = std::filesystem;

// The first line of a small file, without its line end.
std::string FirstLine(const fs::path& file) {
  constexpr std::size_t kLongest = 8192;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};  // opening a FIFO would wait
  std::ifstream in(file, std::ios::binary);
  std::string text(kLongest, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  text.resize(std::min(text.size(), text.find_first_of("\r\n")));
  return text;
}

// The real path of a git directory named in a file, or "".
fs::path GitDirectory(const fs::path& base, std::string_view named) {
  if (named.empty()) return {};
  std::error_code error;
  fs::path real = fs::canonical(base / fs::path(named), error);
  if (error || !fs::exists(real / "HEAD", error)) return {};
  return real;
}

void AddDirectory(GitLayout& layout, const fs::path& base, std::string_view named) {
  const fs::path directory = GitDirectory(base, named);
  if (directory.empty()) return;
  layout.directories.push_back(directory);
  const fs::path common = GitDirectory(directory, FirstLine(directory / "commondir"));
  if (!common.empty()) layout.directories.push_back(common);
}

}  // namespace

GitLayout FindGitLayout(const fs::path& start) {
  constexpr std::string_view kPrefix = "gitdir: ";
  GitLayout layout{start, {}};
  for (fs::path folder = start;; folder = folder.parent_path()) {
    const fs::path git = folder / ".git";
    std::error_code error;
    const fs::file_status status = fs::status(git, error);
    if (fs::is_directory(status)) {
      layout.top = folder;
      AddDirectory(layout, folder, ".git");
      return layout;
    }
    if (fs::is_regular_file(status)) {
      layout.top = folder;
      const std::string line = FirstLine(git);
      if (line.starts_with(kPrefix)) AddDirectory(layout, folder, std::string_view(line).substr(kPrefix.size()));
      return layout;
    }
    if (!folder.has_relative_path()) return layout;
  }
}

}  // namespace awf::builtins
