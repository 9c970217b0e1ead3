// Each tests/fixtures/workflows/NAME.yaml must give exactly the findings of NAME.expected: a line each,
// "SEVERITY CODE line:column", in the order in which they are reported.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "application/validation/test_catalogue.h"
#include "domain/test_folder.h"
#include "infrastructure/regex/re2_regex.h"
#include "infrastructure/yaml/workflow_loader.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

fs::path Folder() {
  const char* root = std::getenv("AWF_SOURCE_DIR");
  return fs::path(root == nullptr ? "." : root) / "tests/fixtures/workflows";
}

std::string_view Name(Severity severity) {
  if (severity == Severity::kError) return "error";
  return severity == Severity::kWarning ? "warning" : "note";
}

std::string Lines(const std::vector<Finding>& findings) {
  std::string lines;
  for (const Finding& finding : findings) {
    const Error& error = finding.error;
    lines += std::string(Name(finding.severity)) + " " + error.code + " " + std::to_string(error.position.line) + ":" +
             std::to_string(error.position.column) + "\n";
  }
  return lines;
}

std::optional<std::string> EmptyEnvironment(const std::string&) { return std::nullopt; }

class FilesOnDisk final : public TextFiles {
 public:
  std::expected<std::string, Error> Read(const fs::path& path) override {
    if (!Exists(path)) return Fail("USER.INPUT.MISSING_FILE", "there is no file " + path.string());
    return FileText(path);
  }
  bool Exists(const fs::path& path) override { return fs::is_regular_file(path); }
};

std::string Described(const LoadedWorkflow& loaded) {
  std::string text;
  for (const Finding& finding : loaded.findings) {
    const Error& error = finding.error;
    text += std::to_string(error.position.line) + ":" + std::to_string(error.position.column) + " " + error.code +
            " [" + error.step + "|" + error.field + "] " + error.message +
            (error.hint.empty() ? "" : " (" + error.hint + ")") + "\n";
  }
  return text;
}

TEST(WorkflowFixtures, GiveTheirFindings) {
  const Re2Compiler regexes;
  FilesOnDisk files;
  FakeCatalogue plugins;
  const ValidationContext context{EmptyEnvironment, &regexes, &files, Folders::From(EmptyEnvironment, Folder()),
                                  nullptr,          &plugins};
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(Folder())) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const LoadedWorkflow loaded = LoadWorkflow(entry.path().string(), context);
    const fs::path expected = fs::path(entry.path()).replace_extension(".expected");
    ASSERT_TRUE(fs::exists(expected)) << expected << " is missing for\n" << Described(loaded);
    EXPECT_EQ(Lines(loaded.findings), FileText(expected)) << entry.path().filename() << "\n" << Described(loaded);
    for (const Finding& finding : loaded.findings) EXPECT_EQ(finding.error.position.file, entry.path().string());
  }
  EXPECT_GE(count, 195);
}

}  // namespace
}  // namespace awf
