#include "infrastructure/plugin_registry/plugin_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "domain/test_folder.h"
#include "infrastructure/plugin_registry/test_findings.h"

namespace awf::plugin_registry {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kOnes(64, '1'), kTwos(64, '2');

Operation Get() {
  return {"kubectl_get",
          "reads \"things\"",
          {{"namespace", "string", false, "default", "where", ""}, {"kind", "string", true, "", "", "url"}},
          {{"items", "array", "what was found"}}};
}

PluginLock Sample() {
  return {{"kubernetes", {"1.2.3", {{Platform(), kOnes}, {"linux-other", kTwos}}, {Get(), {"apply", "", {}, {}}}}},
          {"jira", {"", {}, {}}}};
}

std::string Fault(std::string text) {
  const auto lock = ParsePluginLock(std::move(text), "plugins.lock");
  if (lock) return "none";
  EXPECT_EQ(lock.error().code, "USER.CONFIG.INVALID");
  EXPECT_EQ(lock.error().position.file, "plugins.lock");
  return Told(lock.error());
}

// Of a member of the plugin p, in line 2.
std::string PluginFault(const std::string& members) {
  return Fault("{\"version\": 1, \"plugins\": {\"p\": {\n" + members + "}}}");
}

TEST(PluginLock, IsWrittenWithItsKeysSorted) {
  EXPECT_EQ(PluginLockText({{"p",
                             {"1.0.0",
                              {{"linux-x86_64", kOnes}},
                              {{"op", "does", {{"i", "int", true, "5", "d", ""}}, {{"o", "string", ""}}}}}}}),
            R"({
  "plugins": {
    "p": {
      "operations": [
        {
          "description": "does",
          "inputs": [
            {
              "default": "5",
              "description": "d",
              "name": "i",
              "required": true,
              "type": "int",
              "validation": ""
            }
          ],
          "name": "op",
          "outputs": [
            {
              "description": "",
              "name": "o",
              "type": "string"
            }
          ]
        }
      ],
      "sha256": {
        "linux-x86_64": ")" +
                kOnes + R"("
      },
      "version": "1.0.0"
    }
  },
  "version": 1
}
)");
}

TEST(PluginLock, TheOrderOfAPluginDoesNotChangeTheBytes) {
  PluginLock other = Sample();
  std::ranges::reverse(other["kubernetes"].operations);
  std::ranges::reverse(other["kubernetes"].operations[1].inputs);
  EXPECT_NE(other["kubernetes"].operations, Sample()["kubernetes"].operations);
  EXPECT_EQ(PluginLockText(other), PluginLockText(Sample()));
  EXPECT_THAT(Differences(other, Sample()), IsEmpty());
}

TEST(PluginLock, ComesBackAsItWasWritten) {
  const TestFolder folder;
  const fs::path path = folder / ".awf" / "plugins.lock";
  EXPECT_THAT(*ReadPluginLock(path), IsEmpty());
  ASSERT_TRUE(WritePluginLock(path, Sample()));
  const std::string bytes = FileText(path);
  const auto lock = ReadPluginLock(path);
  ASSERT_TRUE(lock) << lock.error().message;
  EXPECT_THAT(Differences(Sample(), *lock), IsEmpty());
  EXPECT_EQ(lock->at("kubernetes").operations[1].name, "kubectl_get");
  EXPECT_EQ(lock->at("kubernetes").operations[1].inputs[0], (OperationInput{"kind", "string", true, "", "", "url"}));
  EXPECT_EQ(lock->at("kubernetes").sha256.at("linux-other"), kTwos);
  ASSERT_TRUE(WritePluginLock(path, *lock));
  EXPECT_EQ(FileText(path), bytes);
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()), 1);
}

TEST(PluginLock, CannotBeWritten) {
  const TestFolder folder;
  fs::create_directories(folder / "plugins.lock");
  const auto directory = WritePluginLock(folder / "plugins.lock", Sample());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_EQ(directory.error().message, "cannot write " + (folder / "plugins.lock").string() + ": Is a directory");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  folder.Put("file", "");
  EXPECT_EQ(WritePluginLock(folder / "file" / "plugins.lock", Sample()).error().message,
            "cannot write " + (folder / "file").string() + ": Not a directory");
}

TEST(PluginLock, AnswersHostileTextsWithPositions) {
  EXPECT_EQ(Fault(PluginLockText(Sample())), "none");
  EXPECT_EQ(Fault(""), "1:1 : the file is empty");
  EXPECT_EQ(Fault("[]"), "1:1 : the document must be a map, but is a list");
  EXPECT_EQ(Fault("{\"version\": 1, \"version\": 1}"), "1:16 : key 'version' is given twice in the same object");
  EXPECT_EQ(Fault("{\"plugins\": " + std::string(100, '[') + std::string(100, ']') + "}"),
            "1:44 : nested deeper than 32 levels");
  EXPECT_EQ(Fault("{\"plugins\": {}}"), "1:1 version: version is missing");
  EXPECT_EQ(
      Fault("{\"plugins\": {},\n \"version\": 2}"),
      "2:2 version: version 2 of the lock file is not known here (update awf, or let awf plugin lock write the file "
      "anew, once this one is gone)");
  EXPECT_EQ(Fault("{\"plugins\": [], \"version\": 1}"), "1:2 plugins: plugins must be a map, but is a list");
  EXPECT_EQ(Fault("{\"plugins\": {}, \"version\": 1, \"plugin\": 1}"),
            "1:31 plugin: unknown key 'plugin' (did you mean 'plugins'?)");
  EXPECT_EQ(Fault("{\"version\": 1, \"plugins\": {\"a b\": {}}}"),
            "1:28 plugins.a b: 'a b' is no name for a plugin (awf plugin lock writes the file anew, once this one is "
            "gone)");
  EXPECT_EQ(Fault("{\"version\": 1, \"plugins\": {\"p\": 1}}"),
            "1:28 plugins.p: plugins.p must be a map, but is a number");
}

TEST(PluginLock, ChecksEveryValueOfAPlugin) {
  const std::string renew = " (awf plugin lock writes the file anew, once this one is gone)";
  EXPECT_EQ(PluginFault(R"("sha256": {}, "operations": [])"), "1:28 plugins.p.version: plugins.p.version is missing");
  EXPECT_EQ(PluginFault(R"("version": 1, "sha256": {}, "operations": [])"),
            "2:1 plugins.p.version: plugins.p.version must be a string, but is a number");
  EXPECT_EQ(PluginFault(R"("version": "", "sha256": [], "operations": [])"),
            "2:16 plugins.p.sha256: plugins.p.sha256 must be a map, but is a list");
  EXPECT_EQ(PluginFault(R"("version": "", "sha256": {"linux-x86_64": "9f"}, "operations": [])"),
            "2:27 plugins.p.sha256.linux-x86_64: plugins.p.sha256.linux-x86_64 must be 64 hex digits" + renew);
  EXPECT_EQ(PluginFault(R"("version": "", "sha256": {}, "operation": [])"),
            "2:30 plugins.p.operation: unknown key 'operation' (did you mean 'operations'?)");
}

TEST(PluginLock, ChecksEveryValueOfAnOperation) {
  // The operations stand in line 3.
  const auto fault = [](const std::string& operations) {
    const std::string told = PluginFault("\"version\": \"\", \"sha256\": {}, \"operations\":\n" + operations);
    const std::string renew = " (awf plugin lock writes the file anew, once this one is gone)";
    return told.ends_with(renew) ? told.substr(0, told.size() - renew.size()) : told;
  };
  const std::string input = R"([{"name": "o", "description": "", "outputs": [], "inputs": [)";
  EXPECT_EQ(fault("[]"), "none");
  EXPECT_EQ(fault("{}"), "2:30 plugins.p.operations: plugins.p.operations must be a list, but is a map");
  EXPECT_EQ(fault("[1]"), "3:2 plugins.p.operations[0]: plugins.p.operations[0] must be a map, but is a number");
  EXPECT_EQ(fault("[{}]"), "3:2 plugins.p.operations[0].name: plugins.p.operations[0].name is missing");
  EXPECT_EQ(fault(R"([{"name": 1}])"),
            "3:3 plugins.p.operations[0].name: plugins.p.operations[0].name must be a string, but is a number");
  EXPECT_EQ(
      fault(input + R"({"name": "i", "type": [], "default": "", "description": "", "validation": "",
                              "required": true}]}])"),
      "3:75 plugins.p.operations[0].inputs[0].type: plugins.p.operations[0].inputs[0].type must be a string, but is "
      "a list");
  EXPECT_EQ(
      fault(input + R"({"name": "i", "type": "", "default": "", "description": "", "validation": "",
"required": 1}]}])"),
      "4:1 plugins.p.operations[0].inputs[0].required: plugins.p.operations[0].inputs[0].required must be true or "
      "false, but is a number");
  EXPECT_EQ(fault(R"([{"name": "o", "description": "", "outputs": [], "inputs": [],
"more": 1}])"),
            "4:1 plugins.p.operations[0].more: plugins.p.operations[0].more is no known key");
}

// One fault is told of very many, in a time that grows with the text alone.
TEST(PluginLock, ManyFaultsAreOne) {
  std::string text = "{\"version\": 1, \"plugins\": {\"p\": {\"version\": \"\", \"operations\": [], \"sha256\": {";
  for (int i = 0; i < 50'000; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
  EXPECT_EQ(Fault(text + "}}}}").substr(0, 26), "1:78 plugins.p.sha256[0]: ");
}

TEST(PluginLock, TellsDifferencesForPeople) {
  PluginLock before = Sample(), after = Sample();
  after.erase("jira");
  after["forge"] = {"0.1.0", {{Platform(), kOnes}}, {{"build", "", {}, {}}}};
  LockedPlugin& kubernetes = after["kubernetes"];
  kubernetes.version = "1.3.0";
  kubernetes.sha256 = {{Platform(), kTwos}, {"linux-third", kOnes}};
  kubernetes.operations = {Get(), {"delete", "", {}, {}}};
  kubernetes.operations[0].description = "reads";
  kubernetes.operations[0].inputs[0].required = true;
  EXPECT_THAT(
      Differences(before, after),
      ElementsAre("+ forge", "+ forge.build", "- jira", "~ kubernetes: version 1.2.3 → 1.3.0",
                  "- kubernetes: sha256 of linux-other 22222222…", "+ kubernetes: sha256 of linux-third 11111111…",
                  "~ kubernetes: sha256 11111111… → 22222222…", "- kubernetes.apply", "+ kubernetes.delete",
                  "~ kubernetes.kubectl_get: description, inputs"));
  before.clear();
  EXPECT_THAT(Differences(before, Sample()),
              ElementsAre("+ jira", "+ kubernetes", "+ kubernetes.apply", "+ kubernetes.kubectl_get"));
  EXPECT_THAT(Differences(Sample(), before),
              ElementsAre("- jira", "- kubernetes", "- kubernetes.apply", "- kubernetes.kubectl_get"));
}

}  // namespace
}  // namespace awf::plugin_registry
