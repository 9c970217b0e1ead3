#include "infrastructure/agents/project_memory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "domain/test_folder.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

class ProjectMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    home_ = top_ / "home";
    work_ = top_ / "repo" / "sub";
    fs::create_directories(home_ / ".claude");
    fs::create_directories(work_);
  }

  void Write(const fs::path& path, const std::string& text) { top_.Put(path, text); }
  ProjectMemory Load() const { return LoadClaudeMemory(home_ / ".claude", home_, work_); }

  const TestFolder top_;
  fs::path home_, work_;
};

TEST_F(ProjectMemoryTest, NoFilesNoText) {
  EXPECT_EQ(Load().text, "");
  EXPECT_TRUE(Load().warnings.empty());
}

TEST_F(ProjectMemoryTest, UserFirstThenFromTheOutermostFolderDown) {
  Write(home_ / ".claude/CLAUDE.md", "user\n");
  Write(top_ / "repo/CLAUDE.md", "outer\n\n");
  Write(work_ / "CLAUDE.local.md", "local");
  Write(work_ / ".claude/CLAUDE.md", "dot");
  Write(work_ / "CLAUDE.md", "inner");
  EXPECT_EQ(Load().text, "## " + (home_ / ".claude/CLAUDE.md").string() + "\n\nuser\n\n## " +
                             (top_ / "repo/CLAUDE.md").string() +
                             "\n\nouter\n\n## CLAUDE.md\n\ninner\n\n## .claude/CLAUDE.md\n\ndot\n\n## "
                             "CLAUDE.local.md\n\nlocal");
}

TEST_F(ProjectMemoryTest, ImportsLongerThanAnyPathAreText) {
  std::string way = "@";
  for (int i = 0; i < 100'000; ++i) way += "a/../";
  Write(work_ / "CLAUDE.md", way + "rules.md");
  Write(work_ / "rules.md", "not imported");
  const ProjectMemory memory = Load();
  EXPECT_TRUE(memory.text.ends_with("/a/../rules.md"));
  EXPECT_TRUE(memory.warnings.empty());
}

TEST_F(ProjectMemoryTest, ImportsAreFollowedOnceAndRelativeToTheirFile) {
  Write(work_ / "CLAUDE.md",
        "See @docs/rules.md, and @~/.claude/own.md\nme@example.com `@docs/code.md` @nobody\n```\n@docs/code.md\n```\n");
  Write(work_ / "docs/rules.md", "rules @more.md @../CLAUDE.md");
  Write(work_ / "docs/more.md", "more");
  Write(work_ / "docs/code.md", "not imported");
  Write(home_ / ".claude/own.md", "own");
  const ProjectMemory memory = Load();
  EXPECT_TRUE(
      memory.text.ends_with("## docs/rules.md\n\nrules @more.md @../CLAUDE.md\n\n## docs/more.md\n\nmore\n\n## " +
                            (home_ / ".claude/own.md").string() + "\n\nown"))
      << memory.text;
  EXPECT_EQ(memory.text.find("not imported"), std::string::npos);
  EXPECT_TRUE(memory.warnings.empty());
}

TEST_F(ProjectMemoryTest, AProjectReachesNoFileOutsideItButTheUserMay) {
  Write(home_ / "private.md", "private");
  Write(home_ / ".claude/CLAUDE.md", "user @../shared.md");
  Write(home_ / "shared.md", "shared");
  Write(work_ / "CLAUDE.md", "@~/private.md");
  fs::create_symlink(home_ / "private.md", work_ / "CLAUDE.local.md");
  const ProjectMemory memory = Load();
  EXPECT_NE(memory.text.find("\n\nshared"), std::string::npos);
  EXPECT_EQ(memory.text.find("\n\nprivate"), std::string::npos) << memory.text;
  EXPECT_EQ(memory.warnings,
            (std::vector<std::string>{(home_ / "private.md").string() + " was left out: it lies outside the project"}));
}

TEST_F(ProjectMemoryTest, ImportsEndAtDepthFive) {
  Write(work_ / "CLAUDE.md", "@1.md");
  for (int i = 1; i <= 6; ++i) Write(work_ / (std::to_string(i) + ".md"), "@" + std::to_string(i + 1) + ".md");
  const ProjectMemory memory = Load();
  EXPECT_NE(memory.text.find("## 5.md"), std::string::npos);
  EXPECT_EQ(memory.text.find("## 6.md"), std::string::npos);
  ASSERT_EQ(memory.warnings.size(), 1U);
  EXPECT_EQ(memory.warnings[0], "@6.md in 5.md was left out: imports nest deeper than 5");
}

TEST_F(ProjectMemoryTest, OnlyRegularFilesUpToOneMebibyte) {
  Write(work_ / "CLAUDE.md", std::string((1 << 20) + 1, 'x'));
  fs::create_directories(work_ / "CLAUDE.local.md");
  fs::create_directories(work_ / ".claude");
  ASSERT_EQ(::mkfifo((work_ / ".claude/CLAUDE.md").c_str(), 0600), 0);
  const ProjectMemory memory = Load();
  EXPECT_EQ(memory.text, "");
  EXPECT_EQ(memory.warnings, (std::vector<std::string>{"CLAUDE.md was left out: larger than 1 MiB",
                                                       ".claude/CLAUDE.md was left out: not a regular file",
                                                       "CLAUDE.local.md was left out: not a regular file"}));
}

TEST_F(ProjectMemoryTest, ExactlyOneMebibyteIsTakenAndBadBytesAreRepaired) {
  Write(work_ / "CLAUDE.md", std::string(1 << 20, 'x'));
  Write(work_ / "CLAUDE.local.md", "a\xFFz");
  const ProjectMemory memory = Load();
  EXPECT_TRUE(memory.warnings.empty());
  EXPECT_TRUE(memory.text.ends_with("## CLAUDE.local.md\n\na\xEF\xBF\xBDz"));
  EXPECT_GT(memory.text.size(), std::size_t{1} << 20);
}

TEST_F(ProjectMemoryTest, OtherFilesComeFromTheTopOfTheWorkTreeDownWithoutImports) {
  fs::create_directories(top_ / "repo/.git");
  Write(home_ / "own.md", "user");
  Write(top_ / "AGENTS.md", "beyond");
  Write(top_ / "repo/AGENTS.md", "outer @sub/more.md");
  Write(top_ / "repo/.github/rules.md", "outer rules");
  Write(work_ / "AGENTS.md", "inner");
  Write(work_ / "more.md", "more");
  const MemoryFiles files{.of_user = {home_ / "own.md", {}}, .in_folders = {"AGENTS.md", ".github/rules.md"}};
  EXPECT_EQ(LoadMemory(files, work_).text, "## " + (home_ / "own.md").string() + "\n\nuser\n\n## " +
                                               (top_ / "repo/AGENTS.md").string() + "\n\nouter @sub/more.md\n\n## " +
                                               (top_ / "repo/.github/rules.md").string() +
                                               "\n\nouter rules\n\n## AGENTS.md\n\ninner");
}

TEST_F(ProjectMemoryTest, WithoutAWorkTreeTheWorkingDirectoryCountsOrEveryFolderAboveIt) {
  Write(top_ / "repo/AGENTS.md", "outer");
  Write(work_ / "AGENTS.md", "inner");
  MemoryFiles files{.of_user = {}, .in_folders = {"AGENTS.md"}};
  EXPECT_EQ(LoadMemory(files, work_).text, "## AGENTS.md\n\ninner");
  files.from_root = true;
  EXPECT_TRUE(LoadMemory(files, work_ / "")
                  .text.ends_with("## " + (top_ / "repo/AGENTS.md").string() + "\n\nouter\n\n## AGENTS.md\n\ninner"));
}

TEST_F(ProjectMemoryTest, OtherNamesCountWhenNoFolderHasAFormerOne) {
  fs::create_directories(top_ / "repo/.git");
  Write(top_ / "repo/CONTEXT.md", "context");
  const MemoryFiles files{.of_user = {}, .in_folders = {"AGENTS.md"}, .otherwise = {"CLAUDE.md", "CONTEXT.md"}};
  EXPECT_EQ(LoadMemory(files, work_).text, "## " + (top_ / "repo/CONTEXT.md").string() + "\n\ncontext");
  Write(work_ / "CLAUDE.md", "claude");
  EXPECT_EQ(LoadMemory(files, work_).text, "## CLAUDE.md\n\nclaude");
  Write(top_ / "repo/AGENTS.md", " \n");
  EXPECT_EQ(LoadMemory(files, work_).text, "");
}

TEST_F(ProjectMemoryTest, OtherFilesLieInTheProjectAndAreRegular) {
  Write(home_ / "private.md", "private");
  fs::create_symlink(home_ / "private.md", work_ / "AGENTS.md");
  fs::create_directories(work_ / "MORE.md");
  const ProjectMemory memory = LoadMemory({.of_user = {}, .in_folders = {"AGENTS.md", "MORE.md"}}, work_);
  EXPECT_EQ(memory.text, "");
  EXPECT_EQ(memory.warnings, (std::vector<std::string>{"AGENTS.md was left out: it lies outside the project",
                                                       "MORE.md was left out: not a regular file"}));
}

}  // namespace
}  // namespace awf::agents
