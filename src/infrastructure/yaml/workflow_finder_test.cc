#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "domain/test_folder.h"
#include "infrastructure/yaml/workflow_loader.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

class FinderTest : public testing::Test {
 protected:
  FinderTest() {
    for (const char* folder : {"project/team", "user"}) fs::create_directories(root_ / folder);
    folders_.workflows = {root_ / "project", root_ / "user"};
  }
  std::string Write(const std::string& path) const { return root_.Put(path, "name: x\n").string(); }
  Error Refusal(const std::string& name) const {
    const auto found = FindWorkflow(name, folders_);
    EXPECT_FALSE(found.has_value()) << *found;
    if (found) return {};
    EXPECT_EQ(found.error().code, "USER.WORKFLOW.NOT_FOUND");
    return found.error();
  }
  std::string Places() const { return (root_ / "project").string() + ", " + (root_ / "user").string(); }

  const TestFolder root_;
  Folders folders_;
};

TEST_F(FinderTest, ExistingPathsAreTaken) {
  const std::string yaml = Write("a.yaml"), yml = Write("b.yml");
  EXPECT_EQ(FindWorkflow(yaml, folders_), yaml);
  EXPECT_EQ(FindWorkflow(yml, folders_), yml);
  const std::string around = (root_ / "user/../a.yaml").string();
  EXPECT_EQ(FindWorkflow(around, folders_), around);  // `..` is refused in names only
}

TEST_F(FinderTest, NamesComeFromTheFirstFolderThatHasThem) {
  const std::string global = Write("user/ci.yaml");
  EXPECT_EQ(FindWorkflow("ci", folders_), global);
  const std::string local = Write("project/ci.yaml");
  EXPECT_EQ(FindWorkflow("ci", folders_), local);
  const std::string nested = Write("project/team/review.yaml");
  EXPECT_EQ(FindWorkflow("team/review", folders_), nested);
}

TEST_F(FinderTest, UnknownNamesListThePlacesSearched) {
  Write("user/release.yaml");
  Write("project/other.yml");
  const Error error = Refusal("relaese");
  EXPECT_EQ(error.message, "there is no workflow 'relaese' in " + Places());
  EXPECT_EQ(error.hint, "did you mean 'release'?");
  EXPECT_EQ(Refusal("zebra").hint, "give the path of a .yaml file, or see 'awf list'");
  fs::create_directory(root_ / "project/zebra.yaml");  // no file
  EXPECT_EQ(Refusal("zebra").message, "there is no workflow 'zebra' in " + Places());
}

TEST_F(FinderTest, NamesThatLeaveTheFoldersAreRefused) {
  Write("a.yaml");
  for (const char* name : {"../a", "team/../../a", "/etc/passwd", ""}) {
    EXPECT_EQ(Refusal(name).message, "'" + std::string(name) + "' is no name of a workflow");
  }
}

TEST_F(FinderTest, PathsThatDoNotExist) {
  Write("user/ci.yaml");
  EXPECT_EQ(Refusal("ci.yaml").hint, "did you mean the workflow 'ci'?");
  EXPECT_EQ(Refusal("none.yaml").message, "there is no file none.yaml");
  EXPECT_EQ(Refusal("none.yml").hint, "give a path, or the name of a workflow");
}

TEST_F(FinderTest, NoFoldersAtAll) {
  folders_.workflows.clear();
  EXPECT_EQ(Refusal("ci").message, "there is no workflow 'ci': AWF_WORKFLOWS_PATH names no folder");
}

}  // namespace
}  // namespace awf
