#include "cli/demo_project.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "cli/demo_files.h"

namespace awf::cli {
namespace {

constexpr std::string_view kProjectPrefix = "demo-project/";
constexpr std::string_view kWorkflowPrefix = "workflows/";

}  // namespace

std::expected<DemoProject, Error> DemoProject::Make() {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) parent = "/tmp";
  std::string pattern = (parent / "awf-demo-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return Fail("SYSTEM.IO.WRITE_FAILED", "cannot make a folder in " + parent.string() + ": " + std::strerror(errno),
                "set TMPDIR to a folder that you can write");
  }
  DemoProject demo{std::filesystem::path(pattern)};
  if (auto written = demo.WriteFiles(); !written) return std::unexpected(std::move(written.error()));
  return demo;
}

std::expected<void, Error> DemoProject::WriteFiles() const {
  for (const EmbeddedFile& file : kDemoFiles) {
    const std::filesystem::path target = file.path.starts_with(kProjectPrefix)
                                             ? project() / file.path.substr(kProjectPrefix.size())
                                             : folder_ / file.path.substr(kWorkflowPrefix.size());
    std::error_code error;
    std::filesystem::create_directories(target.parent_path(), error);
    std::ofstream out(target, std::ios::binary);
    out << file.contents;
    out.close();
    if (error || !out) return Fail("SYSTEM.IO.WRITE_FAILED", "cannot write " + target.string());
  }
  return {};
}

DemoProject::DemoProject(DemoProject&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), keep_(other.keep_) {}

DemoProject::~DemoProject() {
  if (keep_ || folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace awf::cli
