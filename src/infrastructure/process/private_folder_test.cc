#include "infrastructure/process/private_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>

#include "infrastructure/process/process_test_support.h"
#include "infrastructure/process/process_tree.h"

namespace awf::process {
namespace {

namespace fs = std::filesystem;

// Short, as the folders of the tests are longer than a runtime folder may be.
class PrivateFolderTest : public ::testing::Test {
 protected:
  PrivateFolderTest() {
    runtime_ = base_ / "run";
    fallback_ = base_ / "var";
    fs::create_directory(runtime_);
  }

  mode_t ModeOf(const fs::path& path) {
    struct stat status{};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  const TestFolder base_{"/tmp"};
  fs::path runtime_, fallback_;
};

TEST_F(PrivateFolderTest, LiesInTheRuntimeFolder) {
  const auto folder = PrivateFolder::OpenIn(runtime_, fallback_);
  ASSERT_TRUE(folder.has_value());
  EXPECT_EQ(folder->path(), runtime_ / "awf");
  EXPECT_EQ(ModeOf(folder->path()), 0700U);
  EXPECT_FALSE(fs::exists(fallback_));
  EXPECT_EQ(PrivateFolder::OpenIn(runtime_, fallback_)->path(), runtime_ / "awf");  // again
}

TEST_F(PrivateFolderTest, FallsBackWhenTheRuntimeFolderWillNotDo) {
  const fs::path deep = base_ / std::string(60, 'd');
  fs::create_directory(deep);
  std::ofstream(base_ / "file") << "x";
  for (const fs::path& runtime : {fs::path(), fs::path("relative"), base_ / "missing", base_ / "file", deep}) {
    const auto folder = PrivateFolder::OpenIn(runtime, fallback_);
    ASSERT_TRUE(folder.has_value()) << runtime;
    EXPECT_EQ(folder->path(), fallback_) << runtime;
    EXPECT_EQ(ModeOf(folder->path()), 0700U);
  }
}

TEST_F(PrivateFolderTest, ForeignRuntimeFoldersAreNotTaken) {
  if (::geteuid() != 0) {
    EXPECT_EQ(PrivateFolder::OpenIn("/", fallback_)->path(), fallback_);
    return;
  }
  ASSERT_EQ(::chown(runtime_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(PrivateFolder::OpenIn(runtime_, fallback_)->path(), fallback_);
}

TEST_F(PrivateFolderTest, LinksAreRefused) {
  fs::create_directory(base_ / "elsewhere");
  fs::create_symlink(base_ / "elsewhere", runtime_ / "awf");
  const auto folder = PrivateFolder::OpenIn(runtime_, fallback_);
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().code, "SYSTEM.IO.PERMISSION_DENIED");
}

TEST_F(PrivateFolderTest, ForeignOwnersAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directory(fallback_);
  ASSERT_EQ(::chown(fallback_.c_str(), 65534, 65534), 0);
  const auto folder = PrivateFolder::OpenIn("", fallback_);
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().code, "SYSTEM.IO.PERMISSION_DENIED");
}

TEST_F(PrivateFolderTest, LooseModesAreTightened) {
  fs::create_directory(fallback_);
  fs::permissions(fallback_, fs::perms::all);
  ASSERT_TRUE(PrivateFolder::OpenIn("", fallback_).has_value());
  EXPECT_EQ(ModeOf(fallback_), 0700U);
}

TEST_F(PrivateFolderTest, UnmakeableFoldersAreToldWithTheirPath) {
  const auto folder = PrivateFolder::OpenIn("", base_ / "missing" / "var");
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_NE(folder.error().message.find("missing/var"), std::string::npos);
}

TEST_F(PrivateFolderTest, StepFoldersDifferAndLeaveRoomForSockets) {
  const auto folder = PrivateFolder::OpenIn(runtime_, fallback_);
  std::set<fs::path> paths;
  for (int i = 0; i < 100; ++i) paths.insert(folder->NewStepFolder());
  EXPECT_EQ(paths.size(), 100U);
  constexpr std::size_t kSocketPath = 108;
  EXPECT_LT((*paths.begin() / "tmp" / "channel-0.sock").native().size(), kSocketPath);
}

TEST_F(PrivateFolderTest, OnlyFoldersOfTheDeadAreSwept) {
  const auto folder = PrivateFolder::OpenIn(runtime_, fallback_);
  const fs::path live = folder->NewStepFolder();
  fs::create_directory(live);

  const pid_t child = ::fork();
  if (child == 0) {
    fs::create_directories(folder->NewStepFolder() / "tmp" / "deep");
    ::_exit(0);
  }
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(folder->SweepLeftovers(), 1);  // a zombie is dead
  ::waitpid(child, nullptr, 0);

  // The number of this process at another time, and one of another container.
  const std::string name = live.filename();
  const std::string pid = std::to_string(::getpid());
  const std::string name_space = name.substr(name.rfind('-'));
  fs::create_directory(folder->path() / ("s-" + pid + "-1-aabbccdd" + name_space));
  fs::create_directory(folder->path() / ("s-" + pid + "-1-aabbccdd-elsewhere"));
  fs::create_directory(folder->path() / "keep");
  fs::create_directory(folder->path() / "s-x-y-z-0");
  EXPECT_EQ(folder->SweepLeftovers(), 1);
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder->path())) left.insert(entry.path().filename());
  EXPECT_EQ(left, (std::set<std::string>{name, "s-" + pid + "-1-aabbccdd-elsewhere", "keep", "s-x-y-z-0"}));
}

TEST(ProcessTreeTest, KnowsThisProcess) {
  const auto self = ReadProcess(::getpid());
  ASSERT_TRUE(self.has_value());
  EXPECT_EQ(self->parent, ::getppid());
  EXPECT_EQ(self->group, ::getpgrp());
  EXPECT_FALSE(self->ended());
  EXPECT_FALSE(ReadProcess(0).has_value());
}

TEST(ProcessTreeTest, SignalsOnlyTheProcessThatWasSeen) {
  auto self = *ReadProcess(::getpid());
  EXPECT_EQ(SignalProcess(self, 0), Signalled::kSent);
  self.start += 1;
  EXPECT_EQ(SignalProcess(self, SIGKILL), Signalled::kGone);
}

}  // namespace
}  // namespace awf::process
