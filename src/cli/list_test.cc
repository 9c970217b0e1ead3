#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/folder_listing.h"
#include "cli/test_runs.h"
#include "domain/test_folder.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;

// A project and a user with folders of their own. The process stands in the project meanwhile.
class ListTest : public testing::Test {
 protected:
  ListTest() : before_(fs::current_path()) {
    fs::create_directories(base_ / "project");
    fs::current_path(base_ / "project");
    for (const char* name : {"AWF_WORKFLOWS_PATH", "AWF_PROMPTS_PATH", "AWF_CONFIG_HOME"}) ::unsetenv(name);
    ::setenv("XDG_CONFIG_HOME", (base_ / "config").c_str(), 1);
  }
  ~ListTest() override {
    fs::current_path(before_);
    ::unsetenv("AWF_WORKFLOWS_PATH");
    ::unsetenv("XDG_CONFIG_HOME");
  }
  static std::string Workflow(const std::string& name, const std::string& more = "") {
    return "name: " + name + "\n" + more + "states:\n  initial: z\n  z: {type: terminal}\n";
  }
  Printed List() {
    return PrintedBy([&] { return ListCommand(options_); });
  }

  const TestFolder base_;
  const fs::path before_;
  ListOptions options_;
};

TEST_F(ListTest, ListsWorkflowsOfAllFolders) {
  base_.Put("project/.awf/workflows/build.yaml", Workflow("build", "version: 1.10\ndescription: builds it\n"));
  base_.Put("project/.awf/workflows/sub/deep.yaml", Workflow("deep"));
  base_.Put("project/.awf/workflows/broken.yaml", "name: broken\nstates: {initial: x}\n");
  base_.Put("project/.awf/workflows/notes.txt", "no workflow");
  base_.Put("config/awf/workflows/build.yaml", Workflow("their-build"));
  base_.Put("config/awf/workflows/review.yaml", Workflow("review", "description: looks at it\n"));
  const Printed printed = List();
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.err, "");
  std::vector<std::string> begins;
  std::istringstream lines(printed.out);
  for (std::string line; std::getline(lines, line);) begins.push_back(line.substr(0, line.find(' ')));
  EXPECT_EQ(begins, (std::vector<std::string>{"name", "broken", "build", "build", "review", "sub/deep"}));
  EXPECT_NE(printed.out.find("build     1.10     builds it"), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("INVALID: WORKFLOW."), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("global, hidden  " + (base_ / "config/awf/workflows/build.yaml").string()),
            std::string::npos)
      << printed.out;
  EXPECT_NE(printed.out.find("local           .awf/workflows/sub/deep.yaml"), std::string::npos) << printed.out;

  options_.global.format = OutputFormat::kQuiet;
  EXPECT_EQ(List().out, "broken\nbuild\nreview\nsub/deep\n");
}

TEST_F(ListTest, TellsJson) {
  base_.Put("project/.awf/workflows/build.yaml", Workflow("build", "version: 1.10\ndescription: builds it\n"));
  base_.Put("project/.awf/workflows/broken.yaml", "a: [");
  options_.global.format = OutputFormat::kJson;
  const json::value list = json::parse(List().out);
  ASSERT_EQ(list.as_array().size(), 2U);
  EXPECT_EQ(list.at(0).at("valid"), false);
  EXPECT_TRUE(list.at(0).at("error").as_string().starts_with("WORKFLOW.PARSE.YAML_SYNTAX: "));
  EXPECT_EQ(json::serialize(list.at(1)),
            R"({"name":"build","title":"build","version":"1.10","description":"builds it","source":"local","path":")" +
                (base_ / "project/.awf/workflows/build.yaml").string() + R"(","shadowed":false,"valid":true})");
}

TEST_F(ListTest, TheVariableStandsForAllFolders) {
  base_.Put("project/.awf/workflows/build.yaml", Workflow("build"));
  base_.Put("one/a.yaml", Workflow("a"));
  base_.Put("two/a.yaml", Workflow("a"));
  base_.Put("two/b.yaml", Workflow("b"));
  ::setenv("AWF_WORKFLOWS_PATH", ((base_ / "one").string() + ":" + (base_ / "two").string()).c_str(), 1);
  options_.global.format = OutputFormat::kJson;
  const json::value list = json::parse(List().out);
  ASSERT_EQ(list.as_array().size(), 3U);
  EXPECT_EQ(list.at(0).at("path").as_string(), (base_ / "one/a.yaml").string());
  EXPECT_EQ(list.at(0).at("source"), "env");
  EXPECT_EQ(list.at(1).at("shadowed"), true);
  EXPECT_EQ(list.at(2).at("name"), "b");
}

TEST_F(ListTest, ListsPrompts) {
  base_.Put("project/.awf/prompts/review.md", "look");
  base_.Put("project/.awf/prompts/fix/small.txt", "fix it");
  base_.Put("project/.awf/prompts/.hidden/x", "");
  base_.Put("config/awf/prompts/review.md", "theirs");
  options_.prompts = true;
  EXPECT_EQ(List().out,
            "name           bytes  source          path\n"
            "fix/small.txt      6  local           .awf/prompts/fix/small.txt\n"
            "review.md          4  local           .awf/prompts/review.md\n"
            "review.md          6  global, hidden  " +
                (base_ / "config/awf/prompts/review.md").string() + "\n");
  options_.global.format = OutputFormat::kQuiet;
  EXPECT_EQ(List().out, "fix/small.txt\nreview.md\n");
}

TEST_F(ListTest, SaysWhereNothingWasFound) {
  Printed printed = List();
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out, "");
  EXPECT_EQ(printed.err, "no workflows in " + (base_ / "project/.awf/workflows").string() + ", " +
                             (base_ / "config/awf/workflows").string() + "\n");
  options_.global.format = OutputFormat::kJson;
  EXPECT_EQ(List().out, "[]\n");
}

TEST_F(ListTest, AFolderThatHoldsItselfEnds) {
  base_.Put("project/.awf/workflows/a.yaml", Workflow("a"));
  fs::create_directory_symlink(base_ / "project/.awf/workflows", base_ / "project/.awf/workflows/again");
  const auto files = ListFolders({base_ / "project/.awf/workflows"}, ".yaml", false, {});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, "a");
}

}  // namespace
}  // namespace awf::cli
