#include "infrastructure/builtins/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

#include "infrastructure/builtins/test_workspace.h"

namespace awf::builtins {
namespace {

namespace fs = std::filesystem;

std::string Bytes(const Fd& fd) {
  std::array<char, 256> buffer{};
  const ssize_t length = ::read(fd.get(), buffer.data(), buffer.size());
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

// The bytes that reading gives, or the fault's text.
std::string ReadOrFault(const Confinement& confinement, std::string_view path) {
  const auto opened = confinement.OpenForRead(path);
  return opened ? Bytes(opened->fd) : opened.error().text;
}

std::string WriteFault(const Confinement& confinement, std::string_view path, bool make_parents = true) {
  const auto target = confinement.OpenForWrite(path, make_parents);
  return target ? "" : target.error().text;
}

class ConfinementTest : public testing::Test {
 protected:
  Confinement Make(SandboxMode mode = SandboxMode::kWorkspaceWrite) const { return Confinement(w_.Settings(mode)); }
  std::string BlockedRead(std::string_view shown) const {
    return "Blocked by the sandbox (strict): cannot read " + std::string(shown) +
           ". To allow it, list the folder under mcp_proxy.sandbox.read.";
  }
  std::string BlockedWrite(std::string_view shown, std::string_view mode = "workspace-write") const {
    return "Blocked by the sandbox (" + std::string(mode) + "): cannot write " + std::string(shown) +
           ". To allow it, list the folder under mcp_proxy.sandbox.write.";
  }

  TestWorkspace w_;
};

TEST_F(ConfinementTest, OpensRelativeAndAbsolutePaths) {
  w_.Put("a/b.txt", "fine");
  const Confinement c = Make();
  EXPECT_EQ(ReadOrFault(c, "a/b.txt"), "fine");
  EXPECT_EQ(ReadOrFault(c, "./a//b.txt"), "fine");
  EXPECT_EQ(ReadOrFault(c, "a/../a/b.txt"), "fine");
  EXPECT_EQ(ReadOrFault(c, (w_.root() / "a/b.txt").string()), "fine");
  const auto opened = c.OpenForRead((w_.root() / "a/b.txt").string());
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->shown, "a/b.txt");
  EXPECT_EQ(opened->real, (w_.root() / "a/b.txt").string());
  EXPECT_EQ(opened->status.st_size, 4);
  EXPECT_NE(::fcntl(opened->fd.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(ConfinementTest, RefusesEmptyPathsAndNul) {
  const Confinement c = Make();
  EXPECT_EQ(ReadOrFault(c, ""), "The path is empty.");
  EXPECT_EQ(ReadOrFault(c, std::string_view("ok\0x", 4)), "The path contains a NUL character.");
  EXPECT_EQ(WriteFault(c, ""), "The path is empty.");
}

TEST_F(ConfinementTest, DoesNotExpandTilde) {
  w_.Put("~/f", "lit");
  EXPECT_EQ(ReadOrFault(Make(), "~/f"), "lit");
}

TEST_F(ConfinementTest, ReadsEverywhereByDefault) {
  w_.Put(w_.out() / "s", "shared");
  fs::create_symlink(w_.out() / "s", w_.root() / "lk");
  const Confinement c = Make();
  EXPECT_EQ(ReadOrFault(c, "../out/s"), "shared");
  EXPECT_EQ(ReadOrFault(c, "lk"), "shared");
  const auto outside = c.OpenForRead("../out/s");
  ASSERT_TRUE(outside);
  EXPECT_EQ(outside->shown, (w_.out() / "s").string());
}

TEST_F(ConfinementTest, StrictRefusesWhatLiesOutside) {
  w_.Put(w_.out() / "s", "secret");
  w_.Put(w_.root().string() + "-evil/s", "secret");
  fs::create_symlink(w_.out() / "s", w_.root() / "leak");
  fs::create_symlink("../out", w_.root() / "dd");
  const Confinement c = Make(SandboxMode::kStrict);
  EXPECT_EQ(ReadOrFault(c, "../out/s"), BlockedRead((w_.out() / "s").string()));
  EXPECT_EQ(ReadOrFault(c, w_.root().string() + "-evil/s"), BlockedRead(w_.root().string() + "-evil/s"));
  EXPECT_EQ(ReadOrFault(c, "leak"), BlockedRead("leak"));
  EXPECT_EQ(ReadOrFault(c, "dd/s"), BlockedRead("dd/s"));
  EXPECT_EQ(ReadOrFault(c, "/proc/cpuinfo"), BlockedRead("/proc/cpuinfo"));
  EXPECT_TRUE(c.OpenForRead("leak").error().denied);
  EXPECT_TRUE(c.OpenForRead("/usr/bin/ldd"));
}

TEST_F(ConfinementTest, StrictTellsNothingOfWhatExistsOutside) {
  w_.Put(w_.out() / "d/s", "secret");
  fs::create_symlink(w_.out() / "d/s", w_.root() / "there");
  fs::create_symlink(w_.out() / "d/t", w_.root() / "gone");
  w_.Put("f", "fine");
  const Confinement c = Make(SandboxMode::kStrict);
  EXPECT_EQ(ReadOrFault(c, "there"), BlockedRead("there"));
  EXPECT_EQ(ReadOrFault(c, "gone"), BlockedRead("gone"));
  const std::string out = w_.out().string();
  for (const char* below : {"/d/s", "/d/t", "/nope/t", "/d/s/x"})
    EXPECT_EQ(ReadOrFault(c, out + below), BlockedRead(out + below));
  const std::string back = "/../../" + w_.root().filename().string() + "/f";
  for (const std::string& through : {"/d" + back, "/nope" + back})
    EXPECT_EQ(ReadOrFault(c, out + through), BlockedRead("f"));
  EXPECT_EQ(WriteFault(c, "there"), BlockedWrite("there", "strict"));
  EXPECT_EQ(WriteFault(c, "gone"), BlockedWrite("gone", "strict"));
  EXPECT_EQ(c.NotFound(out + "/d/S", "File").text, BlockedRead(out + "/d/S"));
}

TEST_F(ConfinementTest, StrictReadsWhatTheMapAllows) {
  w_.Put(w_.out() / "r/s", "read");
  w_.Put(w_.out() / "w/s", "write");
  ToolSettings settings = w_.Settings(SandboxMode::kStrict);
  settings.sandbox.read = {w_.out() / "r"};
  settings.sandbox.write = {w_.out() / "w"};
  const Confinement c(settings);
  EXPECT_EQ(ReadOrFault(c, "../out/r/s"), "read");
  EXPECT_EQ(ReadOrFault(c, "../out/w/s"), "write");
  EXPECT_EQ(WriteFault(c, "../out/w/s"), "");
  EXPECT_EQ(WriteFault(c, "../out/r/s"), BlockedWrite((w_.out() / "r/s").string(), "strict"));
}

TEST_F(ConfinementTest, AbsoluteLinkBackIntoTheWorkspaceWorks) {
  w_.Put("sub/f", "fine");
  fs::create_symlink(w_.root() / "sub", w_.root() / "absin");
  fs::create_symlink(w_.root() / "sub", w_.out() / "back");
  for (const SandboxMode mode : {SandboxMode::kWorkspaceWrite, SandboxMode::kStrict})
    EXPECT_EQ(ReadOrFault(Make(mode), "absin/f"), "fine");
  EXPECT_EQ(WriteFault(Make(), (w_.out() / "back/new").string()), "");
}

TEST_F(ConfinementTest, BothSpellingsOfALinkedRootWork) {
  w_.Put("f", "fine");
  fs::create_symlink(w_.root(), w_.out() / "alias");
  for (const SandboxMode mode : {SandboxMode::kWorkspaceWrite, SandboxMode::kStrict}) {
    ToolSettings settings = w_.Settings(mode);
    settings.root = w_.out() / "alias";
    const Confinement c(settings);
    for (const std::string& path : {std::string("f"), (w_.out() / "alias/f").string(), (w_.root() / "f").string()}) {
      EXPECT_EQ(ReadOrFault(c, path), "fine") << path;
      EXPECT_EQ(WriteFault(c, path), "") << path;
      EXPECT_EQ(c.OpenForRead(path)->shown, "f");
    }
    EXPECT_EQ(c.root(), (w_.out() / "alias").string());
    EXPECT_EQ(c.workspace(), w_.root().string());
  }
}

TEST_F(ConfinementTest, NamesTheKindOfFailure) {
  w_.Put("f", "x");
  fs::create_symlink("l2", w_.root() / "l1");
  fs::create_symlink("l1", w_.root() / "l2");
  const Confinement c = Make();
  EXPECT_EQ(ReadOrFault(c, "l1"), "l1: too many levels of symbolic links.");
  EXPECT_EQ(WriteFault(c, "l1"), "l1: too many levels of symbolic links.");
  EXPECT_EQ(ReadOrFault(c, "f/g.txt"), "f/g.txt: a part of the path is not a directory.");
  EXPECT_EQ(WriteFault(c, "f/g.txt"), "f/g.txt: a part of the path is not a directory.");
  EXPECT_EQ(WriteFault(c, "f/g/h.txt"), "f/g/h.txt: a part of the path is not a directory.");
  const std::string long_name(256, 'n');
  EXPECT_EQ(ReadOrFault(c, long_name), long_name + ": file name too long.");
  EXPECT_EQ(WriteFault(c, long_name), long_name + ": file name too long.");
  EXPECT_EQ(WriteFault(c, "newdir/"), "newdir/: the path ends with a slash.");
  EXPECT_EQ(WriteFault(c, "."), ". is a directory.");
  EXPECT_FALSE(w_.Exists("newdir"));
}

TEST_F(ConfinementTest, ProposesTheNearestName) {
  w_.Put("README.md", "x");
  w_.Put("src/utils/a.cc", "x");
  const Confinement c = Make();
  EXPECT_EQ(ReadOrFault(c, "readme.md"), "File not found: readme.md. Did you mean README.md?");
  EXPECT_EQ(ReadOrFault(c, "zzzzzz"), "File not found: zzzzzz.");
  EXPECT_EQ(ReadOrFault(c, "srcc/utils/a.cc"), "File not found: srcc/utils/a.cc. Did you mean src/utils/a.cc?");
  EXPECT_EQ(c.OpenForSearch("srcc", "Directory").error().text, "Directory not found: srcc. Did you mean src?");
  EXPECT_EQ(c.OpenForSearch("src/utlis", "Path").error().text, "Path not found: src/utlis. Did you mean src/utils?");
  EXPECT_EQ(WriteFault(c, "src/utlis/a.cc", false), "File not found: src/utlis/a.cc. Did you mean src/utils/a.cc?");
  EXPECT_EQ(c.NotFound("Readme.md", "File").text, "File not found: Readme.md. Did you mean README.md?");
}

TEST_F(ConfinementTest, ShowsNamesThatAreNoTrouble) {
  const Confinement c = Make();
  EXPECT_EQ(ReadOrFault(c, "-rf\nx"), "File not found: -rf\\nx.");
  EXPECT_EQ(c.Shown(w_.root().string()), ".");
  EXPECT_EQ(c.Shown(w_.root().string() + "x"), w_.root().string() + "x");
}

TEST_F(ConfinementTest, SaysThatTheRootIsGone) {
  const Confinement c = Make();
  fs::remove_all(w_.root());
  EXPECT_EQ(ReadOrFault(c, "a"), "The workspace root no longer exists.");
  EXPECT_EQ(ReadOrFault(c, (w_.root() / "a").string()), "The workspace root no longer exists.");
  EXPECT_EQ(WriteFault(c, "a/b"), "The workspace root no longer exists.");
  EXPECT_EQ(WriteFault(c, "a", false), "The workspace root no longer exists.");
  EXPECT_FALSE(fs::exists(w_.root()));
  EXPECT_TRUE(c.OpenForRead("/proc/version"));
}

TEST_F(ConfinementTest, WritesOnlyWhereItMay) {
  fs::create_directories(w_.home() / ".npm");
  fs::create_directory(w_.out() / "d");
  fs::create_symlink(w_.out() / "new.txt", w_.root() / "esc");
  fs::create_symlink(w_.out() / "d", w_.root() / "dd");
  fs::create_symlink(w_.out() / "nope", w_.root() / "dangling");
  const Confinement c = Make();
  const std::string out = w_.out().string();
  EXPECT_EQ(WriteFault(c, "esc"), BlockedWrite(out + "/new.txt"));
  EXPECT_EQ(WriteFault(c, "dd/x/new.txt"), BlockedWrite(out + "/d/x/new.txt"));
  EXPECT_EQ(WriteFault(c, "dd/../n"), BlockedWrite(out + "/n"));
  EXPECT_EQ(WriteFault(c, "dangling/n"), BlockedWrite(out + "/nope/n"));
  EXPECT_EQ(WriteFault(c, out + "/n"), BlockedWrite(out + "/n"));
  EXPECT_EQ(WriteFault(c, out + "/x/y/n"), BlockedWrite(out + "/x/y/n"));
  EXPECT_TRUE(c.OpenForWrite("esc", true).error().denied);
  EXPECT_TRUE(fs::is_empty(w_.out() / "d"));
  EXPECT_EQ(WriteFault(c, (w_.tmp() / "sub/n").string()), "");
  EXPECT_EQ(WriteFault(c, (w_.home() / ".npm/_cacache/x").string()), "");
  EXPECT_EQ(WriteFault(c, (w_.home() / ".cargo/registry/x").string()), "");
  EXPECT_EQ(WriteFault(c, (w_.home() / ".cache/pip/x").string()), "");
  for (const char* refused : {".npm/bin/x", ".cargo/bin/x", "go/bin/x", ".local/bin/x", ".bashrc", ".npmrc"})
    EXPECT_EQ(WriteFault(c, (w_.home() / refused).string()), BlockedWrite((w_.home() / refused).string()));
}

TEST_F(ConfinementTest, XdgCacheHomeReplacesDotCache) {
  ToolSettings settings = w_.Settings();
  settings.environment.push_back("XDG_CACHE_HOME=" + (w_.out() / "cache").string());
  const Confinement c(settings);
  EXPECT_EQ(WriteFault(c, (w_.out() / "cache/x").string()), "");
  EXPECT_EQ(WriteFault(c, (w_.home() / ".cache/x").string()), BlockedWrite((w_.home() / ".cache/x").string()));
}

TEST_F(ConfinementTest, ReadOnlyAndOff) {
  EXPECT_EQ(WriteFault(Make(SandboxMode::kReadOnly), "a.txt"),
            "Blocked by the sandbox (read-only): cannot write a.txt. To allow it, set mcp_proxy.sandbox to "
            "workspace-write.");
  EXPECT_EQ(WriteFault(Make(SandboxMode::kOff), (w_.out() / "n").string()), "");
}

TEST_F(ConfinementTest, GivesTheTargetOfAWrite) {
  w_.Put("sub/real", "old");
  fs::create_symlink("sub/mid", w_.root() / "l");
  fs::create_symlink("real", w_.root() / "sub/mid");
  const Confinement c = Make();
  const auto old = c.OpenForWrite("l", true);
  ASSERT_TRUE(old);
  EXPECT_TRUE(old->exists);
  EXPECT_EQ(old->name, "real");
  EXPECT_EQ(old->real, (w_.root() / "sub/real").string());
  EXPECT_EQ(old->shown, "l");
  EXPECT_EQ(old->status.st_size, 3);
  const auto created = c.OpenForWrite("a/b/c", true);
  ASSERT_TRUE(created);
  EXPECT_FALSE(created->exists);
  EXPECT_EQ(created->shown, "a/b/c");
  EXPECT_TRUE(fs::is_directory(w_.root() / "a/b"));
}

TEST_F(ConfinementTest, RefusesSecretsInEveryModeButOff) {
  w_.Put(w_.out() / "run/serve.json", "token");
  w_.Put(w_.tmp() / "xdg/awf/r", "token");
  ToolSettings settings = w_.Settings();
  settings.private_folder = w_.out() / "run";
  settings.environment.push_back("XDG_RUNTIME_DIR=" + (w_.tmp() / "xdg").string());
  for (const SandboxMode mode : {SandboxMode::kWorkspaceWrite, SandboxMode::kReadOnly, SandboxMode::kStrict}) {
    settings.sandbox.mode = mode;
    const Confinement c(settings);
    for (const std::string& path : {(w_.out() / "run/serve.json").string(), (w_.out() / "run/nothing").string(),
                                    (w_.tmp() / "xdg/awf/r").string(), std::string("/proc/self/environ"),
                                    std::string("/proc/thread-self/environ"), std::string("/proc/1/status"),
                                    "/proc/" + std::to_string(::getpid()) + "/environ"}) {
      const auto opened = c.OpenForRead(path);
      ASSERT_FALSE(opened) << path;
      EXPECT_TRUE(opened.error().denied) << path;
      EXPECT_EQ(
          opened.error().text.find("Blocked by the sandbox (" + std::string(ToString(mode)) + "): cannot read " + path),
          0U)
          << opened.error().text;
    }
    EXPECT_TRUE(c.OpenForWrite((w_.tmp() / "xdg/awf/n").string(), true).error().denied);
  }
  settings.sandbox.mode = SandboxMode::kOff;
  EXPECT_EQ(ReadOrFault(Confinement(settings), (w_.out() / "run/serve.json").string()), "token");
  EXPECT_TRUE(Confinement(settings).OpenForRead("/proc/self/environ"));
}

TEST_F(ConfinementTest, WorkspaceIsTheGitWorkTree) {
  fs::create_directories(w_.root() / ".git");
  fs::create_directories(w_.root() / "pkg/deep");
  ToolSettings settings = w_.Settings();
  settings.root = w_.root() / "pkg/deep";
  const Confinement c(settings);
  EXPECT_EQ(c.workspace(), w_.root().string());
  EXPECT_EQ(WriteFault(c, "../../top.txt"), "");
  EXPECT_EQ(WriteFault(c, "../../../out/n"), BlockedWrite((w_.out() / "n").string()));
  EXPECT_EQ(c.Shown((w_.root() / "top").string()), (w_.root() / "top").string());
}

TEST_F(ConfinementTest, WithoutGitTheWorkspaceIsTheRoot) {
  fs::create_directory(w_.root() / "pkg");
  ToolSettings settings = w_.Settings();
  settings.root = w_.root() / "pkg";
  EXPECT_EQ(WriteFault(Confinement(settings), "../top.txt"), BlockedWrite((w_.root() / "top.txt").string()));
}

TEST_F(ConfinementTest, GitDirectoriesOfAWorktreeCount) {
  w_.Put(w_.out() / "main/.git/HEAD", "ref: refs/heads/main\n");
  w_.Put(w_.out() / "main/.git/worktrees/wt/HEAD", "ref: refs/heads/wt\n");
  w_.Put(w_.out() / "main/.git/worktrees/wt/commondir", "../..\n");
  w_.Put(".git", "gitdir: " + (w_.out() / "main/.git/worktrees/wt").string() + "\n");
  const Confinement c = Make();
  const std::string main = (w_.out() / "main").string();
  EXPECT_EQ(WriteFault(c, main + "/.git/objects/x"), "");
  EXPECT_EQ(WriteFault(c, main + "/.git/worktrees/wt/index"), "");
  EXPECT_EQ(WriteFault(c, main + "/f.txt"), BlockedWrite(main + "/f.txt"));
}

TEST_F(ConfinementTest, AFalseGitFileOpensNothing) {
  w_.Put(w_.out() / "x/data", "no HEAD here");
  w_.Put(".git", "gitdir: " + (w_.out() / "x").string() + "\n");
  EXPECT_EQ(WriteFault(Make(), (w_.out() / "x/n").string()), BlockedWrite((w_.out() / "x/n").string()));
}

TEST_F(ConfinementTest, UnreadableFilesAreNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  w_.Put("p", "x");
  ::chmod((w_.root() / "p").c_str(), 0);
  EXPECT_EQ(ReadOrFault(Make(), "p"), "p: permission denied.");
}

TEST_F(ConfinementTest, OpensFifosWithoutWaiting) {
  ASSERT_EQ(::mkfifo((w_.root() / "f").c_str(), 0644), 0);
  const auto opened = Make().OpenForRead("f");
  ASSERT_TRUE(opened);
  EXPECT_TRUE(S_ISFIFO(opened->status.st_mode));
}

// A link is flipped between inside and outside while it is read and written: nothing from outside may ever come back,
// nothing may ever be planned outside.
TEST_F(ConfinementTest, HoldsAgainstLinkFlips) {
  w_.Put("in/f", "inside");
  w_.Put(w_.out() / "f", "secret");
  std::atomic<bool> stop = false;
  std::thread flipper([&] {
    for (bool inside = true; !stop; inside = !inside) {
      std::error_code ignored;
      fs::create_symlink(inside ? w_.root() / "in" : w_.out(), w_.root() / "next", ignored);
      fs::rename(w_.root() / "next", w_.root() / "sw", ignored);
    }
  });
  const Confinement c = Make(SandboxMode::kStrict);
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto opened = c.OpenForRead("sw/f");
    if (opened) {
      EXPECT_EQ(Bytes(opened->fd), "inside");
      ++inside;
    }
    const auto target = c.OpenForWrite("sw/f", false);
    if (target) {
      EXPECT_EQ(target->real, (w_.root() / "in/f").string());
    }
  }
  stop = true;
  flipper.join();
  EXPECT_GT(inside, 0);
}

}  // namespace
}  // namespace awf::builtins
