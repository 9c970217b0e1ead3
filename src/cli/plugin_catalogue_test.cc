#include "cli/plugin_catalogue.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "domain/test_folder.h"
#include "infrastructure/plugin_registry/plugin_lock.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;
using Source = KnownOperations::Source;

// A project with plugins that are shell scripts: each leaves a mark when it is started, and is no plugin.
class PluginCatalogueTest : public testing::Test {
 protected:
  void Put(const std::string& folder, const std::string& name) const {
    folder_.Put(folder + "/" + name + "/plugin.yaml", "name: " + name +
                                                          "\nversion: 1.0.0\nawf_version: \">= 0.11.0\"\n"
                                                          "capabilities: [operations]\n");
    const fs::path program = folder_.Put(folder + "/" + name + "/awf-plugin-" + name,
                                         "#!/bin/sh\n: > '" + (folder_ / (name + ".mark")).string() + "'\n");
    fs::permissions(program, fs::perms::owner_all);
  }
  bool Started(const std::string& name) const { return fs::exists(folder_ / (name + ".mark")); }
  plugin_registry::RegistryPlaces Places() const {
    plugin_registry::RegistryPlaces places;
    places.project = folder_ / "project";
    places.user_data = folder_ / "data";
    places.storage = folder_ / "storage";
    places.folders = {folder_ / "project/.awf/plugins", folder_ / "data/plugins"};
    places.builtins = operations::BuiltinPlugins();
    return places;
  }
  std::unique_ptr<PluginSession> Session() const { return std::make_unique<PluginSession>(Places(), Config()); }

  const TestFolder folder_;
};

TEST_F(PluginCatalogueTest, AForeignProjectsPluginIsNotStarted) {
  Put("project/.awf/plugins", "foreign");
  Put("data/plugins", "mine");
  for (const MayStart may : {MayStart::kNone, MayStart::kUserInstalled}) {
    const auto session = Session();
    const auto known = PluginCatalogue(*session, may).Find("foreign");
    ASSERT_TRUE(known) << known.error().message;
    EXPECT_EQ(known->source, Source::kUnknown);
    EXPECT_NE(known->why_unknown, "");
    EXPECT_FALSE(Started("foreign"));
  }
}

TEST_F(PluginCatalogueTest, WhatTheUserInstalledIsStartedToValidateButNeverBeforeARun) {
  Put("data/plugins", "mine");
  auto session = Session();
  EXPECT_EQ(PluginCatalogue(*session, MayStart::kNone).Find("mine")->source, Source::kUnknown);
  EXPECT_FALSE(Started("mine"));
  const auto known = PluginCatalogue(*session, MayStart::kUserInstalled).Find("mine");
  ASSERT_FALSE(known);
  EXPECT_EQ(known.error().code, "EXECUTION.PLUGIN.START");  // it ended without a handshake
  EXPECT_TRUE(Started("mine"));
}

TEST_F(PluginCatalogueTest, EveryPluginIsStartedWhenThatWasAskedFor) {
  Put("project/.awf/plugins", "foreign");
  const auto session = Session();
  PluginCatalogue catalogue(*session, MayStart::kAll);
  EXPECT_FALSE(catalogue.Find("foreign"));
  EXPECT_TRUE(Started("foreign"));
  fs::remove(folder_ / "foreign.mark");
  EXPECT_FALSE(catalogue.Find("foreign"));  // it is remembered
  EXPECT_FALSE(Started("foreign"));
}

TEST_F(PluginCatalogueTest, TheLockTellsWithoutAnyStart) {
  Put("project/.awf/plugins", "locked");
  plugin_registry::LockedPlugin locked;
  locked.sha256[plugin_registry::Platform()] =
      *plugin_registry::Sha256OfFile(folder_ / "project/.awf/plugins/locked/awf-plugin-locked");
  locked.operations = {Operation{"look", "looks", {}, {}}};
  ASSERT_TRUE(plugin_registry::WritePluginLock(folder_ / "project/.awf/plugins.lock", {{"locked", locked}}));
  const auto session = Session();
  const auto known = PluginCatalogue(*session, MayStart::kAll).Find("locked");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(known->source, Source::kLock);
  ASSERT_EQ(known->operations.size(), 1U);
  EXPECT_EQ(known->operations[0].name, "look");
  EXPECT_FALSE(Started("locked"));
}

TEST_F(PluginCatalogueTest, BuiltInOperationsAreKnownUnlessAPluginStandsInTheirPlace) {
  auto session = Session();
  const auto known = PluginCatalogue(*session, MayStart::kNone).Find("http");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->source, Source::kBuiltin);
  ASSERT_EQ(known->operations.size(), 1U);
  EXPECT_EQ(known->operations[0].name, "request");
  EXPECT_FALSE(session->ReplacesBuiltin("http"));

  Put("project/.awf/plugins", "http");
  session = Session();
  EXPECT_FALSE(session->IsBuiltin("http"));
  EXPECT_TRUE(session->ReplacesBuiltin("http"));
  EXPECT_FALSE(session->ReplacesBuiltin("notify"));
  EXPECT_EQ(PluginCatalogue(*session, MayStart::kNone).Find("http")->source, Source::kUnknown);
}

TEST_F(PluginCatalogueTest, WhatIsNotThereIsNamedWithItsNearest) {
  const auto session = Session();
  const auto known = PluginCatalogue(*session, MayStart::kAll).Find("gihtub");
  ASSERT_FALSE(known);
  EXPECT_EQ(known.error().code, "USER.MCP_PROXY.UNKNOWN_PLUGIN");
  EXPECT_EQ(known.error().hint, "did you mean 'github'?");
}

TEST_F(PluginCatalogueTest, AProjectFileThatIsWrongIsTheErrorOfEveryQuestion) {
  folder_.Put("project/.awf/plugins.yaml", "plugins: {a: {pth: ./x}}\n");
  const auto session = Session();
  PluginCatalogue catalogue(*session, MayStart::kAll);
  for (const char* name : {"a", "http"}) {
    const auto known = catalogue.Find(name);
    ASSERT_FALSE(known) << name;
    EXPECT_EQ(known.error().code, "USER.CONFIG.INVALID") << name;
  }
}

}  // namespace
}  // namespace awf::cli
