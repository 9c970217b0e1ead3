#include "cli/plugin_commands.h"

#include <algorithm>
#include <utility>

#include "cli/finding_text.h"
#include "cli/masking.h"
#include "cli/run_setup.h"
#include "domain/terminal_text.h"
#include "infrastructure/process/environment.h"

namespace awf::cli {

std::expected<std::unique_ptr<PluginCommand>, Error> PluginCommand::Open(const GlobalOptions& global,
                                                                         const Config& config) {
  const auto working_dir = WorkingDirectory();
  if (!working_dir) return std::unexpected(working_dir.error());
  // Else what is the user's own would be looked for, and written, in the working directory.
  if (auto storage = StorageFolder(global.storage, NonEmptyVariable); !storage)
    return std::unexpected(std::move(storage.error()));
  std::unique_ptr<PluginCommand> command(new PluginCommand(global, config, *working_dir));
  const auto registry = command->session_.Registry();
  if (!registry) return std::unexpected(registry.error());
  command->registry_ = *registry;
  command->LearnSecrets(config);
  command->Watch({});
  return command;
}

PluginCommand::PluginCommand(const GlobalOptions& global, const Config& config,
                             const std::filesystem::path& working_dir)
    : global_(global),
      console_(ConsoleOptions::Detect(global.no_color)),
      session_(PluginPlaces(Folders::From(ProcessEnvironment, working_dir), working_dir, global), config) {
  signals_.emplace(SignalHandlers{[this](int) { stop_.request_stop(); }, [] { KillDescendants(); }, [] {}, [] {}});
}

void PluginCommand::LearnSecrets(const Config& config) {
  auto masker = std::make_shared<Masker>(global_.masker ? *global_.masker : *MaskerOfErrors(config));
  for (const auto& plugin : registry_->plugins())
    if (const auto launch = registry_->Launch(plugin.name)) LearnPluginSecrets(*launch, *masker);
  global_.masker = std::move(masker);
}

json::object PluginCommand::Part(const Error& error) const {
  return ErrorJson(MaskedError(error, *global_.masker), !global_.no_hints);
}

const plugin_registry::RegisteredPlugin* PluginCommand::Find(std::string_view name) const {
  const auto& plugins = registry_->plugins();
  const auto found = std::ranges::find(plugins, name, &plugin_registry::RegisteredPlugin::name);
  return found == plugins.end() ? nullptr : &*found;
}

void PluginCommand::Watch(std::function<void(std::string_view plugin, const plugins::StartStage&)> stage) {
  PluginRuntime runtime;
  runtime.environment = process::CurrentEnvironment();
  runtime.logged = [this](LogLevel level, const json::object& fields) { Show(level, fields); };
  runtime.stage = std::move(stage);
  session_.Prepare(std::move(runtime));
}

void PluginCommand::Show(LogLevel level, const json::object& fields) {
  if (level < LogLevel::kWarn && !global_.verbose) return;
  const auto text = [&fields](std::string_view key) {
    const json::value* value = fields.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
  };
  std::string line = text("plugin") + " [" + std::string(ToString(level)) + "] " + text("text");
  if (const json::value* more = fields.if_contains("fields")) line += " " + json::serialize(*more);
  console_.Line(PrintableLine(global_.masker->MaskText(line)));
}

void PluginCommand::Tell(std::string_view line) {
  if (!global_.quiet) console_.Line(PrintableLine(line));
}

void PluginCommand::Wait(std::string_view line) {
  if (console_.options().live && !global_.quiet) console_.SetLive(PrintableLine(line));
}

void PluginCommand::ShowWarnings() {
  if (global_.quiet) return;
  for (const Finding& finding : registry_->warnings())
    console_.Line(ErrorBlock(finding.error, finding.severity, !global_.no_hints));
}

int PluginCommand::End(int exit_code) {
  session_.Stop();
  console_.Restore();
  const int signal = signals_->caught();
  signals_.reset();
  return signal != 0 ? DieBySignal(signal) : exit_code;
}

int PluginCommand::Fail(const std::vector<Error>& errors) {
  console_.SetLive("");
  return End(ReportErrors(errors, global_));
}

}  // namespace awf::cli
