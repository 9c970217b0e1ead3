#include "infrastructure/plugins/socket_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "domain/test_folder.h"

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

}  // namespace
}  // namespace awf::plugins
