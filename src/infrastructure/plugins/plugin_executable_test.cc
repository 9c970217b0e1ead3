#include "infrastructure/plugins/plugin_executable.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "domain/test_folder.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::plugins {
namespace {

TEST(PluginExecutable, IsHashedOnItsDescriptor) {
  const TestFolder folder;
  const auto path = folder.Put("p", "#!/bin/sh\n");
  const auto opened = PluginExecutable::Open(path);
  ASSERT_TRUE(opened) << opened.error();
  EXPECT_EQ(opened->sha256(), telemetry::Sha256Hex("#!/bin/sh\n"));
  EXPECT_EQ(opened->path(), path);
}

TEST(PluginExecutable, WhatCannotBeRunIsNamed) {
  const TestFolder folder;
  EXPECT_EQ(PluginExecutable::Open(folder / "none").error(),
            "cannot execute " + (folder / "none").string() + ": No such file or directory");
  EXPECT_EQ(PluginExecutable::Open(folder).error(), "cannot execute " + folder.string() + ": Is a directory");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0700), 0);
  EXPECT_EQ(PluginExecutable::Open(folder / "fifo").error(),
            "cannot execute " + (folder / "fifo").string() + ": Permission denied");
}

TEST(PluginExecutable, AMissingInterpreterIsNamed) {
  const TestFolder folder;
  const auto path = folder.Put("p", "#! /no/such -x\n");
  const auto opened = PluginExecutable::Open(path);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->CannotExecute(ENOENT),
            "cannot execute " + path.string() + ": No such file or directory (its interpreter /no/such)");
  EXPECT_EQ(opened->CannotExecute(EACCES), "cannot execute " + path.string() + ": Permission denied");
}

TEST(CheckChecksums, EverySourceThatDiffersIsNamed) {
  PluginLaunch launch;
  launch.name = "demo";
  EXPECT_TRUE(CheckChecksums(launch, "aa"));
  launch.checksums = {{"aa", ".awf/plugins.lock"}};
  EXPECT_TRUE(CheckChecksums(launch, "aa"));
  const auto lock = CheckChecksums(launch, "bb");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().text, ".awf/plugins.lock expects aa, found bb");
  EXPECT_EQ(lock.error().hint, "If the change is wanted: awf plugin lock demo.");
  launch.checksums = {{"bb", ".awf/plugins.lock"}, {"cc", "state file"}, {"dd", ".awf/plugins.yaml"}};
  const auto others = CheckChecksums(launch, "bb");
  ASSERT_FALSE(others);
  EXPECT_EQ(others.error().text, "state file expects cc, .awf/plugins.yaml expects dd, found bb");
  EXPECT_EQ(others.error().hint, "If the change is wanted: awf plugin verify demo --update.");
  launch.checksums = {{"dd", ".awf/plugins.yaml"}};
  EXPECT_EQ(CheckChecksums(launch, "bb").error().hint,
            "If the change is wanted: correct sha256 of demo in .awf/plugins.yaml.");
}

}  // namespace
}  // namespace awf::plugins
