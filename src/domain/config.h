// Config: what .awf/config.yaml and the user's config.yaml may set, merged key by key. Plain data.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"

namespace awf {

struct ProviderConfig {
  std::string path;      // of the CLI; empty: looked up on PATH
  json::object options;  // under a step's own options; canonical keys, checked
};

struct Config {
  std::map<std::string, std::string> inputs;  // as text, like -i
  std::string storage;
  std::optional<std::chrono::milliseconds> step_timeout, agent_timeout;  // 0: none
  std::string exporter, service_name;                                    // telemetry
  std::string log_level, log_format;
  std::map<std::string, ProviderConfig> providers;  // by canonical name

  // Where each key that is set stands, by dotted path; for messages.
  std::map<std::string, Position> positions;
};

}  // namespace awf
