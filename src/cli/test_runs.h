// A storage with runs in it, for tests of the commands that look at runs, and what such a command printed.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "cli/commands.h"
#include "domain/test_folder.h"
#include "domain/test_time.h"
#include "infrastructure/telemetry/audit_file.h"
#include "infrastructure/telemetry/run_folder.h"

namespace awf::cli {

struct Printed {
  int exit_code = 0;
  std::string out, err;
};

template <class Command>
Printed PrintedBy(Command command) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Printed printed;
  printed.exit_code = command();
  printed.out = testing::internal::GetCapturedStdout();
  printed.err = testing::internal::GetCapturedStderr();
  return printed;
}

class StoredRunsTest : public testing::Test {
 protected:
  StoredRunsTest() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    global_.storage = storage_.string();
  }

  // A run that ended after `ms`, or without it one that did not. Its owner is dead unless another is given.
  static telemetry::RunManifest Manifest(const std::string& workflow, const std::string& status, long long started,
                                         std::optional<int> ms = std::nullopt) {
    telemetry::RunManifest manifest;
    manifest.workflow = workflow;
    manifest.file = workflow + ".yaml";
    manifest.status = status;
    manifest.started = At(started);
    if (ms) manifest.ended = At(started + *ms);
    return manifest;
  }
  std::filesystem::path Folder(const std::string& id) const { return storage_ / "runs" / id; }
  void Put(const std::string& id, const telemetry::RunManifest& manifest, telemetry::RunOwner owner = {1, 1}) {
    PutText(id, "run.json", json::serialize(telemetry::ToJson(manifest, id, owner)));
  }
  void PutText(const std::string& id, const std::string& file, const std::string& text) {
    storage_.Put("runs/" + id + "/" + file, text);
  }

  const TestFolder storage_;
  GlobalOptions global_;
};

}  // namespace awf::cli
