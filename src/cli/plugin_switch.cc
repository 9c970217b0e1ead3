// awf plugin enable NAME, awf plugin disable NAME: the user's own switch, in the state file.
#include "cli/finding_text.h"
#include "cli/plugin_commands.h"
#include "cli/print_result.h"
#include "domain/timestamp.h"
#include "infrastructure/plugin_registry/plugin_state.h"

namespace awf::cli {
namespace {

std::expected<void, Error> Switch(PluginCommand& command, const PluginSwitchOptions& options) {
  if (command.session().IsBuiltin(options.name)) {
    return Fail("USER.INPUT.INVALID_FORMAT", options.name + " is built into awf and cannot be switched on or off",
                "Its operations are used only where a workflow names them.");
  }
  if (command.Find(options.name) == nullptr) {
    auto unknown = command.session().Launch(options.name);
    return std::unexpected(std::move(unknown.error()));
  }
  return plugin_registry::ChangePluginStates(
      command.registry().places().storage, [&options](plugin_registry::PluginStates& states) {
        plugin_registry::PluginState& state = states[options.name];
        if (state.enabled == options.enable) return;
        state.enabled = options.enable;
        state.disabled_at = options.enable ? std::string() : UtcSeconds(WallClock::now());
      });
}

}  // namespace

int PluginSwitchCommand(const PluginSwitchOptions& options, const GlobalOptions& global, const Config& config) {
  auto command = PluginCommand::Open(global, config);
  if (!command) return ReportErrors({command.error()}, global);
  if (auto switched = Switch(**command, options); !switched) return (*command)->Fail({switched.error()});
  // The project's file may switch it off as well: that cannot be undone from here.
  const auto now = plugin_registry::PluginRegistry::Load((*command)->registry().places());
  if (!now) return (*command)->Fail({now.error()});
  bool enabled = options.enable;
  std::string reason;
  for (const plugin_registry::RegisteredPlugin& plugin : now->plugins()) {
    if (plugin.name != options.name) continue;
    enabled = plugin.status != plugin_registry::PluginStatus::kDisabled;
    reason = plugin.reason;
  }
  if (options.enable && !enabled) (*command)->Tell("Warning: " + options.name + " stays disabled: " + reason);
  const std::string text = global.format == OutputFormat::kJson
                               ? JsonLine(json::object{{"name", JsonText(options.name)}, {"enabled", enabled}})
                               : options.name + (enabled ? " is enabled\n" : " is disabled\n");
  return (*command)->End(PrintResult(global.quiet && global.format != OutputFormat::kJson ? "" : text, global));
}

}  // namespace awf::cli
