// The operations that awf itself brings: plugins `http`, `notify` and `github`, in this process, without manifest and
// outside every sandbox (plugins page, 14).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/operation.h"

namespace awf::operations {

// Of the configuration, `notify:`, as written: ${NAME} in the URLs is replaced when a call uses them.
struct NotifySettings {
  std::string default_backend;                 // desktop, webhook, or empty
  std::string webhook_url, slack_webhook_url;  // secrets; empty: a call must bring one
  std::string smtp_url{};                      // the same, of a mail server
};

struct BuiltinOperationSettings {
  std::function<std::optional<std::string>(std::string_view)> environment;  // GITHUB_API_URL, GITHUB_TOKEN, PATH, …
  std::filesystem::path working_dir;  // of the run: its git remote is the default repository
  std::string workflow;               // its name, for notifications
  NotifySettings notify;
};

// "github", "http", "notify".
const std::vector<std::string>& BuiltinPlugins();

// Null when there is no such plugin. Thread-safe; each call blocks its thread.
std::shared_ptr<OperationProvider> MakeBuiltinOperations(std::string_view plugin,
                                                         const BuiltinOperationSettings& settings);

}  // namespace awf::operations
