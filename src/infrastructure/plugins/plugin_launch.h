// What is needed to start one plugin: the registry finds it out, the host does it.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/json.h"

namespace awf::plugins {

// A checksum that the executable must have, and who says so.
struct ExpectedChecksum {
  std::string sha256;  // hex, lower case
  std::string source;  // ".awf/plugins.lock", ".awf/plugins.yaml", "state file"
};

struct PluginLaunch {
  std::string name;
  std::string version;               // of the manifest; empty without one
  std::filesystem::path executable;  // absolute
  std::vector<ExpectedChecksum> checksums;
  json::object config;  // for Init: JSON values, checked against the manifest
  std::vector<std::pair<std::string, std::string>> env;
  bool tls_required = true;
  std::chrono::milliseconds start_timeout{15'000};  // until the list of operations is there
};

}  // namespace awf::plugins
