// What every file of the project must keep: no path of a machine, no unfinished marks, no banned library.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace awf {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Sources() {
  const fs::path root = std::getenv("AWF_SOURCE_DIR");
  std::vector<fs::path> files;
  for (const char* top : {"mcp", "src", "bench", "fuzz"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".h" || extension == ".cc") files.push_back(entry.path());
    }
  }
  return files;
}

std::string Contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(ProjectText, NoUnfinishedMarksInSources) {
  // Spelt in pieces so that this file does not find itself.
  const std::vector<std::string> marks = {std::string("TO") + "DO", std::string("FIX") + "ME",
                                          std::string("not imple") + "mented"};
  for (const fs::path& file : Sources()) {
    if (file.string().ends_with("_test.cc")) continue;  // tests of searching have such words in their samples
    const std::string text = Contents(file);
    for (const std::string& mark : marks) EXPECT_EQ(text.find(mark), std::string::npos) << file << " has " << mark;
  }
}

// std::regex overflows the stack on long input and has exponential cases.
TEST(ProjectText, NoStandardRegex) {
  const std::string header = std::string("#include <reg") + "ex>";
  for (const fs::path& file : Sources()) EXPECT_EQ(Contents(file).find(header), std::string::npos) << file;
}

TEST(ProjectText, HeadersHavePragmaOnceAndAnOpeningParagraph) {
  for (const fs::path& file : Sources()) {
    if (file.extension() != ".h") continue;
    const std::string text = Contents(file);
    EXPECT_TRUE(text.starts_with("//")) << file << " does not say what it is";
    EXPECT_NE(text.find("#pragma once"), std::string::npos) << file;
  }
}

}  // namespace
}  // namespace awf
