// TemporaryTree: a folder of its own for one test, filled by paths and texts, deleted at the end. For tests only.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace awf::builtins {

class TemporaryTree {
 public:
  TemporaryTree() {
    std::string pattern = "/var/tmp/awf-search-test-XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    path_ = std::filesystem::canonical(pattern).string();
  }
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;
  ~TemporaryTree() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Parents are made; "" as text makes an empty file.
  void File(std::string_view name, std::string_view text = "") const {
    const std::filesystem::path file = *this / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << text;
    EXPECT_TRUE(out.good()) << file;
  }
  void Folder(std::string_view name) const { std::filesystem::create_directories(*this / name); }
  void Link(std::string_view name, const std::string& target) const {
    std::filesystem::create_symlink(target, *this / name);
  }

 private:
  std::string path_;
};

}  // namespace awf::builtins
