#include "infrastructure/builtins/edit.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "infrastructure/builtins/tool_fixture_for_tests.h"
#include "infrastructure/regex/re2_regex.h"

namespace awf::builtins {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

class EditTest : public testing::Test {
 protected:
  EditTool Tool() const {
    const ToolSettings settings = w_.Settings();
    return {std::make_shared<const Confinement>(settings), settings, std::make_shared<FileLocks>(),
            std::make_shared<Re2Compiler>()};
  }
  ToolResult Edit(const std::string& path, const std::string& from, const std::string& to, bool all = false) const {
    return CallTool(Tool(), {{"path", path}, {"old_string", from}, {"new_string", to}, {"replace_all", all}});
  }
  std::string Good(const std::string& path, const std::string& from, const std::string& to, bool all = false) const {
    const ToolResult result = Edit(path, from, to, all);
    EXPECT_FALSE(result.is_error) << TextOf(result);
    return TextOf(result);
  }
  // Also checks that the file was not touched.
  std::string Bad(const std::string& path, const std::string& from, const std::string& to) const {
    const std::string before = w_.Get(path);
    const auto written = w_.Exists(path) ? fs::last_write_time(w_.root() / path) : fs::file_time_type();
    const ToolResult result = Edit(path, from, to);
    EXPECT_TRUE(result.is_error) << TextOf(result);
    EXPECT_EQ(w_.Get(path), before);
    if (w_.Exists(path)) {
      EXPECT_EQ(fs::last_write_time(w_.root() / path), written);
    }
    return TextOf(result);
  }

  TestWorkspace w_;
};

TEST_F(EditTest, EditsAFile) {
  w_.Put("f.cc", "a\nb\nc\nb\n");
  EXPECT_EQ(Good("f.cc", "c", "C"), "Edited f.cc: 1 replacement (line 3).");
  EXPECT_EQ(w_.Get("f.cc"), "a\nb\nC\nb\n");
  EXPECT_EQ(Good((w_.root() / "f.cc").string(), "b", "B", true), "Edited f.cc: 2 replacements (lines 2, 4).");
  EXPECT_EQ(w_.Get("f.cc"), "a\nB\nC\nB\n");
}

TEST_F(EditTest, KnowsRegex) {
  w_.Put("g", "foo(a, b)\n");
  const ToolResult result = CallTool(
      Tool(),
      {{"path", "g"}, {"old_string", "foo\\((\\w), (\\w)\\)"}, {"new_string", "foo(\\2, \\1)"}, {"regex", true}});
  EXPECT_EQ(TextOf(result), "Edited g: 1 replacement (line 1).");
  EXPECT_EQ(w_.Get("g"), "foo(b, a)\n");
}

TEST_F(EditTest, CreatesWithAnEmptyOldString) {
  EXPECT_EQ(Good("sub/n.txt", "", "hello\n"), "Edited sub/n.txt: created (6 bytes).");
  EXPECT_EQ(w_.Get("sub/n.txt"), "hello\n");
  w_.Put("e", "");
  EXPECT_EQ(Good("e", "", "x"), "Edited e: created (1 byte).");
  EXPECT_EQ(w_.Get("e"), "x");
  EXPECT_EQ(Bad("e", "", "gone"), "old_string is empty. Use Write to replace a whole file.");
}

TEST_F(EditTest, RefusesAndTouchesNothing) {
  w_.Put("config.yaml", "x\n");
  w_.Put("u", "\xFF\xFEh\0"s);
  fs::create_directory(w_.root() / "d");
  ASSERT_EQ(::mkfifo((w_.root() / "p").c_str(), 0644), 0);
  EXPECT_EQ(Bad("config.yaml", "x", "x"), "old_string and new_string are the same; nothing to change.");
  EXPECT_EQ(Bad("config.yaml", "y", "z"), "old_string was not found in config.yaml. No change made.");
  EXPECT_EQ(Bad("u", "h", "y"), "u is UTF-16; Edit works on UTF-8 text.");
  EXPECT_EQ(Bad("config.yml", "x", "y"), "File not found: config.yml. Did you mean config.yaml?");
  EXPECT_EQ(Bad("nope/config.yml", "x", "y"), "File not found: nope/config.yml.");
  EXPECT_FALSE(w_.Exists("nope"));
  EXPECT_TRUE(Edit("d", "a", "b").is_error);
  EXPECT_EQ(TextOf(Edit("d", "a", "b")), "d is a directory.");
  EXPECT_EQ(TextOf(Edit("p", "a", "b")), "p is not a regular file.");
}

TEST_F(EditTest, RefusesAReadOnlyFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everything";
  w_.Put("ro.txt", "ro\n");
  ::chmod((w_.root() / "ro.txt").c_str(), 0444);
  EXPECT_EQ(Bad("ro.txt", "ro", "rw"), "ro.txt is not writable.");
}

TEST_F(EditTest, RefusesHugeFiles) {
  w_.Put("big", "HEAD");
  fs::resize_file(w_.root() / "big", (32 << 20) + 1);
  EXPECT_EQ(TextOf(Edit("big", "HEAD", "x")),
            "big has 33554433 bytes; Edit works on files up to 33554432 bytes. Use Bash, for example sed.");
}

TEST_F(EditTest, EditsLargeFilesWhole) {
  std::string filler;
  for (int i = 0; i < 930'000; ++i) filler += "filler\n";
  w_.Put("big", "HEAD\n" + filler + "TAIL\n");
  Good("big", "HEAD", "head");
  EXPECT_TRUE(w_.Get("big") == "head\n" + filler + "TAIL\n");
}

TEST_F(EditTest, KeepsLinksModeAndHardLinks) {
  w_.Put("real.md", "world\n");
  fs::create_symlink("real.md", w_.root() / "link.md");
  EXPECT_EQ(Good("link.md", "world", "there"), "Edited link.md: 1 replacement (line 1).");
  EXPECT_TRUE(fs::is_symlink(w_.root() / "link.md"));
  EXPECT_EQ(w_.Get("real.md"), "there\n");
  ::chmod((w_.root() / "real.md").c_str(), 0751);
  fs::create_hard_link(w_.root() / "real.md", w_.root() / "h2");
  Good("real.md", "there", "here");
  EXPECT_EQ(w_.Get("h2"), "here\n");
  struct stat status{};
  ASSERT_EQ(::stat((w_.root() / "h2").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0751U);
  EXPECT_EQ(status.st_nlink, 2U);
}

TEST_F(EditTest, NeverLeavesTheWorkspace) {
  w_.Put(w_.out() / "s.txt", "secret\n");
  fs::create_symlink(w_.out() / "s.txt", w_.root() / "leak");
  const ToolResult result = Edit("leak", "secret", "pwned");
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.fields.denied, "sandbox");
  EXPECT_EQ(TextOf(result).find("secret"), std::string::npos);
  EXPECT_EQ(w_.Get(w_.out() / "s.txt"), "secret\n");
}

TEST_F(EditTest, FillsTheFields) {
  w_.Put("a", "x\n");
  EXPECT_EQ(Edit("a", "x", "y").fields.structured, (json::object{{"path", "a"}, {"success", true}}));
  EXPECT_EQ(Edit("a", "x", "y").fields.structured, (json::object{{"path", "a"}, {"success", false}}));
}

// Parallel edits of one file, by two spellings and a hard link, lose nothing.
TEST_F(EditTest, ParallelEditsAllStay) {
  constexpr int kThreads = 8;
  constexpr int kEdits = 10;
  std::string text;
  for (int i = 0; i < kThreads * kEdits; ++i) text += "<" + std::to_string(i) + ">\n";
  for (const bool linked : {false, true}) {
    w_.Put("f", text);
    if (linked) fs::create_hard_link(w_.root() / "f", w_.root() / "g");
    const std::vector<std::string> names = {"f", "./f", (w_.root() / "f").string(), linked ? "g" : "f"};
    const EditTool tool = Tool();
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (int e = 0; e < kEdits; ++e) {
          const std::string number = std::to_string(t * kEdits + e);
          const ToolResult result = CallTool(tool, {{"path", names[static_cast<std::size_t>(t) % names.size()]},
                                                    {"old_string", "<" + number + ">"},
                                                    {"new_string", "[" + number + "]"}});
          EXPECT_FALSE(result.is_error) << TextOf(result);
        }
      });
    threads.clear();
    EXPECT_EQ(w_.Get("f").find('<'), std::string::npos);
    EXPECT_EQ(w_.Get("f").size(), text.size());
  }
}

// Only one of the creators may win: the others find a file with content.
TEST_F(EditTest, ParallelCreatesOverwriteNothing) {
  const EditTool tool = Tool();
  std::atomic<int> created = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      if (!CallTool(tool, {{"path", "n"}, {"old_string", ""}, {"new_string", "x"}}).is_error) ++created;
    });
  threads.clear();
  EXPECT_EQ(created, 1);
}

TEST_F(EditTest, DefinitionIsWellFormed) {
  const ToolDefinition definition = Tool().Definition();
  EXPECT_EQ(definition.name, "Edit");
  EXPECT_LT(definition.description.size(), 2048U);
  std::string order;
  for (const auto& property : definition.input_schema.at("properties").as_object()) {
    order += property.key();
    order += ' ';
  }
  EXPECT_EQ(order, "path old_string new_string replace_all regex ");
  EXPECT_EQ(definition.annotations.idempotent, false);
}

}  // namespace
}  // namespace awf::builtins
