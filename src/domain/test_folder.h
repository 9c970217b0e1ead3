// For tests: a fresh folder that goes with its object, all in it included, and what tests ask of files. A folder or
// file that cannot be made ends the test program: nothing behind it would mean anything.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace awf {

class TestFolder {
 public:
  // `parent` where it matters that the path is short, or outside of what a sandbox leaves open.
  explicit TestFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "awf-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) ::abort();
    path_ = std::filesystem::canonical(pattern);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  operator const std::filesystem::path&() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }
  std::string string() const { return path_.string(); }

  // Writes a file of this folder, with the folders above it; gives its path.
  std::filesystem::path Put(const std::filesystem::path& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << bytes << std::flush;
    if (!out) ::abort();
    return file;
  }

 private:
  std::filesystem::path path_;
};

// All bytes of the file; "" when there is none.
inline std::string FileText(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();  // unlike an iterator it does not throw when a process ends while its /proc file is read
  return std::move(text).str();
}

inline std::vector<std::string> FileLines(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The permission bits; 0 when there is no such file.
inline unsigned FileMode(const std::filesystem::path& file) {
  struct stat info{};
  return ::stat(file.c_str(), &info) == 0 ? info.st_mode & 07777U : 0U;
}

}  // namespace awf
