#include "infrastructure/plugin_registry/plugin_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "domain/test_folder.h"
#include "infrastructure/plugin_registry/operation_cache.h"
#include "infrastructure/plugin_registry/plugin_lock.h"
#include "infrastructure/plugin_registry/plugin_state.h"
#include "infrastructure/plugin_registry/test_findings.h"

namespace awf::plugin_registry {
namespace {

namespace fs = std::filesystem;
using Source = KnownOperations::Source;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const std::string kOnes(64, '1'), kTwos(64, '2');

// A project at <home>/work, beside it the user's data.
class PluginRegistryTest : public testing::Test {
 protected:
  PluginRegistryTest() {
    places_.project = home_ / "work";
    places_.user_data = home_ / ".local/share/awf";
    places_.storage = home_ / "storage";
    places_.folders = {places_.project / ".awf/plugins", places_.user_data / "plugins"};
    places_.home = home_;
    fs::create_directories(places_.project / ".awf");
  }

  static std::string Manifest(const std::string& name, const std::string& more = {}) {
    return "name: " + name + "\nversion: 1.2.3\nawf_version: '>=0.5.0'\ncapabilities: [operations]\n" + more;
  }

  // A plugin whose executable cannot be run: nothing here may try to.
  void Install(const fs::path& folder, const std::string& manifest) {
    home_.Put(folder / "plugin.yaml", manifest);
    const std::string base = folder.filename().string();
    Program(folder / (base.starts_with("awf-plugin-") ? base : "awf-plugin-" + base));
  }

  fs::path Program(const fs::path& path) {
    const fs::path file = home_.Put(path, "#!/bin/sh\ntouch " + (home_ / "started").string() + "\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }

  void PluginsFile(const std::string& plugins) { home_.Put("work/.awf/plugins.yaml", "plugins:\n" + plugins); }

  PluginRegistry Load() {
    auto registry = PluginRegistry::Load(places_);
    EXPECT_TRUE(registry) << registry.error().message;
    EXPECT_FALSE(fs::exists(home_ / "started"));
    return std::move(*registry);
  }

  // The text without the folder of the test.
  std::string Without(std::string text) const {
    for (std::size_t at; (at = text.find(home_.string() + "/")) != std::string::npos;) {
      text.erase(at, home_.string().size() + 1);
    }
    return text;
  }

  // "name version status place executable: reason" of each.
  std::vector<std::string> Rows(const PluginRegistry& registry) const {
    static constexpr const char* kStatus[] = {"ok", "disabled", "invalid", "not found"};
    std::vector<std::string> rows;
    for (const RegisteredPlugin& row : registry.plugins()) {
      std::string text = row.name + (row.version.empty() ? "" : " " + row.version) + " " +
                         kStatus[static_cast<int>(row.status)] + " " + row.place + " " + row.executable.string();
      if (!row.reason.empty()) text += ": " + row.reason;
      if (row.user_installed) text += " (user)";
      for (const fs::path& loser : row.shadowed) text += " > " + loser.string();
      rows.push_back(Without(text));
    }
    return rows;
  }

  std::vector<std::string> Warnings(const PluginRegistry& registry) const {
    std::vector<std::string> lines;
    for (const Finding& finding : registry.warnings()) {
      EXPECT_EQ(finding.error.code, "EXECUTION.PLUGIN.CONFIG");
      lines.push_back(Without(finding.error.position.file) + " " + Told({finding}).front());
    }
    return lines;
  }

  // "CODE 1:2 field: message (hint)" of Launch; "none" without an error.
  std::string Fault(std::string_view name) {
    const auto launch = Load().Launch(name);
    return launch ? "none" : launch.error().code + " " + Without(Told(launch.error()));
  }

  std::string LoadFault() {
    const auto registry = PluginRegistry::Load(places_);
    if (registry) return "none";
    const Error& error = registry.error();
    return error.code + " " + Without(error.position.file) + " " + Without(Told(error));
  }

  TestFolder home_;
  RegistryPlaces places_;
};

TEST_F(PluginRegistryTest, WithoutAnyFileThereIsNothing) {
  const PluginRegistry registry = Load();
  EXPECT_THAT(registry.plugins(), IsEmpty());
  EXPECT_THAT(registry.warnings(), IsEmpty());
  EXPECT_FALSE(fs::exists(places_.storage));
}

TEST_F(PluginRegistryTest, FindsPluginsInTheirPlaces) {
  Install("work/.awf/plugins/forge", Manifest("forge", "description: builds\n"));
  Install("work/.awf/plugins/awf-plugin-calc", Manifest("calculator"));
  Install(".local/share/awf/plugins/kube", Manifest("kubernetes"));
  home_.Put("work/.awf/plugins/notes/readme", "");
  home_.Put("work/.awf/plugins/file", "");
  Program("work/tools/single");
  PluginsFile("  single: {path: ./tools/single}\n");
  const PluginRegistry registry = Load();
  EXPECT_THAT(
      Rows(registry),
      ElementsAre("calculator 1.2.3 ok ./.awf/plugins work/.awf/plugins/awf-plugin-calc/awf-plugin-calc",
                  "forge 1.2.3 ok ./.awf/plugins work/.awf/plugins/forge/awf-plugin-forge",
                  "kubernetes 1.2.3 ok ~/.local/share/awf/plugins .local/share/awf/plugins/kube/awf-plugin-kube (user)",
                  "single ok .awf/plugins.yaml work/tools/single"));
  EXPECT_THAT(registry.warnings(), IsEmpty());
  EXPECT_EQ(registry.plugins()[1].description, "builds");
  EXPECT_EQ(registry.plugins()[1].folder, home_ / "work/.awf/plugins/forge");
  EXPECT_THAT(registry.plugins()[1].capabilities, ElementsAre("operations"));
  EXPECT_TRUE(registry.plugins()[3].folder.empty());
}

TEST_F(PluginRegistryTest, TheFirstPlaceWinsAndTellsOfTheOthers) {
  Install("work/.awf/plugins/forge", Manifest("forge"));
  Install("work/.awf/plugins/twin", Manifest("forge"));
  Install(".local/share/awf/plugins/forge", Manifest("forge"));
  Install("work/tools/forge", Manifest("forge"));
  const PluginRegistry discovered = Load();
  EXPECT_THAT(Rows(discovered),
              ElementsAre("forge 1.2.3 ok ./.awf/plugins work/.awf/plugins/forge/awf-plugin-forge > "
                          "work/.awf/plugins/twin/plugin.yaml > .local/share/awf/plugins/forge/plugin.yaml"));
  EXPECT_THAT(Warnings(discovered),
              ElementsAre(" warning 0:0 : plugin 'forge' stands twice in ./.awf/plugins: "
                          "./.awf/plugins/forge/plugin.yaml counts, ./.awf/plugins/twin/plugin.yaml does not"));
  PluginsFile("  forge: {path: tools/forge/}\n");
  EXPECT_THAT(Rows(Load()), ElementsAre("forge 1.2.3 ok .awf/plugins.yaml work/tools/forge/awf-plugin-forge > "
                                        "work/.awf/plugins/forge/plugin.yaml > work/.awf/plugins/twin/plugin.yaml > "
                                        ".local/share/awf/plugins/forge/plugin.yaml"));
  // Named where it was found anyway, it shadows nothing but the others.
  PluginsFile("  forge: {path: .awf/plugins/forge}\n");
  EXPECT_THAT(Rows(Load()),
              ElementsAre("forge 1.2.3 ok .awf/plugins.yaml work/.awf/plugins/forge/awf-plugin-forge > "
                          "work/.awf/plugins/twin/plugin.yaml > .local/share/awf/plugins/forge/plugin.yaml"));
}

TEST_F(PluginRegistryTest, TheGivenFoldersAreTheOnlyOnes) {
  Install("work/.awf/plugins/forge", Manifest("forge"));
  Install("elsewhere/calc", Manifest("calc"));
  places_.folders = {home_ / "elsewhere/", home_ / "elsewhere", home_ / "none"};
  const PluginRegistry registry = Load();
  EXPECT_THAT(Rows(registry), ElementsAre("calc 1.2.3 ok ~/elsewhere elsewhere/calc/awf-plugin-calc"));
  EXPECT_THAT(registry.warnings(), IsEmpty());
}

TEST_F(PluginRegistryTest, AnInvalidManifestIsAnEntryAndAWarning) {
  Install("work/.awf/plugins/forge", "name: forge\nversion: 1\nawf_version: 0.11.0\ncapabilities: [operations]\n");
  Install("work/.awf/plugins/nameless", "version: 1.0.0\n");
  const PluginRegistry registry = Load();
  EXPECT_THAT(Rows(registry),
              ElementsAre("forge invalid ./.awf/plugins work/.awf/plugins/forge/awf-plugin-forge: "
                          "./.awf/plugins/forge/plugin.yaml:2:10: version '1' is not of the form X.Y.Z or X.Y.Z-PRE",
                          "nameless 1.0.0 invalid ./.awf/plugins work/.awf/plugins/nameless/awf-plugin-nameless: "
                          "./.awf/plugins/nameless/plugin.yaml:1:1: awf_version is missing; 2 more"));
  EXPECT_THAT(
      Warnings(registry),
      ElementsAre("work/.awf/plugins/forge/plugin.yaml warning 2:10 version: version '1' is not of the form X.Y.Z "
                  "or X.Y.Z-PRE",
                  "work/.awf/plugins/nameless/plugin.yaml warning 1:1 awf_version: awf_version is missing",
                  "work/.awf/plugins/nameless/plugin.yaml warning 1:1 capabilities: capabilities is missing",
                  "work/.awf/plugins/nameless/plugin.yaml warning 1:1 name: name is missing"));
  EXPECT_EQ(
      Fault("forge"),
      "EXECUTION.PLUGIN.CONFIG 0:0 : plugin 'forge' is invalid: ./.awf/plugins/forge/plugin.yaml:2:10: version '1' "
      "is not of the form X.Y.Z or X.Y.Z-PRE");
  EXPECT_EQ(Fault("nameless"),
            "EXECUTION.PLUGIN.CONFIG 0:0 : plugin 'nameless' is invalid: ./.awf/plugins/nameless/plugin.yaml:1:1: "
            "awf_version is missing; 2 more");
}

TEST_F(PluginRegistryTest, AnInvalidManifestShadowsTheValidOneOfALaterPlace) {
  Install("work/.awf/plugins/forge", "name: forge\n");
  Install(".local/share/awf/plugins/forge", Manifest("forge"));
  EXPECT_THAT(Rows(Load()), ElementsAre("forge invalid ./.awf/plugins work/.awf/plugins/forge/awf-plugin-forge: "
                                        "./.awf/plugins/forge/plugin.yaml:1:1: awf_version is missing; 2 more > "
                                        ".local/share/awf/plugins/forge/plugin.yaml"));
}

TEST_F(PluginRegistryTest, AManifestWithoutNameHidesNobody) {
  Install("work/.awf/plugins/forge", "[");
  Install(".local/share/awf/plugins/forge", Manifest("forge"));
  const std::vector<std::string> rows = Rows(Load());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0],
            "forge 1.2.3 ok ~/.local/share/awf/plugins .local/share/awf/plugins/forge/awf-plugin-forge (user)");
  EXPECT_TRUE(rows[1].starts_with("forge invalid ./.awf/plugins ")) << rows[1];
  EXPECT_EQ(Fault("forge"), "none");
}

TEST_F(PluginRegistryTest, WhatStandsInPlaceOfAManifestIsToldWithoutWaiting) {
  const fs::path folder = home_ / "work/.awf/plugins";
  for (const char* name : {"pipe", "folder", "dangling"}) fs::create_directories(folder / name);
  ASSERT_EQ(::mkfifo((folder / "pipe/plugin.yaml").c_str(), 0600), 0);
  fs::create_directory(folder / "folder/plugin.yaml");
  fs::create_symlink("nowhere", folder / "dangling/plugin.yaml");
  fs::create_symlink("loop", folder / "loop");
  home_.Put(fs::path("work/.awf/plugins") / "b\xff" / "plugin.yaml", "");
  ASSERT_EQ(::mkfifo((folder / "file").c_str(), 0600), 0);
  const PluginRegistry registry = Load();
  std::vector<std::string> reasons;
  for (const RegisteredPlugin& row : registry.plugins()) reasons.push_back(row.name + " " + row.reason);
  EXPECT_THAT(reasons,
              ElementsAre("b\xEF\xBF\xBD ./.awf/plugins/b\xEF\xBF\xBD/plugin.yaml:1:1: the file holds no document",
                          "dangling ./.awf/plugins/dangling/plugin.yaml does not exist",
                          "folder ./.awf/plugins/folder/plugin.yaml is not a regular file",
                          "loop ./.awf/plugins/loop/plugin.yaml cannot be read: Too many levels of symbolic links",
                          "pipe ./.awf/plugins/pipe/plugin.yaml is not a regular file"));
  EXPECT_EQ(Warnings(registry)[1],
            "work/.awf/plugins/dangling/plugin.yaml warning 0:0 : ./.awf/plugins/dangling/plugin.yaml does not exist");
}

TEST_F(PluginRegistryTest, AManifestGetsTwentyWarningsAtMost) {
  std::string unknown;
  for (int i = 0; i < 50; ++i) unknown += "x-" + std::to_string(i) + ": 1\n";
  Install("work/.awf/plugins/forge", Manifest("forge", unknown));
  const std::vector<std::string> warnings = Warnings(Load());
  ASSERT_EQ(warnings.size(), 21U);
  EXPECT_EQ(warnings[0], " warning 0:0 : ./.awf/plugins/forge/plugin.yaml: 30 more");
}

TEST_F(PluginRegistryTest, AFolderOfPluginsThatIsNoneIsAWarning) {
  home_.Put("work/.awf/plugins", "");
  const PluginRegistry registry = Load();
  EXPECT_THAT(Warnings(registry), ElementsAre(" warning 0:0 : ./.awf/plugins is not a folder"));
  if (::geteuid() == 0) return;
  fs::create_directories(home_ / ".local/share/awf/plugins");
  fs::permissions(home_ / ".local/share/awf/plugins", fs::perms::none);
  EXPECT_THAT(Warnings(Load()),
              ElementsAre(" warning 0:0 : ./.awf/plugins is not a folder",
                          " warning 0:0 : ~/.local/share/awf/plugins cannot be read: Permission denied"));
  fs::permissions(home_ / ".local/share/awf/plugins", fs::perms::owner_all);
}

TEST_F(PluginRegistryTest, PathsOfTheProject) {
  Install("work/tools/kube", Manifest("kubernetes"));
  fs::create_directories(home_ / "work/tools/empty");
  ASSERT_EQ(::mkfifo((home_ / "work/tools/pipe").c_str(), 0600), 0);
  home_.Put("work/tools/text", "");
  Program("bin/own");
  PluginsFile(R"(  kube: {path: tools/kube}
  empty: {path: tools/empty}
  pipe: {path: tools/pipe}
  gone: {path: ../gone}
  text: {path: tools/text}
  own: {path: ~/bin/own}
  nothing: {enabled: true}
)");
  const PluginRegistry registry = Load();
  EXPECT_THAT(
      Rows(registry),
      ElementsAre("empty invalid .awf/plugins.yaml : .awf/plugins.yaml:3:17: ./tools/empty has no plugin.yaml",
                  "gone not found .awf/plugins.yaml gone: there is no ~/gone",
                  "kube 1.2.3 invalid .awf/plugins.yaml work/tools/kube/awf-plugin-kube: .awf/plugins.yaml:2:16: "
                  "./tools/kube is the plugin 'kubernetes', not 'kube'",
                  "own ok .awf/plugins.yaml bin/own",
                  "pipe invalid .awf/plugins.yaml work/tools/pipe: .awf/plugins.yaml:4:16: ./tools/pipe is neither a "
                  "folder nor a regular file",
                  "text not found .awf/plugins.yaml work/tools/text: ./tools/text is not executable"));
  EXPECT_THAT(
      Warnings(registry),
      ElementsAre(
          "work/.awf/plugins.yaml warning 2:16 : ./tools/kube is the plugin 'kubernetes', not 'kube' (name the "
          "entry 'kubernetes')",
          "work/.awf/plugins.yaml warning 3:17 : ./tools/empty has no plugin.yaml (path is such a folder, or the "
          "executable itself)",
          "work/.awf/plugins.yaml warning 4:16 : ./tools/pipe is neither a folder nor a regular file",
          "work/.awf/plugins.yaml warning 8:3 plugins.nothing: plugins.nothing has no path, and no plugin "
          "folder has a plugin of that name"));
  EXPECT_EQ(Fault("kube"),
            "EXECUTION.PLUGIN.CONFIG 2:16 : ./tools/kube is the plugin 'kubernetes', not 'kube' (name the entry "
            "'kubernetes')");
  EXPECT_EQ(Fault("pipe"), "EXECUTION.PLUGIN.CONFIG 4:16 : ./tools/pipe is neither a folder nor a regular file");
  EXPECT_EQ(Fault("empty"),
            "EXECUTION.PLUGIN.CONFIG 3:17 : ./tools/empty has no plugin.yaml (path is such a folder, or the executable "
            "itself)");
  // What cannot be executed is for the host to say.
  EXPECT_EQ(registry.Launch("gone")->executable, home_ / "gone");
  EXPECT_EQ(registry.Launch("text")->executable, home_ / "work/tools/text");
}

TEST_F(PluginRegistryTest, SaysHowAPluginIsStarted) {
  Install("work/.awf/plugins/kube", Manifest("kubernetes", R"(config:
  kubeconfig: {type: string, required: true}
  retries: {type: integer, default: 3}
  mode: {enum: [read, write], default: read}
)"));
  PluginsFile("  kubernetes:\n    config: {kubeconfig: ~/.kube/config}\n    env: {A: b, C: d}\n    sha256: " + kTwos +
              "\n    tls: off\n    start_timeout: 1m\n");
  ASSERT_TRUE(WritePluginLock(home_ / "work/.awf/plugins.lock",
                              {{"kubernetes", {"1.2.3", {{Platform(), kOnes}, {"linux-third", kTwos}}, {}}}}));
  ASSERT_TRUE(ChangePluginStates(places_.storage, [](PluginStates& states) {
    states["kubernetes"].checksum = kOnes;
    states["kubernetes"].config = {{"mode", "write"}, {"kubeconfig", "/state"}};
  }));
  const auto launch = Load().Launch("kubernetes");
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->name, "kubernetes");
  EXPECT_EQ(launch->version, "1.2.3");
  EXPECT_EQ(launch->executable, home_ / "work/.awf/plugins/kube/awf-plugin-kube");
  std::vector<std::string> checksums;
  for (const auto& checksum : launch->checksums) checksums.push_back(checksum.source + " " + checksum.sha256);
  EXPECT_THAT(checksums,
              ElementsAre(".awf/plugins.lock " + kOnes, ".awf/plugins.yaml " + kTwos, "state file " + kOnes));
  EXPECT_EQ(json::value(launch->config),
            json::value({{"kubeconfig", "~/.kube/config"}, {"retries", 3}, {"mode", "write"}}));
  EXPECT_THAT(launch->env, ElementsAre(Pair("A", "b"), Pair("C", "d")));
  EXPECT_FALSE(launch->tls_required);
  EXPECT_EQ(launch->start_timeout, milliseconds(60'000));
}

TEST_F(PluginRegistryTest, WithoutSettingsThereAreDefaults) {
  Install("work/.awf/plugins/kube", Manifest("kubernetes"));
  const auto launch = Load().Launch("kubernetes");
  ASSERT_TRUE(launch);
  EXPECT_THAT(launch->checksums, IsEmpty());
  EXPECT_THAT(launch->config, IsEmpty());
  EXPECT_THAT(launch->env, IsEmpty());
  EXPECT_TRUE(launch->tls_required);
  EXPECT_EQ(launch->start_timeout, milliseconds(15'000));
}

TEST_F(PluginRegistryTest, ChecksTheConfigurationBeforeAnythingStarts) {
  Install("work/.awf/plugins/kube",
          Manifest("kubernetes", "config: {kubeconfig: {type: string, required: true}, port: {type: integer}}\n"));
  EXPECT_EQ(Fault("kubernetes"),
            "EXECUTION.PLUGIN.CONFIG 0:0 plugins.kubernetes.config.kubeconfig: plugins.kubernetes.config.kubeconfig: "
            "required by kubernetes (set it in .awf/plugins.yaml)");
  PluginsFile("  kubernetes: {config: {kubeconfg: x}}\n");
  EXPECT_EQ(Fault("kubernetes"),
            "EXECUTION.PLUGIN.CONFIG 2:3 plugins.kubernetes.config.kubeconfig: plugins.kubernetes.config.kubeconfig: "
            "required by kubernetes (set it in .awf/plugins.yaml)");
  EXPECT_THAT(Warnings(Load()),
              ElementsAre("work/.awf/plugins.yaml warning 2:25 plugins.kubernetes.config.kubeconfg: "
                          "plugins.kubernetes.config.kubeconfg: the plugin's manifest has no such field (did you mean "
                          "'kubeconfig'?)"));
  PluginsFile("  kubernetes: {config: {kubeconfig: x}}\n");
  EXPECT_EQ(Fault("kubernetes"), "none");
  ASSERT_TRUE(ChangePluginStates(places_.storage,
                                 [](PluginStates& states) { states["kubernetes"].config = {{"port", "secret"}}; }));
  EXPECT_EQ(
      Fault("kubernetes"),
      "EXECUTION.PLUGIN.CONFIG 0:0 kubernetes.config.port: ~/storage/plugins/plugins.json: kubernetes.config.port: "
      "must be an integer, but is a string");
  EXPECT_EQ(Load().Operations("kubernetes").error().code, "EXECUTION.PLUGIN.CONFIG");
}

TEST_F(PluginRegistryTest, ADisabledPluginIsNotStarted) {
  Install("work/.awf/plugins/forge", Manifest("forge"));
  PluginsFile("  forge:\n    enabled: false\n");
  EXPECT_THAT(Rows(Load()), ElementsAre("forge 1.2.3 disabled ./.awf/plugins "
                                        "work/.awf/plugins/forge/awf-plugin-forge: in .awf/plugins.yaml"));
  EXPECT_EQ(Fault("forge"),
            "EXECUTION.PLUGIN.DISABLED 3:14 : plugin 'forge' is disabled in .awf/plugins.yaml (remove enabled: false "
            "there)");
  // The user's decision outranks what the project says.
  PluginsFile("  forge:\n    enabled: true\n");
  ASSERT_TRUE(ChangePluginStates(places_.storage, [](PluginStates& states) { states["forge"].enabled = false; }));
  EXPECT_EQ(Fault("forge"), "EXECUTION.PLUGIN.DISABLED 0:0 : plugin 'forge' is disabled (awf plugin enable forge)");
  ASSERT_TRUE(ChangePluginStates(places_.storage,
                                 [](PluginStates& states) { states["forge"].disabled_at = "2026-11-03T10:15:09Z"; }));
  EXPECT_THAT(Rows(Load()), ElementsAre("forge 1.2.3 disabled ./.awf/plugins "
                                        "work/.awf/plugins/forge/awf-plugin-forge: since 2026-11-03T10:15:09Z"));
  EXPECT_EQ(Fault("forge"),
            "EXECUTION.PLUGIN.DISABLED 0:0 : plugin 'forge' is disabled since 2026-11-03T10:15:09Z (awf plugin enable "
            "forge)");
  EXPECT_EQ(Load().Operations("forge").error().code, "EXECUTION.PLUGIN.DISABLED");
}

TEST_F(PluginRegistryTest, AnUnknownNameGetsEveryPlaceTold) {
  EXPECT_EQ(Fault("forge"),
            "USER.MCP_PROXY.UNKNOWN_PLUGIN 0:0 : plugin 'forge' not found in .awf/plugins.yaml, ./.awf/plugins, "
            "~/.local/share/awf/plugins\n"
            ".awf/plugins.yaml: does not exist\n"
            "./.awf/plugins: does not exist\n"
            "~/.local/share/awf/plugins: does not exist");
  fs::create_directories(home_ / "work/.awf/plugins");
  Install(".local/share/awf/plugins/forgejo", Manifest("forgejo"));
  Install(".local/share/awf/plugins/broken", "name: jira\n");
  PluginsFile("  calc: {path: ./calc}\n  refined: {}\n");
  EXPECT_EQ(Fault("forge"),
            "USER.MCP_PROXY.UNKNOWN_PLUGIN 0:0 : plugin 'forge' not found in .awf/plugins.yaml, ./.awf/plugins, "
            "~/.local/share/awf/plugins\n"
            ".awf/plugins.yaml: calc, refined (without path)\n"
            "./.awf/plugins: no plugin\n"
            "~/.local/share/awf/plugins: forgejo\n"
            "invalid: ~/.local/share/awf/plugins/broken/plugin.yaml:1:1: awf_version is missing; 2 more (did you mean "
            "'forgejo'?)");
  EXPECT_TRUE(Fault("refined").starts_with("USER.MCP_PROXY.UNKNOWN_PLUGIN"));
  EXPECT_TRUE(Fault("jra").ends_with("(did you mean 'jira'?)"));
  places_.builtins = {"github", "http"};
  EXPECT_TRUE(Fault("githb").ends_with("(did you mean 'github'?)"));
  EXPECT_EQ(Load().Operations("forge").error().code, "USER.MCP_PROXY.UNKNOWN_PLUGIN");
}

TEST_F(PluginRegistryTest, ListsOfManyPluginsAreCut) {
  for (int i = 10; i < 35; ++i) {
    const std::string name = "p" + std::to_string(i);
    home_.Put("work/.awf/plugins/" + name + "/plugin.yaml", Manifest(name));
  }
  EXPECT_NE(Fault("forge").find("./.awf/plugins: p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, "
                                "p24, p25, p26, p27, p28, p29 and 5 more\n"),
            std::string::npos);
}

TEST_F(PluginRegistryTest, OperationsComeFromTheLockThenFromTheCache) {
  Install("work/.awf/plugins/forge", Manifest("forge"));
  const fs::path executable = home_ / "work/.awf/plugins/forge/awf-plugin-forge";
  const std::string sha256 = *Sha256OfFile(executable);
  const std::vector<Operation> locked = {{"build", "", {}, {}}}, cached = {{"test", "", {}, {}}};
  const auto known = [&] { return *Load().Operations("forge"); };
  const auto lock = [&](const std::string& platform, const std::string& digest) {
    ASSERT_TRUE(
        WritePluginLock(home_ / "work/.awf/plugins.lock", {{"forge", {"1.2.3", {{platform, digest}}, locked}}}));
  };
  EXPECT_EQ(known().source, Source::kUnknown);
  EXPECT_EQ(known().why_unknown,
            "plugin 'forge' is not in .awf/plugins.lock, and this executable has not been started before");
  lock("linux-third", kOnes);
  EXPECT_EQ(known().why_unknown, "plugin 'forge' has no checksum for " + Platform() +
                                     " in .awf/plugins.lock, and this executable has not been started before");
  Load().Remember("forge", sha256, cached);
  EXPECT_EQ(known().source, Source::kCache);
  EXPECT_EQ(known().operations, cached);
  lock(Platform(), sha256);
  EXPECT_EQ(known().source, Source::kLock);
  EXPECT_EQ(known().operations, locked);
  // The lock counts even where the cache would know better: `run` refuses this executable.
  lock(Platform(), kOnes);
  EXPECT_EQ(known().source, Source::kUnknown);
  EXPECT_EQ(known().why_unknown,
            "the executable of plugin 'forge' is not the one of .awf/plugins.lock, which expects " + kOnes +
                ", found " + sha256);
  fs::remove(executable);
  EXPECT_EQ(Without(known().why_unknown),
            "the executable cannot be compared with the lock and the cache: cannot read "
            "work/.awf/plugins/forge/awf-plugin-forge: No such file or directory");
}

TEST_F(PluginRegistryTest, OnlyTheUsersOwnUntouchedPluginMayBeStartedToValidate) {
  Install(".local/share/awf/plugins/own", Manifest("own"));
  const auto user_installed = [&] { return Load().plugins().at(0).user_installed; };
  EXPECT_TRUE(user_installed());
  for (const char* touched :
       {"{env: {LD_PRELOAD: ./evil.so}}", "{config: {hook: ./evil}}", "{path: ~/.local/share/awf/plugins/own}"}) {
    PluginsFile(std::string("  own: ") + touched + "\n");
    EXPECT_FALSE(user_installed()) << touched;
  }
  PluginsFile("  own: {start_timeout: 3}\n");
  EXPECT_TRUE(user_installed());
  // A link out of the user's folder leads to what others may change.
  fs::remove_all(home_ / ".local/share/awf/plugins/own");
  Install("work/own", Manifest("own"));
  fs::create_directory_symlink(home_ / "work/own", home_ / ".local/share/awf/plugins/own");
  EXPECT_FALSE(user_installed());
}

TEST_F(PluginRegistryTest, AProjectThatStandsForTheHomeFolderIsNotTheUsers) {
  Install("work/.awf/plugins/forge", Manifest("forge"));
  places_.user_data = places_.project / ".awf";
  places_.folders = {places_.project / ".awf/plugins"};
  places_.home.clear();
  const PluginRegistry registry = Load();
  ASSERT_EQ(registry.plugins().size(), 1U);
  EXPECT_FALSE(registry.plugins()[0].user_installed);
}

TEST_F(PluginRegistryTest, WhatIsWrittenDownWrongIsAnError) {
  PluginsFile("  forge: {pth: x}\n");
  EXPECT_EQ(
      LoadFault(),
      "USER.CONFIG.INVALID work/.awf/plugins.yaml 2:11 plugins.forge.pth: unknown key 'pth' (did you mean 'path'?)");
  PluginsFile("  forge: {}\n");
  home_.Put("work/.awf/plugins.lock", "{\n<<<<<<< HEAD\n");
  EXPECT_EQ(LoadFault(), "USER.CONFIG.INVALID work/.awf/plugins.lock 2:1 : this is no JSON: syntax error");
  fs::remove(home_ / "work/.awf/plugins.lock");
  home_.Put("storage/plugins/plugins.json", "{\"forge\": {\"enabled\": \"no\"}}");
  EXPECT_EQ(
      LoadFault(),
      "USER.CONFIG.INVALID storage/plugins/plugins.json 1:12 forge.enabled: forge.enabled must be true or false, but "
      "is a string");
}

TEST(Sha256OfFile, HashesRegularFilesOnly) {
  const TestFolder folder;
  EXPECT_EQ(*Sha256OfFile(folder.Put("empty", "")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  // Longer than one block.
  EXPECT_EQ(*Sha256OfFile(folder.Put("million", std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto fault = [&](const char* name) {
    const auto sha256 = Sha256OfFile(folder / name);
    return sha256 ? "none" : sha256.error().code + " " + sha256.error().message;
  };
  EXPECT_EQ(fault("pipe"),
            "SYSTEM.IO.READ_FAILED cannot read " + (folder / "pipe").string() + ": it is not a regular file");
  EXPECT_EQ(fault("gone"),
            "SYSTEM.IO.READ_FAILED cannot read " + (folder / "gone").string() + ": No such file or directory");
}

}  // namespace
}  // namespace awf::plugin_registry
