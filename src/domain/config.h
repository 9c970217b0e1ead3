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

struct TelemetryConfig {
  std::string exporter, service_name;
  std::string span_names;              // awf (default) or semconv
  std::string attributes;              // awf (default) or openinference
  std::optional<bool> content;         // arguments and results of tool calls on their spans
  std::optional<bool> propagate_http;  // traceparent in requests to a model's HTTP API
};

struct NotifyConfig {
  std::string default_backend;                 // desktop or webhook
  std::string webhook_url, slack_webhook_url;  // as written: ${NAME} stands for a variable of the environment
  std::string smtp_url;                        // likewise
};

struct Config {
  std::map<std::string, std::string> inputs;  // as text, like -i
  std::string storage;
  std::optional<std::chrono::milliseconds> step_timeout, agent_timeout;  // 0: none
  TelemetryConfig telemetry;
  std::string log_level, log_format;
  std::string transcript_content;  // none, text, full; empty: no transcript
  std::string audit_path;          // of the file that collects runs; off, or empty: none
  // Of both files together: a project cannot take away what its user wants masked.
  std::vector<std::string> masking_keys, masking_patterns;
  NotifyConfig notify;
  std::map<std::string, ProviderConfig> providers;  // by canonical name

  // Where each key that is set stands, by dotted path; for messages.
  std::map<std::string, Position> positions;
};

}  // namespace awf
