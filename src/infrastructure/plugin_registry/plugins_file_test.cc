#include "infrastructure/plugin_registry/plugins_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "domain/test_folder.h"
#include "infrastructure/plugin_registry/test_findings.h"

namespace awf::plugin_registry {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* kDigest = "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08";

std::string Fault(const std::string& text) {
  const auto plugins = ParsePluginsFile(text, "plugins.yaml");
  if (plugins) return "none";
  EXPECT_EQ(plugins.error().code, "USER.CONFIG.INVALID");
  EXPECT_EQ(plugins.error().position.file, "plugins.yaml");
  return Told(plugins.error());
}

// Of one key of the plugin p, in line 3.
std::string KeyFault(const std::string& key) { return Fault("plugins:\n  p:\n    " + key + "\n"); }

TEST(PluginsFile, ReadsEveryKey) {
  const auto plugins = ParsePluginsFile(std::string(R"(plugins:
  kubernetes:
    path: ./tools/awf-plugin-kubernetes
    enabled: false
    config: {kubeconfig: ~/.kube/config, tag: 1.10, deep: {list: [1, true]}}
    env: {KUBECONFIG: /etc/k/conf, COUNT: 3, EMPTY: ""}
    tls: off
    start_timeout: 1m30s
    sha256: )") + kDigest + "\n  plain: {}\n",
                                        "plugins.yaml");
  ASSERT_TRUE(plugins) << plugins.error().message;
  ASSERT_EQ(plugins->size(), 2U);
  const PluginEntry& entry = plugins->at("kubernetes");
  EXPECT_EQ(entry.position, (Position{"plugins.yaml", 2, 3}));
  EXPECT_EQ(entry.path, "./tools/awf-plugin-kubernetes");
  EXPECT_EQ(entry.path_position, (Position{"plugins.yaml", 3, 11}));
  EXPECT_FALSE(entry.enabled);
  EXPECT_EQ(entry.enabled_position, (Position{"plugins.yaml", 4, 14}));
  EXPECT_EQ(json::serialize(entry.config.values),
            R"({"kubeconfig":"~/.kube/config","tag":1.1E0,"deep":{"list":[1,true]}})");
  EXPECT_EQ(entry.config.spelt.at("tag"), "1.10");
  EXPECT_EQ(entry.config.positions.at("tag"), (Position{"plugins.yaml", 5, 42}));
  EXPECT_THAT(entry.env, ElementsAre(Pair("KUBECONFIG", "/etc/k/conf"), Pair("COUNT", "3"), Pair("EMPTY", "")));
  EXPECT_EQ(entry.sha256, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
  EXPECT_FALSE(entry.tls_required);
  EXPECT_EQ(entry.start_timeout, milliseconds(90'000));
  const PluginEntry& plain = plugins->at("plain");
  EXPECT_TRUE(plain.enabled && plain.tls_required && plain.path.empty() && plain.sha256.empty() && plain.env.empty());
  EXPECT_FALSE(plain.start_timeout);
}

TEST(PluginsFile, MayHoldNothing) {
  for (const char* text : {"", "# nothing yet\n", "plugins: {}\n", "{}"}) EXPECT_EQ(Fault(text), "none") << text;
  const TestFolder folder;
  const auto absent = ReadPluginsFile(folder / "plugins.yaml");
  ASSERT_TRUE(absent);
  EXPECT_FALSE(*absent);
  folder.Put("plugins.yaml", "");
  const auto empty = ReadPluginsFile(folder / "plugins.yaml");
  ASSERT_TRUE(empty && *empty);
  EXPECT_THAT(**empty, IsEmpty());
}

TEST(PluginsFile, UnknownKeysAreErrors) {
  EXPECT_EQ(Fault("plugin: {}\n"), "1:1 plugin: unknown key 'plugin' (did you mean 'plugins'?)");
  EXPECT_EQ(KeyFault("pth: ./x"), "3:5 plugins.p.pth: unknown key 'pth' (did you mean 'path'?)");
  EXPECT_EQ(KeyFault("startTimeout: 3"),
            "3:5 plugins.p.startTimeout: unknown key 'startTimeout' (keys are written in snake_case: 'start_timeout')");
}

TEST(PluginsFile, ChecksEveryValue) {
  EXPECT_EQ(Fault("plugins: [a]\n"), "1:10 plugins: plugins must be a map, but is a list");
  EXPECT_EQ(Fault("plugins:\n  forge:\n"), "2:9 plugins.forge: plugins.forge must be a map, but is empty");
  EXPECT_EQ(Fault("plugins:\n  my forge: {}\n"),
            "2:3 plugins: 'my forge' is no name for a plugin (names are letters, digits, '_' and '-', and begin with a "
            "letter)");
  EXPECT_EQ(KeyFault("path: ''"), "3:11 plugins.p.path: plugins.p.path must not be empty");
  EXPECT_EQ(KeyFault("path: \"a\\0b\""), "3:11 plugins.p.path: plugins.p.path must not hold a null character");
  EXPECT_EQ(KeyFault("enabled: 'no'"),
            "3:14 plugins.p.enabled: plugins.p.enabled must be true or false, but is a string (write true or false, "
            "without quotes)");
  EXPECT_EQ(KeyFault("config: []"), "3:13 plugins.p.config: plugins.p.config must be a map, but is a list");
  EXPECT_EQ(KeyFault("config: {n: 1e999}"), "3:17 plugins.p.config.n: the number is too large");
  EXPECT_EQ(KeyFault("env: {A: [1]}"), "3:14 plugins.p.env.A: plugins.p.env.A must be a string, but is a list");
  EXPECT_EQ(KeyFault("env: {A: }"), "3:14 plugins.p.env.A: plugins.p.env.A must be a string, but is empty");
  EXPECT_EQ(KeyFault("env: {'A=B': c}"), "3:11 plugins.p.env: 'A=B' is no name for a variable");
  EXPECT_EQ(KeyFault("env: {A: \"\\0\"}"), "3:14 plugins.p.env.A: plugins.p.env.A must not hold a null character");
  EXPECT_EQ(KeyFault("sha256: 9f86d0"),
            "3:13 plugins.p.sha256: plugins.p.sha256 must be 64 hex digits (sha256sum FILE prints them)");
  EXPECT_EQ(KeyFault("sha256: " + std::string(63, 'a') + "g"),
            "3:13 plugins.p.sha256: plugins.p.sha256 must be 64 hex digits (sha256sum FILE prints them)");
  EXPECT_EQ(KeyFault("sha256: " + std::string(64, '1')), "none");
  EXPECT_EQ(KeyFault("tls: false"), "3:10 plugins.p.tls: plugins.p.tls 'false' is not one of required, off");
  EXPECT_EQ(KeyFault("start_timeout: soon"),
            "3:20 plugins.p.start_timeout: plugins.p.start_timeout 'soon' is not a duration: write seconds, or as "
            "1h2m3.5s, 500ms");
  EXPECT_EQ(KeyFault("start_timeout: 0"),
            "3:20 plugins.p.start_timeout: plugins.p.start_timeout must be longer than 0");
}

TEST(PluginsFile, TellsAllFaultsInTheirOrder) {
  EXPECT_EQ(Fault("plugins:\n  b: {tls: on}\n  a: {sha256: x}\n  a: {}\n"),
            "2:12 plugins.b.tls: plugins.b.tls 'on' is not one of required, off\n"
            "plugins.yaml:3:15: plugins.a.sha256 must be 64 hex digits\n"
            "plugins.yaml:4:3: key 'a' was already given in line 3");
}

TEST(PluginsFile, TellsTwentyFaultsAtMost) {
  std::string text = "plugins:\n";
  for (int i = 0; i < 50; ++i) text += "  p" + std::to_string(i) + ": 1\n";
  const std::string fault = Fault(text);
  EXPECT_EQ(std::ranges::count(fault, '\n'), 20);
  EXPECT_TRUE(fault.ends_with("\nplugins.yaml:21:8: plugins.p19 must be a map, but is a number\n30 more")) << fault;
}

TEST(PluginsFile, NeverWaitsForWhatIsNoFile) {
  const TestFolder folder;
  const auto fault = [&](const char* name) {
    const auto read = ReadPluginsFile(folder / name);
    return read ? "none" : read.error().code + " " + read.error().message.substr(folder.string().size() + 1);
  };
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder");
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_EQ(fault("pipe"), "USER.CONFIG.INVALID pipe is not a regular file");
  EXPECT_EQ(fault("folder"), "USER.CONFIG.INVALID folder is not a regular file");
  EXPECT_EQ(fault("loop"), "USER.CONFIG.INVALID loop cannot be read: Too many levels of symbolic links");
}

}  // namespace
}  // namespace awf::plugin_registry
