#include "domain/error_catalogue.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace awf {
namespace {

namespace fs = std::filesystem;

bool IsCodeCharacter(char c) { return (c >= 'A' && c <= 'Z') || c == '.' || c == '_'; }

// Codes in string literals: "CLASS.GROUP.NAME", whole.
std::set<std::string> CodesIn(const std::string& text) {
  std::set<std::string> codes;
  for (const std::string prefix : {"\"USER.", "\"WORKFLOW.", "\"EXECUTION.", "\"SYSTEM."}) {
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
      std::size_t end = at + 1;
      while (end < text.size() && IsCodeCharacter(text[end])) ++end;
      const std::string code = text.substr(at + 1, end - at - 1);
      if (end < text.size() && text[end] == '"' && std::ranges::count(code, '.') == 2 && !code.ends_with('.')) {
        codes.insert(code);
      }
    }
  }
  return codes;
}

// Code → a source that names it, tests and the catalogue itself left out.
std::map<std::string, std::string> RaisedCodes() {
  std::map<std::string, std::string> raised;
  const char* root = std::getenv("AWF_SOURCE_DIR");
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(root == nullptr ? "." : root) / "src")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".cc") && !name.ends_with(".h")) continue;
    if (name.ends_with("_test.cc") || name.starts_with("test_") || name == "error_catalogue.cc") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    for (const std::string& code : CodesIn(text.str())) raised.emplace(code, entry.path().string());
  }
  return raised;
}

TEST(ErrorCatalogue, IsSortedByClassThenCode) {
  const auto entries = ErrorCatalogue();
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const auto before = std::pair(ExitCodeOf(entries[i - 1].code), entries[i - 1].code);
    EXPECT_LT(before, std::pair(ExitCodeOf(entries[i].code), entries[i].code));
  }
}

TEST(ErrorCatalogue, EveryEntryIsComplete) {
  for (const CatalogueEntry& entry : ErrorCatalogue()) {
    EXPECT_EQ(std::ranges::count(entry.code, '.'), 2) << entry.code;
    EXPECT_TRUE(entry.description.ends_with('.')) << entry.code;
    EXPECT_TRUE(entry.resolution.ends_with('.')) << entry.code;
    std::istringstream related{std::string(entry.related)};
    for (std::string code; related >> code;) {
      EXPECT_NE(FindErrorCode(code), nullptr) << entry.code << " is related to " << code << ", which does not exist";
      EXPECT_NE(code, entry.code);
    }
  }
}

TEST(ErrorCatalogue, HoldsEveryCodeThatIsRaised) {
  for (const auto& [code, file] : RaisedCodes()) {
    EXPECT_NE(FindErrorCode(code), nullptr) << code << " is raised in " << file;
  }
}

TEST(ErrorCatalogue, HoldsOnlyCodesThatAreRaised) {
  const auto raised = RaisedCodes();
  for (const CatalogueEntry& entry : ErrorCatalogue()) {
    EXPECT_TRUE(raised.contains(std::string(entry.code))) << entry.code << " is raised nowhere";
  }
}

TEST(ErrorCatalogue, ClassGivesTheExitCode) {
  EXPECT_EQ(ExitCodeOf("USER.INPUT.INVALID_FORMAT"), 1);
  EXPECT_EQ(ExitCodeOf("WORKFLOW.PARSE.YAML_SYNTAX"), 2);
  EXPECT_EQ(ExitCodeOf("EXECUTION.AGENT.FAILED"), 3);
  EXPECT_EQ(ExitCodeOf("SYSTEM.IO.READ_FAILED"), 4);
  EXPECT_EQ(ExitCodeOf("anything else"), 4);
}

TEST(ErrorCatalogue, FindsCodesExactly) {
  ASSERT_NE(FindErrorCode("EXECUTION.AGENT.FAILED"), nullptr);
  EXPECT_EQ(FindErrorCode("EXECUTION.AGENT.FAILED")->code, "EXECUTION.AGENT.FAILED");
  EXPECT_EQ(FindErrorCode("EXECUTION.AGENT"), nullptr);
  EXPECT_EQ(FindErrorCode(""), nullptr);
}

}  // namespace
}  // namespace awf
