#include "infrastructure/plugin_registry/plugin_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/plugin_registry/test_findings.h"

namespace awf::plugin_registry {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

const std::string kOnes(64, '1');

// What reading this file says, without the folder's name.
std::string Fault(const TestFolder& folder, std::string_view text) {
  folder.Put("plugins/plugins.json", text);
  const auto states = ReadPluginStates(folder);
  if (states) return "none";
  EXPECT_EQ(states.error().code, "USER.CONFIG.INVALID");
  EXPECT_EQ(states.error().position.file, PluginStateFile(folder).string());
  return Told(states.error());
}

// Adds 1 to the number `count` of the plugin, `times` times.
bool Count(const fs::path& storage, const std::string& plugin, int times) {
  for (int i = 0; i < times; ++i) {
    const auto changed = ChangePluginStates(storage, [&](PluginStates& states) {
      json::value& count = states[plugin].config["count"];
      count = count.is_int64() ? count.get_int64() + 1 : 1;
    });
    if (!changed) return false;
  }
  return true;
}

TEST(PluginState, AnAbsentFileIsEmpty) {
  const TestFolder folder;
  const auto states = ReadPluginStates(folder / "nowhere");
  ASSERT_TRUE(states);
  EXPECT_THAT(*states, IsEmpty());
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

TEST(PluginState, IsWrittenForItsOwnerAlone) {
  const TestFolder folder;
  ASSERT_TRUE(ChangePluginStates(folder / "storage", [](PluginStates& states) {
    states["a"].enabled = false;
    states["a"].disabled_at = "2026-11-03T10:15:09Z";
    states["b"].config = {{"z", 1}, {"y", {{"x", nullptr}}}};
    states["b"].checksum = kOnes;
    states["b"].checksum_at = "2026-11-03T10:15:10Z";
    states["b"].source_data = "github";
  }));
  EXPECT_EQ(FileText(folder / "storage/plugins/plugins.json"), R"({
  "a": {
    "disabled_at": "2026-11-03T10:15:09Z",
    "enabled": false
  },
  "b": {
    "checksum": ")" + kOnes + R"(",
    "checksum_at": "2026-11-03T10:15:10Z",
    "config": {
      "y": {
        "x": null
      },
      "z": 1
    },
    "enabled": true,
    "source_data": "github"
  }
}
)");
  EXPECT_EQ(FileMode(folder / "storage/plugins/plugins.json"), 0600U);
  const auto states = ReadPluginStates(folder / "storage");
  ASSERT_TRUE(states) << states.error().message;
  EXPECT_FALSE(states->at("a").enabled);
  EXPECT_EQ(states->at("a").disabled_at, "2026-11-03T10:15:09Z");
  EXPECT_EQ(states->at("b").checksum, kOnes);
  EXPECT_EQ(states->at("b").checksum_at, "2026-11-03T10:15:10Z");
  EXPECT_EQ(json::serialize(states->at("b").config), R"({"y":{"x":null},"z":1})");
  EXPECT_EQ(states->at("b").source_data, json::value("github"));
}

TEST(PluginState, KeepsWhatItDoesNotKnow) {
  const TestFolder folder;
  folder.Put("plugins/plugins.json", R"({"a": {"later": {"list": [1]}, "config": null, "disabled_at": 0}, "b": {}})");
  ASSERT_TRUE(ChangePluginStates(folder, [](PluginStates& states) { states["a"].enabled = false; }));
  EXPECT_EQ(json::serialize(json::parse(FileText(PluginStateFile(folder)))),
            R"({"a":{"enabled":false,"later":{"list":[1]}},"b":{"enabled":true}})");
}

TEST(PluginState, TakesTimesInSeconds) {
  const TestFolder folder;
  folder.Put("plugins/plugins.json", R"({"a": {"enabled": false, "disabled_at": 1762164909}})");
  EXPECT_EQ(ReadPluginStates(folder)->at("a").disabled_at, "2025-11-03T10:15:09Z");
}

TEST(PluginState, ChecksEveryValue) {
  const TestFolder folder;
  EXPECT_EQ(Fault(folder, "{}"), "none");
  EXPECT_EQ(Fault(folder, ""), "1:1 : the file is empty");
  EXPECT_EQ(Fault(folder, "[]"), "1:1 : the document must be a map, but is a list");
  EXPECT_EQ(Fault(folder, "{\"a\": {}, \"a\": {}}"), "1:11 : key 'a' is given twice in the same object");
  EXPECT_EQ(Fault(folder, "{\"a\": 1}"), "1:2 a: a must be a map, but is a number");
  EXPECT_EQ(Fault(folder, "{\"a\": {\n\"enabled\": 1}}"),
            "2:1 a.enabled: a.enabled must be true or false, but is a number");
  EXPECT_EQ(Fault(folder, "{\"a\": {\"config\": []}}"), "1:8 a.config: a.config must be a map, but is a list");
  EXPECT_EQ(Fault(folder, "{\"a\": {\"checksum\": \"9f\"}}"), "1:8 a.checksum: a.checksum must be 64 hex digits");
  EXPECT_EQ(Fault(folder, "{\"a\": {\"checksum\": 1}}"),
            "1:8 a.checksum: a.checksum must be a string, but is a number");
  EXPECT_EQ(Fault(folder, "{\"a\": {\"disabled_at\": -1}}"),
            "1:8 a.disabled_at: a.disabled_at must be a time, but is a "
            "number");
  EXPECT_EQ(Fault(folder, "{\"a\": {\"checksum_at\": []}}"),
            "1:8 a.checksum_at: a.checksum_at must be a time, but is a list");
}

TEST(PluginState, ADamagedFileStaysAsItIs) {
  const TestFolder folder;
  folder.Put("plugins/plugins.json", "{\"a\": ");
  bool asked = false;
  const auto changed = ChangePluginStates(folder, [&](PluginStates&) { asked = true; });
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, "USER.CONFIG.INVALID");
  EXPECT_FALSE(asked);
  EXPECT_EQ(FileText(PluginStateFile(folder)), "{\"a\": ");
}

TEST(PluginState, NeverWaitsForWhatIsNoFile) {
  const TestFolder folder;
  fs::create_directories(folder / "plugins");
  ASSERT_EQ(::mkfifo(PluginStateFile(folder).c_str(), 0600), 0);
  EXPECT_EQ(ReadPluginStates(folder).error().message, PluginStateFile(folder).string() + " is not a regular file");
  EXPECT_EQ(ChangePluginStates(folder, [](PluginStates&) {}).error().message,
            PluginStateFile(folder).string() + " is not a regular file");
}

TEST(PluginState, CannotBeWritten) {
  const TestFolder folder;
  folder.Put("plugins", "");
  const auto changed = ChangePluginStates(folder, [](PluginStates&) {});
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_EQ(changed.error().message, "cannot write " + (folder / "plugins").string() + ": Not a directory");
}

TEST(PluginState, ThreadsLoseNothing) {
  const TestFolder folder;
  constexpr int kThreads = 4, kTimes = 10;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&folder, i] {
      EXPECT_TRUE(Count(folder, "shared", kTimes));
      EXPECT_TRUE(Count(folder, "own" + std::to_string(i), 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto states = ReadPluginStates(folder);
  ASSERT_TRUE(states) << states.error().message;
  EXPECT_EQ(states->at("shared").config.at("count"), kThreads * kTimes);
  EXPECT_EQ(states->size(), std::size_t{1} + kThreads);
}

TEST(PluginState, ProcessesLoseNothing) {
  const TestFolder folder;
  constexpr int kProcesses = 4, kTimes = 10;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(Count(folder, "shared", kTimes) && Count(folder, "own" + std::to_string(i), 1) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  const auto states = ReadPluginStates(folder);
  ASSERT_TRUE(states) << states.error().message;
  EXPECT_EQ(states->at("shared").config.at("count"), kProcesses * kTimes);
  EXPECT_EQ(states->size(), std::size_t{1} + kProcesses);
  // Only the file and its lock are left.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "plugins"), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace awf::plugin_registry
