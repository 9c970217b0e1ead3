// For tests: a fresh folder with root/, out/, tmp/ and home/, outside of /tmp (which the sandbox leaves open), removed
// at the end.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "domain/test_folder.h"
#include "domain/tool_settings.h"

namespace awf::builtins {

class TestWorkspace {
 public:
  TestWorkspace() {
    for (const char* name : {"root", "out", "tmp", "home"}) std::filesystem::create_directory(base_ / name);
  }
  TestWorkspace(const TestWorkspace&) = delete;
  TestWorkspace& operator=(const TestWorkspace&) = delete;
  ~TestWorkspace() {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(base_.path(), ignored)) {
      if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) ::chmod(entry.path().c_str(), 0755);
    }
  }

  std::filesystem::path root() const { return base_ / "root"; }
  std::filesystem::path out() const { return base_ / "out"; }
  std::filesystem::path tmp() const { return base_ / "tmp"; }
  std::filesystem::path home() const { return base_ / "home"; }

  ToolSettings Settings(SandboxMode mode = SandboxMode::kWorkspaceWrite) const {
    ToolSettings settings;
    settings.root = root();
    settings.sandbox.mode = mode;
    settings.environment = {"HOME=" + home().string(), "TMPDIR=" + tmp().string()};
    return settings;
  }

  // `path` relative to root/, or absolute.
  void Put(const std::filesystem::path& path, std::string_view bytes) const {
    std::filesystem::create_directories((root() / path).parent_path());
    std::ofstream out(root() / path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(out.good());
  }
  std::string Get(const std::filesystem::path& path) const { return FileText(root() / path); }
  bool Exists(const std::filesystem::path& path) const {
    return std::filesystem::exists(std::filesystem::symlink_status(root() / path));
  }

 private:
  const TestFolder base_{"/var/tmp"};
};

}  // namespace awf::builtins
