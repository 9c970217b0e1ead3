#include "infrastructure/workspace/workspace_snapshot.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "domain/test_folder.h"

namespace awf::workspace {
namespace {

namespace fs = std::filesystem;

class WorkspaceSnapshotTest : public testing::Test {
 protected:
  WorkspaceSnapshot Take() const {
    auto snapshot = WorkspaceSnapshot::Take(top_ / "ws", {top_ / "ws/own"});
    EXPECT_TRUE(snapshot);
    return std::move(*snapshot);
  }
  std::vector<std::string> Changed(const WorkspaceSnapshot& before) const {
    std::vector<std::string> names;
    for (const FileChange& change : Changes(before, Take())) names.push_back((change.now ? "" : "-") + change.path);
    return names;
  }

  const TestFolder top_;
};

TEST_F(WorkspaceSnapshotTest, WhatIsNewGoneOrOther) {
  for (const char* name : {"ws/same", "ws/edited", "ws/gone", "ws/sub/moved", "ws/mode"}) top_.Put(name, "x");
  fs::create_symlink("same", top_ / "ws/link");
  const WorkspaceSnapshot before = Take();
  EXPECT_EQ(Changed(before), std::vector<std::string>());
  top_.Put("ws/edited", "y");
  fs::remove(top_ / "ws/gone");
  fs::rename(top_ / "ws/sub/moved", top_ / "ws/sub/there");
  fs::remove(top_ / "ws/link");
  fs::create_symlink("edited", top_ / "ws/link");
  ASSERT_EQ(::chmod((top_ / "ws/mode").c_str(), 0700), 0);
  top_.Put("ws/sub/new", "z");
  EXPECT_EQ(Changed(before),
            (std::vector<std::string>{"edited", "-gone", "link", "mode", "-sub/moved", "sub/new", "sub/there"}));
}

TEST_F(WorkspaceSnapshotTest, GitsOwnFilesAndSkippedFoldersDoNotCount) {
  top_.Put("ws/a", "x");
  const WorkspaceSnapshot before = Take();
  for (const char* name : {"ws/.git/index", "ws/sub/.git", "ws/own/log.jsonl", "ws/sub/.gitignore"})
    top_.Put(name, "x");
  EXPECT_EQ(Changed(before), std::vector<std::string>{"sub/.gitignore"});
}

TEST_F(WorkspaceSnapshotTest, LinksAreNotFollowed) {
  top_.Put("outside/file", "x");
  fs::create_directory(top_ / "ws");
  fs::create_directory_symlink(top_ / "outside", top_ / "ws/link");
  const WorkspaceSnapshot before = Take();
  EXPECT_EQ(before.files().size(), 1U);
  top_.Put("outside/file", "y");
  EXPECT_EQ(Changed(before), std::vector<std::string>());
}

TEST_F(WorkspaceSnapshotTest, TooMuchOrTooDeepOrMissingIsNothing) {
  for (const char* name : {"ws/a", "ws/b", "ws/sub/c"}) top_.Put(name, "x");
  EXPECT_TRUE(WorkspaceSnapshot::Take(top_ / "ws", {}, {4}));
  EXPECT_FALSE(WorkspaceSnapshot::Take(top_ / "ws", {}, {3}));
  EXPECT_FALSE(WorkspaceSnapshot::Take(top_ / "nowhere", {}));
  EXPECT_FALSE(WorkspaceSnapshot::Take(top_ / "ws/a", {}));
  std::string deep = "deep/";
  for (int i = 0; i < 202; ++i) deep += "d/";
  top_.Put(deep + "file", "x");
  EXPECT_FALSE(WorkspaceSnapshot::Take(top_ / "deep", {}));
}

}  // namespace
}  // namespace awf::workspace
