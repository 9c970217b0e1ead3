// awf plugin verify [NAME…] [--update]: whether the executables are those that lock, .awf/plugins.yaml and state file
// expect. Starts nothing.
#include <algorithm>
#include <utility>

#include "cli/finding_text.h"
#include "cli/plugin_commands.h"
#include "cli/print_result.h"
#include "cli/text_table.h"
#include "domain/error_catalogue.h"
#include "domain/timestamp.h"
#include "infrastructure/plugin_registry/plugin_lock.h"
#include "infrastructure/plugin_registry/plugin_state.h"

namespace awf::cli {
namespace {

using plugin_registry::PluginRegistry;
using plugin_registry::RegisteredPlugin;

constexpr std::size_t kShownDigits = 12;

struct Verified {
  std::string name, sha256;
  std::vector<plugins::ExpectedChecksum> expected;
  std::optional<Error> fault;  // why it cannot be told

  bool Differs(const plugins::ExpectedChecksum& checksum) const { return checksum.sha256 != sha256; }
};

std::vector<std::string> Chosen(PluginCommand& command, const PluginVerifyOptions& options) {
  std::vector<std::string> names = options.names;
  if (!names.empty()) return names;
  for (const RegisteredPlugin& plugin : command.registry().plugins()) names.push_back(plugin.name);
  // What was locked and is gone is not as expected.
  const auto lock = plugin_registry::ReadPluginLock(command.registry().places().project / plugin_registry::kLockFile);
  if (!lock) return names;
  for (const auto& [name, locked] : *lock)
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

Verified Verify(const PluginRegistry& registry, const std::string& name) {
  Verified verified{name, {}, {}, {}};
  auto launch = registry.Launch(name);
  if (!launch) {
    verified.fault = std::move(launch.error());
    return verified;
  }
  auto sha256 = plugin_registry::Sha256OfFile(launch->executable);
  if (!sha256) {
    verified.fault = Fail("EXECUTION.PLUGIN.START", name + ": " + sha256.error().message).error();
    return verified;
  }
  verified.sha256 = std::move(*sha256);
  verified.expected = std::move(launch->checksums);
  return verified;
}

Error Mismatch(const Verified& verified, const plugins::ExpectedChecksum& checksum) {
  return Fail("EXECUTION.PLUGIN.CHECKSUM_MISMATCH",
              verified.name + ": " + checksum.source + " expects " + checksum.sha256 + ", found " + verified.sha256,
              "Look at what changed; then awf plugin lock, or awf plugin verify --update.")
      .error();
}

// A plugin that is switched off is not started: nothing is wrong with it.
bool IsFailure(const Error& fault) { return fault.code != "EXECUTION.PLUGIN.DISABLED"; }

std::vector<Error> ErrorsIn(const std::vector<Verified>& all) {
  std::vector<Error> errors;
  for (const Verified& verified : all) {
    if (verified.fault && IsFailure(*verified.fault)) errors.push_back(*verified.fault);
    for (const auto& checksum : verified.expected)
      if (verified.Differs(checksum)) errors.push_back(Mismatch(verified, checksum));
  }
  return errors;
}

std::string Table(const std::vector<Verified>& all, const LineStyle& style) {
  TextTable table({{"name"}, {"status"}, {"sha256"}, {"written in", false, true}});
  for (const Verified& verified : all) {
    const std::string digits = verified.sha256.substr(0, kShownDigits);
    if (verified.fault) {
      table.Add({verified.name, IsFailure(*verified.fault) ? "error" : "disabled", "", ""});
    } else if (verified.expected.empty()) {
      table.Add({verified.name, "nothing written", digits, ""});
    }
    for (const auto& checksum : verified.expected) {
      const bool differs = verified.Differs(checksum);
      table.Add({verified.name, differs ? "differs" : "ok", digits, checksum.source}, differs ? "31" : "");
    }
  }
  return table.empty() ? std::string() : table.Render(style);
}

json::object Report(const std::vector<Verified>& all, const PluginCommand& command) {
  json::array plugins;
  for (const Verified& verified : all) {
    json::object entry{{"name", JsonText(verified.name)}, {"sha256", verified.sha256}};
    json::array checks;
    for (const auto& checksum : verified.expected) {
      checks.push_back({{"source", JsonText(checksum.source)},
                        {"expected", JsonText(checksum.sha256)},
                        {"ok", !verified.Differs(checksum)}});
    }
    entry["checks"] = std::move(checks);
    if (verified.fault) entry["error"] = command.Part(*verified.fault);
    plugins.push_back(std::move(entry));
  }
  return {{"valid", ErrorsIn(all).empty()}, {"plugins", std::move(plugins)}};
}

std::vector<Verified> VerifyAll(const PluginRegistry& registry, const std::vector<std::string>& names) {
  std::vector<Verified> all;
  all.reserve(names.size());
  for (const std::string& name : names) all.push_back(Verify(registry, name));
  return all;
}

std::expected<void, Error> Store(const std::filesystem::path& storage, const std::vector<Verified>& all) {
  return plugin_registry::ChangePluginStates(storage, [&all](plugin_registry::PluginStates& states) {
    for (const Verified& verified : all) {
      if (verified.sha256.empty() || states[verified.name].checksum == verified.sha256) continue;
      states[verified.name].checksum = verified.sha256;
      states[verified.name].checksum_at = UtcSeconds(WallClock::now());
    }
  });
}

}  // namespace

int PluginVerifyCommand(const PluginVerifyOptions& options, const GlobalOptions& global, const Config& config) {
  auto command = PluginCommand::Open(global, config);
  if (!command) return ReportErrors({command.error()}, global);
  const std::vector<std::string> names = Chosen(**command, options);
  for (const std::string& name : options.names) {
    if (!(*command)->session().IsBuiltin(name)) continue;
    return (*command)->Fail(
        {Fail("USER.INPUT.INVALID_FORMAT", name + " is built into awf: it has no executable of its own").error()});
  }
  std::vector<Verified> all = VerifyAll((*command)->registry(), names);
  if (options.update) {
    const auto& places = (*command)->registry().places();
    if (auto stored = Store(places.storage, all); !stored) return (*command)->Fail({stored.error()});
    const auto now = PluginRegistry::Load(places);
    if (!now) return (*command)->Fail({now.error()});
    all = VerifyAll(*now, names);
  }
  std::vector<Error> errors = ErrorsIn(all);
  int exit_code = 0;
  for (const Error& error : errors) {
    const int code = ExitCodeOf(error.code);
    exit_code = exit_code == 0 ? code : std::min(exit_code, code);
  }
  if (global.format == OutputFormat::kJson)
    return (*command)->End(PrintResult(JsonLine(Report(all, **command)), global, exit_code));
  if (all.empty()) (*command)->Tell("there are no plugins here");
  const int printed = PrintResult(global.quiet ? "" : Table(all, StyleOfStdout(global)), global, exit_code);
  return errors.empty() ? (*command)->End(printed) : (*command)->Fail(errors);
}

}  // namespace awf::cli
