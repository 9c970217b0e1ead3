// What the documentation shows must work: every YAML block that is a workflow validates, every `awf` command in a shell
// block runs, and the recipe for checking an audit record gives the hash that stands in it.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;

struct Block {
  std::string place;     // file:line
  std::string language;  // yaml, sh, …
  std::string name;      // of the file that the block is: ```yaml review.yaml
  std::string text;
};

std::vector<Block> BlocksOf(const fs::path& file) {
  std::ifstream in(file);
  std::vector<Block> blocks;
  bool inside = false;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (!inside) continue;
      std::istringstream info(line.substr(3));
      Block block{file.filename().string() + ":" + std::to_string(number), {}, {}, {}};
      info >> block.language >> block.name;
      blocks.push_back(std::move(block));
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

std::vector<fs::path> AllPages() {
  const fs::path root = std::getenv("AWF_SOURCE_DIR");
  std::vector<fs::path> pages = {root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  return pages;
}

std::vector<Block> AllBlocks() {
  std::vector<Block> blocks;
  for (const fs::path& page : AllPages()) {
    for (Block& block : BlocksOf(page)) blocks.push_back(std::move(block));
  }
  return blocks;
}

// `awf … # exit 2` says that the command is meant to fail.
int ExpectedExit(const std::string& command) {
  static constexpr std::string_view kMark = "# exit ";
  const std::size_t at = command.find(kMark);
  return at == std::string::npos ? 0 : std::atoi(command.c_str() + at + kMark.size());
}

// The plugin that the page of plugins speaks of, where its plugins.yaml says that it lies.
void PutPlugin(World& world) {
  const fs::path folder = world.Path("ws/tools/awf-plugin-kubernetes");
  fs::create_directories(folder);
  const fs::path built = std::getenv("AWF_KUBERNETES_PLUGIN");
  for (const char* name : {"awf-plugin-kubernetes", "plugin.yaml"}) fs::copy_file(built / name, folder / name);
  fs::copy_file(fs::path(std::getenv("AWF_SOURCE_DIR")) / "examples/plugins/kubernetes/fake/kubectl",
                folder / "fake-kubectl");
  world.Write("ws/.awf/plugins.yaml",
              "plugins:\n  kubernetes:\n    path: ./tools/awf-plugin-kubernetes\n"
              "    config: {kubectl: ./tools/awf-plugin-kubernetes/fake-kubectl}\n");
}

void PutPrograms(World& world) {
  world.PutPrograms();
  PutPlugin(world);
  world.Write("scenario.json", R"({"steps": [{"text": "hello"}]})");
  world.environment()["FAKE_CLAUDE_SCENARIO"] = world.Path("scenario.json").string();
}

TEST(Docs, EveryWorkflowValidates) {
  World world;
  PutPrograms(world);
  ASSERT_EQ(world.Shell("awf plugin lock"), 0) << world.Read("stderr");
  int workflows = 0;
  for (const Block& block : AllBlocks()) {
    if (block.language != "yaml" || block.text.find("\nstates:") == std::string::npos) continue;
    ++workflows;
    world.Write("ws/workflow.yaml", block.text);
    EXPECT_EQ(world.Shell("awf validate --strict workflow.yaml"), 0) << block.place << "\n" << world.Read("stderr");
  }
  EXPECT_GE(workflows, 2);
}

TEST(Docs, EveryExampleWorkflowValidates) {
  World world;
  PutPrograms(world);
  const fs::path examples = fs::path(std::getenv("AWF_SOURCE_DIR")) / "examples/workflows";
  int workflows = 0;
  for (const auto& entry : fs::directory_iterator(examples)) {
    if (entry.path().extension() != ".yaml") continue;
    ++workflows;
    EXPECT_EQ(world.Shell("awf validate --strict '" + entry.path().string() + "'"), 0) << world.Read("stderr");
  }
  EXPECT_GE(workflows, 6);
}

// Each page is a world of its own: its YAML blocks that have a name are files, its `awf` commands run one after the
// other.
TEST(Docs, EveryCommandRuns) {
  int commands = 0;
  for (const fs::path& page : AllPages()) {
    World world;
    PutPrograms(world);
    for (const Block& block : BlocksOf(page)) {
      if (!block.name.empty()) world.Write("ws/" + block.name, block.text);
      if (block.language != "sh") continue;
      std::istringstream lines(block.text);
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("awf ")) continue;  // `make demo` and `make test` are what CI is made of
        ++commands;
        EXPECT_EQ(world.Shell(line), ExpectedExit(line)) << block.place << ": " << line << "\n" << world.Read("stderr");
      }
    }
  }
  EXPECT_GE(commands, 15);
}

TEST(Docs, ThePageOfErrorCodesIsTheCatalogue) {
  World world;
  PutPrograms(world);
  ASSERT_EQ(world.Shell("awf error -f json"), 0);
  std::string expected, found;
  const boost::json::value catalogue = boost::json::parse(world.Read("stdout"));
  for (const auto& entry : catalogue.as_array()) {
    const auto text = [&](const char* key) { return std::string(entry.at(key).as_string()); };
    expected += "| `" + text("code") + "` | " + text("description") + " | " + text("resolution") + " |\n";
  }
  std::ifstream page(fs::path(std::getenv("AWF_SOURCE_DIR")) / "docs/reference/error-codes.md");
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) found += line + "\n";
  }
  EXPECT_EQ(found, expected);
}

TEST(Docs, TheRecipeForAnAuditRecordGivesItsHash) {
  World world;
  PutPrograms(world);
  world.Write("ws/w.yaml", "name: w\nstates:\n  initial: done\n  done:\n    type: terminal\n");
  ASSERT_EQ(world.Shell("awf run w.yaml --storage '" + world.Path("storage").string() + "'"), 0)
      << world.Read("stderr");
  std::string recipe;
  for (const Block& block : AllBlocks()) {
    if (block.text.find("audit.jsonl") != std::string::npos && block.language == "sh") recipe = block.text;
  }
  ASSERT_FALSE(recipe.empty());
  ASSERT_EQ(world.Shell("cd '" + world.RunFolder().string() + "'\n" + recipe), 0) << world.Read("stderr");
  std::ifstream audit(world.RunFolder() / "audit.jsonl");
  std::string first;
  std::getline(audit, first);
  EXPECT_EQ(world.Read("stdout").substr(0, 64), boost::json::parse(first).at("hash").as_string());
}

TEST(Demo, RepairsTheProjectAndTellsEveryCallThreeTimes) {
  World world;
  PutPrograms(world);
  ASSERT_EQ(world.Shell("awf demo --keep --storage '" + world.Path("storage").string() + "'"), 0)
      << world.Read("stderr");
  const auto count = [&](const std::string& file, const std::string& text) {
    std::ifstream in(world.RunFolder() / file);
    int found = 0;
    for (std::string line; std::getline(in, line);) found += line.find(text) != std::string::npos;
    return found;
  };
  EXPECT_EQ(count("log.jsonl", R"("message":"tool call")"), 6);
  EXPECT_EQ(count("audit.jsonl", R"("type":"tool.call")"), 6);
  EXPECT_EQ(count("trace.json", R"("name":"tool.call: )"), 6);
  EXPECT_NE(world.Read("stdout").find("The test passes."), std::string::npos);
  EXPECT_NE(world.Read("stderr").find("tool.call: Edit"), std::string::npos);
  EXPECT_NE(world.Read("stderr").find("The project is kept in"), std::string::npos);
  ASSERT_EQ(world.Shell("cat \"$TMPDIR\"/awf-demo-*/project/lib/price.sh"), 0);
  EXPECT_NE(world.Read("stdout").find("-ge 10"), std::string::npos);
}

TEST(Demo, LeavesNoProjectBehind) {
  World world;
  PutPrograms(world);
  ASSERT_EQ(world.Shell("awf demo -q --storage '" + world.Path("storage").string() + "'"), 0) << world.Read("stderr");
  EXPECT_TRUE(fs::is_empty(world.Path("tmp")));
}

TEST(Demo, SaysWhatIsMissingForTheRealCli) {
  World world;
  PutPrograms(world);
  fs::remove(world.Path("bin/claude"));
  world.environment()["PATH"] = world.Path("bin").string() + ":/usr/bin:/bin";
  EXPECT_EQ(world.Shell("awf demo --provider claude --storage '" + world.Path("storage").string() + "'"), 3);
  EXPECT_NE(world.Read("stderr").find("EXECUTION.AGENT.NOT_INSTALLED"), std::string::npos);
}

}  // namespace
}  // namespace awf::e2e
