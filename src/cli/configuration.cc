#include "cli/configuration.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "application/validation/findings.h"
#include "cli/masking.h"
#include "cli/run_setup.h"
#include "domain/joined.h"
#include "infrastructure/yaml/config_loader.h"

namespace awf::cli {
namespace {

struct Setting {
  std::string value;
  std::string origin;  // for messages
};

// The strongest that is set: flag, environment, configuration.
Setting Strongest(const std::string& flag, const char* variable, const std::string& config) {
  if (!flag.empty()) return {flag, {}};
  if (const auto found = NonEmptyVariable(variable)) return {*found, variable};
  return {config, {}};
}

std::unexpected<Error> Unknown(const Setting& setting, const std::string& words) {
  return Fail("USER.INPUT.INVALID_FORMAT", setting.origin + " is '" + setting.value + "'", "use " + words);
}

bool NamesAnAddress(std::string_view exporter) {
  static constexpr std::string_view kWords[] = {"", "none", "console", "file", "file:", "otlp", "otlp-http"};
  return std::ranges::find(kWords, exporter) == std::end(kWords);
}

bool IsTelling(std::string_view path, const Config& config) {
  if (path == "telemetry.exporter") return NamesAnAddress(config.telemetry.exporter);
  static constexpr std::string_view kOptions[] = {"extra_args", "env", "base_url", "config"};
  return path.starts_with("providers.") && path.contains(".options.") &&
         std::ranges::find(kOptions, path.substr(path.rfind('.') + 1)) != std::end(kOptions);
}

}  // namespace

std::expected<Config, std::vector<Error>> ReadConfiguration(const GlobalOptions& global) {
  const auto working_dir = WorkingDirectory();
  if (!working_dir) return std::unexpected(std::vector{working_dir.error()});
  const EnvironmentLookup environment = ProcessEnvironment;
  LoadedConfig loaded =
      LoadConfiguration(global.config_file, Folders::From(environment, *working_dir), environment, *working_dir);
  if (!loaded.Usable()) return std::unexpected(ErrorsOf(loaded.findings));
  if (auto masker = ConfiguredMasker(*loaded.config); !masker) return std::unexpected(std::move(masker.error()));
  return std::move(*loaded.config);
}

std::string ProjectSettings(const Config& config, const GlobalOptions& global) {
  const auto working_dir = WorkingDirectory();
  if (!working_dir) return {};
  const EnvironmentLookup environment = ProcessEnvironment;
  const std::string file =
      ProjectConfigFile(global.config_file, Folders::From(environment, *working_dir), environment, *working_dir);
  std::vector<std::string> keys;
  for (const auto& [path, position] : config.positions)
    if (!file.empty() && position.file == file && IsTelling(path, config)) keys.push_back(path);
  return keys.empty() ? std::string() : "the project's configuration " + file + " sets " + Joined(keys, ", ");
}

std::expected<void, Error> SettleGlobals(const GivenSettings& given, const Config& config, GlobalOptions& global) {
  global.storage = Strongest(global.storage, "AWF_STORAGE", config.storage).value;
  if (const Setting level = Strongest(given.log_level, "AWF_LOG_LEVEL", config.log_level); !level.value.empty()) {
    const std::optional<LogLevel> parsed = ParseLogLevel(level.value);
    if (!parsed) return Unknown(level, "debug, info, warn or error");
    global.log_level = *parsed;
  }
  const Setting format = Strongest(given.log_format, "AWF_LOG_FORMAT", config.log_format);
  if (!format.value.empty() && format.value != "text" && format.value != "json") return Unknown(format, "text or json");
  global.json_log = format.value == "json";
  return {};
}

}  // namespace awf::cli
