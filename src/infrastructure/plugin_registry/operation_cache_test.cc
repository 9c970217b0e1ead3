#include "infrastructure/plugin_registry/operation_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "domain/test_folder.h"

namespace awf::plugin_registry {
namespace {

namespace fs = std::filesystem;

const std::string kDigest(64, 'a');
const std::vector<Operation> kOperations = {
    {"add",
     "adds",
     {{"a", "integer", true, "", "first", ""}, {"b", "integer", false, "1", "", ""}},
     {{"sum", "integer", ""}}},
    {"sub", "", {}, {}}};

TEST(OperationCache, GivesBackWhatItWasGiven) {
  const TestFolder folder;
  EXPECT_FALSE(CachedOperations(folder, kDigest));
  CacheOperations(folder, kDigest, "calc", kOperations);
  EXPECT_EQ(CachedOperations(folder, kDigest), kOperations);
  EXPECT_FALSE(CachedOperations(folder, std::string(64, 'b')));
  const fs::path file = folder / "plugins/cache" / (kDigest + ".json");
  EXPECT_EQ(FileMode(file), 0600U);
  CacheOperations(folder, kDigest, "calc", {});
  EXPECT_EQ(CachedOperations(folder, kDigest), std::vector<Operation>());
}

TEST(OperationCache, IsNotWrittenForNothing) {
  const TestFolder folder;
  CacheOperations(folder, kDigest, "calc", kOperations);
  struct stat before{}, after{};
  const fs::path file = folder / "plugins/cache" / (kDigest + ".json");
  ASSERT_EQ(::stat(file.c_str(), &before), 0);
  CacheOperations(folder, kDigest, "calc", kOperations);
  ASSERT_EQ(::stat(file.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST(OperationCache, DamagedEntriesAreIgnoredAndWrittenAnew) {
  const TestFolder folder;
  const fs::path file = fs::path("plugins/cache") / (kDigest + ".json");
  for (const char* text : {"", "{", "[]", "{}", R"({"operations": [1]})", R"({"operations": [], "operations": []})"}) {
    folder.Put(file, text);
    EXPECT_FALSE(CachedOperations(folder, kDigest)) << text;
    CacheOperations(folder, kDigest, "calc", kOperations);
    EXPECT_EQ(CachedOperations(folder, kDigest), kOperations) << text;
  }
  fs::remove(folder / file);
  ASSERT_EQ(::mkfifo((folder / file).c_str(), 0600), 0);
  EXPECT_FALSE(CachedOperations(folder, kDigest));
  CacheOperations(folder, kDigest, "calc", kOperations);
  EXPECT_EQ(CachedOperations(folder, kDigest), kOperations);
}

TEST(OperationCache, LeadsNowhereElse) {
  const TestFolder folder;
  folder.Put("plugins/outside.json", R"({"operations": []})");
  EXPECT_FALSE(CachedOperations(folder, "../outside"));
  EXPECT_FALSE(CachedOperations(folder, ""));
  CacheOperations(folder, "../written", "calc", kOperations);
  CacheOperations(folder, std::string(64, 'A'), "calc", kOperations);
  EXPECT_FALSE(fs::exists(folder / "plugins/written.json"));
  EXPECT_FALSE(fs::exists(folder / "plugins/cache"));
  folder.Put("file", "");
  CacheOperations(folder / "file", kDigest, "calc", kOperations);  // cannot be written: nobody's problem
  EXPECT_FALSE(CachedOperations(folder / "file", kDigest));
}

}  // namespace
}  // namespace awf::plugin_registry
