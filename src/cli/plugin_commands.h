// The commands `awf plugin …`, one file each, and what they share.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/plugin_session.h"
#include "cli/run_signals.h"
#include "domain/error.h"

namespace awf::cli {

struct PluginListOptions {
  std::string name;  // empty: all
  bool operations = false, details = false;
};

struct PluginSwitchOptions {
  std::string name;
  bool enable = true;
};

struct PluginLockOptions {
  std::vector<std::string> names;  // empty: those of the project
};

struct PluginVerifyOptions {
  std::vector<std::string> names;  // empty: all
  bool update = false;
};

struct PluginCheckOptions {
  std::string name;
};

struct PluginCallOptions {
  std::string name, operation;
  std::vector<std::string> inputs;  // k=JSON
};

struct PluginInitOptions {
  std::string name;
  std::string language = "cpp";
};

// Each returns the exit code of the process.
int PluginListCommand(const PluginListOptions& options, const GlobalOptions& global, const Config& config);
int PluginSwitchCommand(const PluginSwitchOptions& options, const GlobalOptions& global, const Config& config);
int PluginLockCommand(const PluginLockOptions& options, const GlobalOptions& global, const Config& config);
int PluginVerifyCommand(const PluginVerifyOptions& options, const GlobalOptions& global, const Config& config);
int PluginCheckCommand(const PluginCheckOptions& options, const GlobalOptions& global, const Config& config);
int PluginCallCommand(const PluginCallOptions& options, const GlobalOptions& global, const Config& config);
int PluginInitCommand(const PluginInitOptions& options, const GlobalOptions& global);

// The plugins of the working directory, for one command. Made on the main thread before any other thread. Ctrl-C,
// SIGTERM and SIGHUP cancel what is going on; what was started is stopped before the process ends by the signal.
class PluginCommand {
 public:
  // SYSTEM.IO.READ_FAILED without a working directory, USER.CONFIG.INVALID for what the project wrote down wrong.
  static std::expected<std::unique_ptr<PluginCommand>, Error> Open(const GlobalOptions& global, const Config& config);
  PluginCommand(const PluginCommand&) = delete;
  PluginCommand& operator=(const PluginCommand&) = delete;

  PluginSession& session() { return session_; }
  const plugin_registry::PluginRegistry& registry() const { return *registry_; }
  const plugin_registry::RegisteredPlugin* Find(std::string_view name) const;  // null: there is none
  std::stop_token cancelled() const { return stop_.get_token(); }

  // Before the first start; what plugins log is shown as the options say.
  void Watch(std::function<void(std::string_view plugin, const plugins::StartStage&)> stage);
  // One line on stderr, unless the command is to be quiet.
  void Tell(std::string_view line);
  // While something takes its time: a line that goes when it is over, on a terminal only. Empty: it is over.
  void Wait(std::string_view line);
  // An error as a part of a JSON report: masked and with hints, or without them, as Fail would show it.
  json::object Part(const Error& error) const;
  // The registry's warnings, on stderr.
  void ShowWarnings();

  // Stops what runs. The exit code, or the end by the signal that was caught.
  int End(int exit_code);
  // The same for errors, which are reported.
  int Fail(const std::vector<Error>& errors);

 private:
  PluginCommand(const GlobalOptions& global, const Config& config, const std::filesystem::path& working_dir);
  void LearnSecrets(const Config& config);
  void Show(LogLevel level, const json::object& fields);

  GlobalOptions global_;  // with a masker that knows the secrets of the plugins
  Console console_;
  std::stop_source stop_;
  std::optional<RunSignals> signals_;
  PluginSession session_;
  const plugin_registry::PluginRegistry* registry_ = nullptr;
};

}  // namespace awf::cli
