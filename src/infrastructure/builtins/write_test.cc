#include "infrastructure/builtins/write.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "infrastructure/builtins/tool_fixture_for_tests.h"

namespace awf::builtins {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

class WriteTest : public testing::Test {
 protected:
  WriteTool Tool(SandboxMode mode = SandboxMode::kWorkspaceWrite) const {
    const ToolSettings settings = w_.Settings(mode);
    return {std::make_shared<const Confinement>(settings), settings, std::make_shared<FileLocks>()};
  }
  ToolResult Write(const std::string& path, const std::string& content) const {
    return CallTool(Tool(), {{"path", path}, {"content", content}});
  }
  std::string Good(const std::string& path, const std::string& content) const {
    const ToolResult result = Write(path, content);
    EXPECT_FALSE(result.is_error) << TextOf(result);
    return TextOf(result);
  }
  std::string Bad(const std::string& path, const std::string& content = "x") const {
    const ToolResult result = Write(path, content);
    EXPECT_TRUE(result.is_error) << TextOf(result);
    return TextOf(result);
  }
  struct stat Status(const std::string& name) const {
    struct stat status{};
    EXPECT_EQ(::lstat((w_.root() / name).c_str(), &status), 0);
    return status;
  }
  std::size_t EntryCount() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(w_.root()), fs::directory_iterator()));
  }

  TestWorkspace w_;
};

TEST_F(WriteTest, MakesFoldersAndFile) {
  EXPECT_EQ(Good("a/b/c/d.txt", "x"), "Wrote 1 byte to a/b/c/d.txt (created).");
  EXPECT_EQ(w_.Get("a/b/c/d.txt"), "x");
  EXPECT_EQ(Good("a/b/c/d.txt", "xyz"), "Wrote 3 bytes to a/b/c/d.txt (updated).");
  EXPECT_EQ(Good((w_.root() / "e").string(), ""), "Wrote 0 bytes to e (created).");
}

TEST_F(WriteTest, WritesExactBytes) {
  for (const std::string& bytes : {"a  \n\tb \r\nc"s, ""s, "a\0b"s, "\xF0\x9F\x8D\xB8"s, "x\r\ny\r\n"s}) {
    Good("f", bytes);
    EXPECT_EQ(w_.Get("f"), bytes);
  }
  const std::string big(9'000'000, 'x');
  Good("big", big);
  EXPECT_TRUE(w_.Get("big") == big);
}

TEST_F(WriteTest, TakesStrangeNames) {
  Good("-rf\nx", "ok");
  EXPECT_EQ(w_.Get("-rf\nx"), "ok");
  const std::string longest = std::string(250, 'n') + ".txt";
  Good(longest, "x");
  EXPECT_EQ(w_.Get(longest), "x");
  EXPECT_EQ(EntryCount(), 2U);
  const std::string too_long(256, 'n');
  EXPECT_EQ(Bad(too_long), too_long + ": file name too long.");
}

TEST_F(WriteTest, KeepsTheMode) {
  w_.Put("s.sh", "x");
  ::chmod((w_.root() / "s.sh").c_str(), 0757);
  Good("s.sh", "#!/bin/sh\n");
  EXPECT_EQ(Status("s.sh").st_mode & 07777, 0757U);
}

TEST_F(WriteTest, NewFilesObeyTheUmask) {
  const mode_t old = ::umask(077);
  Good("n", "x");
  ::umask(old);
  EXPECT_EQ(Status("n").st_mode & 07777, 0600U);
}

TEST_F(WriteTest, FollowsLinksAndKeepsThem) {
  w_.Put("real", "old");
  fs::create_symlink("real", w_.root() / "l1");
  fs::create_symlink("new", w_.root() / "dangling");
  EXPECT_EQ(Good("l1", "new\n"), "Wrote 4 bytes to l1 (updated).");
  EXPECT_EQ(w_.Get("real"), "new\n");
  EXPECT_TRUE(S_ISLNK(Status("l1").st_mode));
  Good("dangling", "made");
  EXPECT_EQ(w_.Get("new"), "made");
  EXPECT_TRUE(S_ISLNK(Status("dangling").st_mode));
}

TEST_F(WriteTest, RefusesWhatIsNoFile) {
  fs::create_directory(w_.root() / "d");
  ASSERT_EQ(::mkfifo((w_.root() / "p").c_str(), 0644), 0);
  w_.Put("f", "x");
  EXPECT_EQ(Bad("d"), "d is a directory.");
  EXPECT_EQ(Bad("d/"), "d/: the path ends with a slash.");
  EXPECT_EQ(Bad("newdir/"), "newdir/: the path ends with a slash.");
  EXPECT_EQ(Bad("p"), "p is not a regular file.");
  EXPECT_EQ(Bad("f/g.txt"), "f/g.txt: a part of the path is not a directory.");
  EXPECT_EQ(Bad(""), "The path is empty.");
  EXPECT_TRUE(S_ISFIFO(Status("p").st_mode));
  EXPECT_EQ(w_.Get("f"), "x");
  EXPECT_FALSE(w_.Exists("newdir"));
}

TEST_F(WriteTest, RefusesAReadOnlyFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everything";
  w_.Put("r.txt", "ro");
  ::chmod((w_.root() / "r.txt").c_str(), 0444);
  EXPECT_EQ(Bad("r.txt"), "r.txt is not writable.");
  EXPECT_EQ(w_.Get("r.txt"), "ro");
}

TEST_F(WriteTest, WritesInPlaceWhereTheFolderTakesNoNames) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  w_.Put("d/f", "older and longer");
  ::chmod((w_.root() / "d").c_str(), 0555);
  const ino_t inode = Status("d/f").st_ino;
  Good("d/f", "new\n");
  EXPECT_EQ(w_.Get("d/f"), "new\n");
  EXPECT_EQ(Status("d/f").st_ino, inode);
  EXPECT_EQ(Bad("d/g"), "d/g: permission denied.");
}

TEST_F(WriteTest, HardLinksStayTogether) {
  w_.Put("h1", "a long old text");
  fs::create_hard_link(w_.root() / "h1", w_.root() / "h2");
  Good("h1", "b\n");
  EXPECT_EQ(w_.Get("h2"), "b\n");
  Good("h2", "much longer than before, to be sure");
  EXPECT_EQ(w_.Get("h1"), "much longer than before, to be sure");
  EXPECT_EQ(Status("h1").st_ino, Status("h2").st_ino);
}

TEST_F(WriteTest, KeepsAForeignOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make one";
  w_.Put("f", "a");
  ASSERT_EQ(::chown((w_.root() / "f").c_str(), 1234, 4321), 0);
  Good("f", "b");
  EXPECT_EQ(w_.Get("f"), "b");
  EXPECT_EQ(Status("f").st_uid, 1234U);
  EXPECT_EQ(Status("f").st_gid, 4321U);
}

// With a limit of 64 KiB on file sizes, in a child of its own, since limit and signal belong to the process.
TEST_F(WriteTest, AFullDiskLeavesTheOldFile) {
  w_.Put("a", "important");
  w_.Put("h1", "linked");
  fs::create_hard_link(w_.root() / "h1", w_.root() / "h2");
  const WriteTool tool = Tool();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{64 << 10, 64 << 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int bad = 0;
    for (const char* name : {"a", "h1", "new"}) {
      const ToolResult result = CallTool(tool, {{"path", name}, {"content", std::string(200'000, 'z')}});
      if (!result.is_error || TextOf(result) != std::string(name) + ": file too large.") ++bad;
    }
    ::_exit(bad);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(w_.Get("a"), "important");
  EXPECT_EQ(w_.Get("h1"), "linked");
  EXPECT_EQ(EntryCount(), 3U);
}

TEST_F(WriteTest, SandboxRefusalsAreMarked) {
  const ToolResult result = Write((w_.out() / "n").string(), "x");
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.fields.denied, "sandbox");
  EXPECT_EQ(TextOf(result), "Blocked by the sandbox (workspace-write): cannot write " + (w_.out() / "n").string() +
                                ". To allow it, list the folder under mcp_proxy.sandbox.write.");
  EXPECT_EQ(result.fields.structured.at("success"), false);
  EXPECT_FALSE(fs::exists(w_.out() / "n"));
  EXPECT_EQ(Write("ok", "x").fields.structured, (json::object{{"path", "ok"}, {"success", true}}));
}

// Readers never see a mixture, and no temporary file stays.
TEST_F(WriteTest, IsAtomicForReaders) {
  const WriteTool tool = Tool();
  const std::string a(100'000, 'a');
  const std::string b(100'000, 'b');
  w_.Put("f", a);
  std::vector<std::jthread> writers;
  for (const std::string* content : {&a, &b})
    writers.emplace_back([&tool, content] {
      for (int i = 0; i < 20; ++i) CallTool(tool, {{"path", "f"}, {"content", *content}});
    });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = w_.Get("f");
    EXPECT_TRUE(seen == a || seen == b) << seen.size();
  }
  writers.clear();
  EXPECT_EQ(EntryCount(), 1U);
}

TEST_F(WriteTest, DefinitionIsWellFormed) {
  const ToolDefinition definition = Tool().Definition();
  EXPECT_EQ(definition.name, "Write");
  EXPECT_LT(definition.description.size(), 2048U);
  EXPECT_EQ(json::serialize(definition.input_schema.at("required")), R"(["path","content"])");
  EXPECT_EQ(definition.annotations.idempotent, true);
}

}  // namespace
}  // namespace awf::builtins
