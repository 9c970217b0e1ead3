#include "infrastructure/yaml/provider_config_loader.h"

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "application/language/provider_options.h"
#include "infrastructure/yaml/value_reader.h"

namespace awf {
namespace {

constexpr std::array<std::string_view, 2> kKeys = {"path", "options"};

class ProviderLoader {
 public:
  ProviderLoader(const YamlEntry& entry, YamlReader& reader, const EnvironmentLookup& environment, ConfigOwner owner,
                 Config& config)
      : entry_(entry),
        reader_(reader),
        environment_(environment),
        owner_(owner),
        config_(config),
        field_("providers." + entry.key->text) {}

  void Load() {
    const auto name = ResolveProvider(entry_.key->text);
    if (!name) {
      reader_.Invalid(*entry_.key, name.error().message, field_, name.error().hint);
      return;
    }
    if (config_.providers.contains(*name)) {
      reader_.Invalid(*entry_.key, "provider '" + *name + "' is configured twice", field_, "make one block of both");
      return;
    }
    ProviderConfig& provider = config_.providers[*name];
    const YamlNode& map = *entry_.value;
    if (!reader_.IsMap(map, field_)) return;
    reader_.CheckKeys(map, {kKeys, {}, {}}, field_);
    if (const YamlEntry* path = YamlReader::Find(map, "path")) Path(*path->value, *name, provider);
    if (const YamlEntry* options = YamlReader::Find(map, "options")) Options(*options->value, *name, provider);
  }

 private:
  void Path(const YamlNode& node, const std::string& name, ProviderConfig& provider) {
    const std::string field = field_ + ".path";
    if (RefuseInProject(owner_, node, field, "program", reader_)) return;
    const std::optional<std::string> path = HomePath(node, field, reader_, environment_);
    if (!path) return;
    if (name == "openai_compatible") {
      reader_.Invalid(node, "openai_compatible has no program of its own", field, "remove the key");
      return;
    }
    if (!path->starts_with('/')) {
      reader_.Invalid(node, "must be an absolute path, or begin with ~/", field);
      return;
    }
    // Two slashes at the front are one, also where a library keeps them.
    const std::string normal = "/" + std::filesystem::path(*path).lexically_normal().relative_path().string();
    if (normal == "/proc" || normal.starts_with("/proc/")) {
      reader_.Invalid(node, "must not lie below /proc: what is there depends on who looks, and from where", field,
                      "give the path of the program itself");
      return;
    }
    provider.path = normal;
    config_.positions["providers." + name + ".path"] = reader_.PositionOf(node);
  }

  void Options(const YamlNode& map, const std::string& name, ProviderConfig& provider) {
    const std::string field = field_ + ".options", place = "providers." + name + ".options.";
    if (!reader_.IsMap(map, field)) return;
    ReadValues read;
    const json::object written = ReadEntries(map, field, reader_, read);
    for (const YamlEntry& entry : map.entries)
      config_.positions[place + CanonicalOption(name, entry.key->text)] = reader_.PositionOf(*entry.key);
    for (const auto& [path, text] : read.templates) {
      Report(Severity::kError, text.position, "templates have no meaning here", JoinPath(field, path),
             "write the value itself, or set the option in the state");
    }
    CheckedOptions checked = CheckProviderOptions({name, written, read.sources}, environment_);
    for (const Finding& finding : checked.findings) {
      // What is missing here may stand in the state.
      if (finding.error.field.empty()) continue;
      const auto position = read.positions.find(finding.error.field);
      Report(finding.severity, position == read.positions.end() ? reader_.PositionOf(map) : position->second,
             finding.error.message, field + "." + finding.error.field, finding.error.hint);
    }
    provider.options = std::move(checked.options);
  }

  void Report(Severity severity, const Position& at, std::string message, const std::string& field, std::string hint) {
    reader_.ReportAt(at, "USER.CONFIG.INVALID", std::move(message), field, std::move(hint), severity);
  }

  const YamlEntry& entry_;
  YamlReader& reader_;
  const EnvironmentLookup& environment_;
  const ConfigOwner owner_;
  Config& config_;
  std::string field_;
};

}  // namespace

void LoadProviderConfigs(const YamlNode& map, YamlReader& reader, const EnvironmentLookup& environment,
                         ConfigOwner owner, Config& config) {
  if (!reader.IsMap(map, "providers")) return;
  for (const YamlEntry& entry : map.entries) ProviderLoader(entry, reader, environment, owner, config).Load();
}

bool RefuseInProject(ConfigOwner owner, const YamlNode& node, const std::string& field, std::string_view thing,
                     YamlReader& reader) {
  if (owner == ConfigOwner::kUser) return false;
  reader.Invalid(node, "the project's configuration may not name a " + std::string(thing) + " of the user", field,
                 "set it in your own configuration, ~/.config/awf/config.yaml, or in a file that --config names");
  return true;
}

std::optional<std::string> HomePath(const YamlNode& node, const std::string& field, YamlReader& reader,
                                    const EnvironmentLookup& environment) {
  std::optional<std::string> path = reader.NonEmpty(node, field);
  if (!path || (*path != "~" && !path->starts_with("~/"))) return path;
  const std::string home = environment("HOME").value_or("");
  if (!home.starts_with('/')) {
    reader.Invalid(node, "HOME is not set, so ~ cannot be expanded", field, "give an absolute path");
    return std::nullopt;
  }
  return home + path->substr(1);
}

}  // namespace awf
