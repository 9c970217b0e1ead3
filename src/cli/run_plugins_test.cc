#include "cli/run_plugins.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "domain/test_folder.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;

class Told final : public RunObserver {
 public:
  void PluginStarted(const StepContext& step, const PluginStart& start) override {
    lines.push_back("started " + start.plugin + " for " + step.path);
  }
  void PluginStopped(const PluginEnd& end) override { lines.push_back("stopped " + end.plugin); }
  std::vector<std::string> lines;
};

class RunPluginsTest : public testing::Test {
 protected:
  RunPluginsTest() {
    step_.path = "a";
    plugin_registry::RegistryPlaces places;
    places.project = folder_ / "project";
    places.user_data = folder_ / "data";
    places.storage = folder_ / "storage";
    places.folders = {folder_ / "project/.awf/plugins"};
    places.builtins = operations::BuiltinPlugins();
    session_.emplace(std::move(places), Config());
  }

  const TestFolder folder_;
  StepContext step_;
  Told told_;
  std::optional<PluginSession> session_;
};

TEST_F(RunPluginsTest, WhatIsBuiltInNeedsNoStartAndIsNotToldAsOne) {
  RunPlugins plugins(*session_, {}, "flow", told_);
  const std::vector<std::string> names = {"notify", "http"};
  const auto started = plugins.Start(names, step_, {}, {});
  ASSERT_TRUE(started) << started.error().message;
  ASSERT_EQ(started->size(), 2U);
  EXPECT_EQ((*started)[0]->Name(), "notify");
  EXPECT_EQ((*started)[1]->Name(), "http");
  EXPECT_EQ((*plugins.Start(names, step_, {}, {}))[1], (*started)[1]);
  plugins.observer().RunEnded({});
  EXPECT_TRUE(told_.lines.empty());
  EXPECT_FALSE(fs::exists(folder_ / "storage"));
}

TEST_F(RunPluginsTest, TheFirstFailureInTheOrderOfTheNamesIsTheResult) {
  RunPlugins plugins(*session_, {}, "flow", told_);
  const std::vector<std::string> names = {"http", "nope", "neither"};
  const auto started = plugins.Start(names, step_, {}, {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, "USER.MCP_PROXY.UNKNOWN_PLUGIN");
  EXPECT_EQ(started.error().message.substr(0, 13), "plugin 'nope'");
}

TEST_F(RunPluginsTest, NothingStartsOnceTheRunHasEnded) {
  folder_.Put("project/.awf/plugins/late/plugin.yaml",
              "name: late\nversion: 1.0.0\nawf_version: \">= 0.11.0\"\ncapabilities: [operations]\n");
  const fs::path program = folder_.Put("project/.awf/plugins/late/awf-plugin-late",
                                       "#!/bin/sh\n: > '" + (folder_ / "mark").string() + "'\n");
  fs::permissions(program, fs::perms::owner_all);
  RunPlugins plugins(*session_, {}, "flow", told_);
  plugins.observer().RunEnded({});
  const std::string name = "late";
  const auto started = plugins.Start(std::span(&name, 1), step_, {}, {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, "EXECUTION.PLUGIN.START");
  EXPECT_FALSE(fs::exists(folder_ / "mark"));
  EXPECT_TRUE(told_.lines.empty());
}

}  // namespace
}  // namespace awf::cli
