// The sample project of `awf demo`: a small shell program whose test fails, in a temporary folder, and the workflow
// that repairs it. Both come from examples/, embedded in the program.
#pragma once

#include <expected>
#include <filesystem>

#include "domain/error.h"

namespace awf::cli {

// Owns a folder below the system's temporary folder; deletes it with all in it unless Keep() was called.
class DemoProject {
 public:
  static std::expected<DemoProject, Error> Make();
  DemoProject(DemoProject&& other) noexcept;
  DemoProject& operator=(DemoProject&&) = delete;
  ~DemoProject();

  std::filesystem::path project() const { return folder_ / "project"; }
  std::filesystem::path workflow() const { return folder_ / "fix-failing-test.yaml"; }
  const std::filesystem::path& folder() const { return folder_; }
  void Keep() { keep_ = true; }

 private:
  explicit DemoProject(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::expected<void, Error> WriteFiles() const;

  std::filesystem::path folder_;
  bool keep_ = false;
};

}  // namespace awf::cli
