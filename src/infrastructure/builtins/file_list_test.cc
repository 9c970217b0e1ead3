#include "infrastructure/builtins/file_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace awf::builtins {
namespace {

using ::testing::ElementsAre;

void Add(FileList& list, std::string_view folder, const std::vector<std::string>& names) {
  std::vector<WalkedFile> files;
  for (const std::string& name : names) files.push_back({name, false});
  list.Found({folder, -1, files});
}

std::vector<std::string> Sorted(FileList& list) {
  list.Sort();
  std::vector<std::string> paths(list.size());
  for (std::size_t i = 0; i < paths.size(); ++i) list.PathAt(i, paths[i]);
  return paths;
}

TEST(FileList, FilesStandBetweenFoldersWhereTheirNamesBelong) {
  const FileFilter filter;
  FileList list(filter);
  Add(list, "b/d/e", {"z"});
  Add(list, "", {"c", "a", "b.c", "zz"});
  Add(list, "b", {"x", "a", "e"});
  Add(list, "b-c", {"f"});
  Add(list, "y/deep/er", {"g"});
  EXPECT_THAT(Sorted(list), ElementsAre("a", "b/a", "b/d/e/z", "b/e", "b/x", "b-c/f", "b.c", "c", "y/deep/er/g", "zz"));
}

TEST(FileList, HoldsAtMostSoMany) {
  const FileFilter filter;
  FileList list(filter, 3);
  const std::vector<WalkedFile> files = {{"a", false}, {"b", false}};
  EXPECT_TRUE(list.Found({"x", -1, files}));
  EXPECT_FALSE(list.full());
  EXPECT_FALSE(list.Found({"y", -1, files}));
  EXPECT_TRUE(list.full());
}

TEST(FileList, EmptyWithoutFiles) {
  const FileFilter filter;
  FileList list(filter);
  EXPECT_THAT(Sorted(list), ElementsAre());
}

TEST(FileFilter, WithoutSlashByBaseName) {
  const FileFilter filter = *FileFilter::Compile("*.{ts,tsx}", "src");
  EXPECT_EQ(filter.File("a/x.ts"), WalkInterest::kWanted);
  EXPECT_EQ(filter.File("y.tsx"), WalkInterest::kWanted);
  EXPECT_EQ(filter.File("z.js"), WalkInterest::kNone);
  EXPECT_EQ(filter.Folder("anything"), WalkInterest::kWanted);
  EXPECT_EQ(FileFilter::Compile("x.log", "")->File("a/x.log"), WalkInterest::kNamed);
}

TEST(FileFilter, WithSlashByThePathFromTheRoot) {
  const FileFilter filter = *FileFilter::Compile("src/**/*.ts", "");
  EXPECT_EQ(filter.File("src/a/x.ts"), WalkInterest::kWanted);
  EXPECT_EQ(filter.File("top.ts"), WalkInterest::kNone);
  EXPECT_EQ(filter.Folder("src"), WalkInterest::kNamed);
  EXPECT_EQ(filter.Folder("lib"), WalkInterest::kNone);
  const FileFilter below = *FileFilter::Compile("src/a/*.ts", "src");
  EXPECT_EQ(below.File("a/x.ts"), WalkInterest::kWanted);
  EXPECT_EQ(below.Folder("a"), WalkInterest::kNamed);
  EXPECT_EQ(below.Folder("b"), WalkInterest::kNone);
}

TEST(FileFilter, TurnedRound) {
  const FileFilter filter = *FileFilter::Compile("!*.md", "");
  EXPECT_EQ(filter.File("a.md"), WalkInterest::kNone);
  EXPECT_EQ(filter.File("a.c"), WalkInterest::kWanted);
  EXPECT_EQ(FileFilter::Compile("[", "").error(), "\"[\" without \"]\"");
}

}  // namespace
}  // namespace awf::builtins
