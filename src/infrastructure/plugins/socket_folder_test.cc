#include "infrastructure/plugins/socket_folder.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "domain/test_folder.h"
#include "infrastructure/process/fd.h"

namespace awf::plugins {
namespace {

namespace fs = std::filesystem;

TEST(SocketFolder, IsPrivateAndGoesWithItsObject) {
  const TestFolder parent("/tmp");
  fs::path path;
  {
    auto made = SocketFolder::Make(parent);
    ASSERT_TRUE(made) << made.error();
    path = made->path();
    EXPECT_EQ(path.parent_path(), parent.path());
    EXPECT_EQ(FileMode(path), 0700U);
    std::ofstream(path / "plugin123") << "x";
    const SocketFolder moved = std::move(*made);
    EXPECT_TRUE(fs::exists(moved.path()));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(SocketFolder, TakesAnotherPlaceWhenThePathIsTooLongOrMissing) {
  const TestFolder parent("/tmp");
  const fs::path deep = parent / std::string(60, 'd');
  fs::create_directory(deep);
  for (const fs::path& place : {deep, parent / "none", fs::path(), fs::path("relative")}) {
    auto made = SocketFolder::Make(place);
    ASSERT_TRUE(made) << made.error();
    const fs::path path = made->path();
    EXPECT_EQ(path.parent_path(), "/tmp");
    EXPECT_LE(path.native().size(), kLongestSocketFolder);
    EXPECT_EQ(FileMode(path), 0700U);
    made->Remove();
    EXPECT_FALSE(fs::exists(path));
    made->Remove();
  }
}

Fd BoundSocket(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.native().copy(address.sun_path, sizeof address.sun_path - 1);
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

TEST(RemoveStaleSocket, TakesSocketsThatNobodyListensOn) {
  const TestFolder folder("/tmp");
  {
    const Fd socket = BoundSocket(folder / "s");
    ASSERT_EQ(::listen(socket.get(), 1), 0);
    RemoveStaleSocket(folder / "s");
    EXPECT_TRUE(fs::exists(folder / "s"));
  }
  fs::create_symlink(folder / "s", folder / "link");
  std::ofstream(folder / "file") << "x";
  for (const char* name : {"link", "file", "none", "."}) RemoveStaleSocket(folder / name);
  RemoveStaleSocket(folder / std::string(200, 'l'));
  EXPECT_TRUE(fs::exists(folder / "s"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::exists(folder / "file"));
  RemoveStaleSocket(folder / "s");
  EXPECT_FALSE(fs::exists(folder / "s"));
}

}  // namespace
}  // namespace awf::plugins
