#include "infrastructure/plugin_registry/plugins_file.h"

#include <algorithm>
#include <array>

#include "application/validation/findings.h"
#include "infrastructure/plugin_registry/manifest.h"
#include "infrastructure/yaml/value_reader.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "infrastructure/yaml/yaml_file.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf::plugin_registry {
namespace {

using Word = std::string_view;

constexpr const char* kInvalid = "USER.CONFIG.INVALID";
constexpr std::size_t kMostFaults = 20;  // that are told
constexpr std::array<Word, 1> kKeys = {"plugins"};
constexpr std::array<Word, 7> kEntryKeys = {"path", "enabled", "config", "env", "sha256", "tls", "start_timeout"};
constexpr std::array<Word, 2> kTls = {"required", "off"};

bool HasNul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

class EntryReader {
 public:
  EntryReader(const YamlEntry& entry, YamlReader& reader)
      : map_(*entry.value), reader_(reader), path_("plugins." + entry.key->text) {
    entry_.position = reader_.PositionOf(*entry.key);
    entry_.config.place = path_ + ".config";
  }

  PluginEntry Read() {
    if (!reader_.IsMap(map_, path_)) return std::move(entry_);
    reader_.CheckKeys(map_, {kEntryKeys, {}, {}}, path_);
    if (const YamlNode* node = Find("path")) Path(*node);
    if (const YamlNode* node = Find("enabled")) {
      entry_.enabled = reader_.Bool(*node, path_ + ".enabled").value_or(true);
      entry_.enabled_position = reader_.PositionOf(*node);
    }
    if (const YamlNode* node = Find("config")) Config(*node);
    if (const YamlNode* node = Find("env")) Env(*node);
    if (const YamlNode* node = Find("sha256")) Sha256(*node);
    if (const YamlNode* node = Find("tls")) {
      entry_.tls_required = reader_.Word(*node, path_ + ".tls", kTls).value_or("required") == "required";
    }
    if (const YamlNode* node = Find("start_timeout")) StartTimeout(*node);
    return std::move(entry_);
  }

 private:
  const YamlNode* Find(Word key) const { return YamlReader::FindValue(map_, key); }

  void Path(const YamlNode& node) {
    auto path = reader_.NonEmpty(node, path_ + ".path");
    if (path && HasNul(*path)) {
      reader_.Invalid(node, "must not hold a null character", path_ + ".path");
    } else if (path) {
      entry_.path = std::move(*path);
      entry_.path_position = reader_.PositionOf(node);
    }
  }

  void Config(const YamlNode& node) {
    if (!reader_.IsMap(node, entry_.config.place)) return;
    ReadValues read;
    entry_.config.values = ReadEntries(node, entry_.config.place, reader_, read);
    entry_.config.spelt = std::move(read.sources);
    entry_.config.positions = std::move(read.positions);
  }

  void Env(const YamlNode& node) {
    const std::string field = path_ + ".env";
    if (!reader_.IsMap(node, field)) return;
    for (const YamlEntry& variable : node.entries) {
      const std::string& name = variable.key->text;
      const std::string place = JoinPath(field, name);
      if (name.empty() || HasNul(name) || name.find('=') != std::string::npos) {
        reader_.Invalid(*variable.key, "'" + name + "' is no name for a variable", field);
        continue;
      }
      auto value = reader_.String(*variable.value, place);
      if (value && HasNul(*value)) {
        reader_.Invalid(*variable.value, "must not hold a null character", place);
      } else if (value) {
        entry_.env.emplace_back(name, std::move(*value));
      }
    }
  }

  void Sha256(const YamlNode& node) {
    const auto text = reader_.String(node, path_ + ".sha256");
    if (!text) return;
    if (auto digest = ParseSha256(*text)) {
      entry_.sha256 = std::move(*digest);
    } else {
      reader_.Invalid(node, "must be 64 hex digits", path_ + ".sha256", "sha256sum FILE prints them");
    }
  }

  void StartTimeout(const YamlNode& node) {
    const auto timeout = reader_.Duration(node, path_ + ".start_timeout");
    if (timeout && timeout->count() == 0) {
      reader_.Invalid(node, "must be longer than 0", path_ + ".start_timeout");
    } else {
      entry_.start_timeout = timeout;
    }
  }

  const YamlNode& map_;
  YamlReader& reader_;
  const std::string path_;
  PluginEntry entry_;
};

PluginsFile ReadRoot(const YamlNode& root, YamlReader& reader) {
  PluginsFile plugins;
  if (!reader.IsMap(root, "")) return plugins;
  reader.CheckKeys(root, {kKeys, {}, {}}, "");
  const YamlNode* map = YamlReader::FindValue(root, "plugins");
  if (map == nullptr || !reader.IsMap(*map, "plugins")) return plugins;
  for (const YamlEntry& entry : map->entries) {
    const std::string& name = entry.key->text;
    if (!IsPluginName(name)) {
      reader.Invalid(*entry.key, "'" + name + "' is no name for a plugin", "plugins",
                     "names are letters, digits, '_' and '-', and begin with a letter");
      continue;
    }
    plugins.emplace(name, EntryReader(entry, reader).Read());
  }
  return plugins;
}

// The findings as one error, at the place of the first.
Error Refused(std::vector<Finding>& findings) {
  SortFindings(findings);
  Error error = std::move(findings.front().error);
  error.code = kInvalid;
  for (std::size_t i = 1; i < findings.size(); ++i) {
    if (i == kMostFaults) {
      error.message += "\n" + std::to_string(findings.size() - i) + " more";
      break;
    }
    const Error& other = findings[i].error;
    error.message += "\n" + other.position.file + ":" + std::to_string(other.position.line) + ":" +
                     std::to_string(other.position.column) + ": " + other.message;
  }
  return error;
}

}  // namespace

std::expected<PluginsFile, Error> ParsePluginsFile(std::string_view text, const std::string& file) {
  ComposedYaml yaml = ComposeYaml(text, file);
  if (yaml.empty) return PluginsFile();
  PluginsFile plugins;
  if (yaml.root != nullptr) {
    YamlReader reader(*yaml.source, file, yaml.findings);
    plugins = ReadRoot(*yaml.root, reader);
  }
  if (!yaml.findings.empty()) return std::unexpected(Refused(yaml.findings));
  return plugins;
}

std::expected<std::optional<PluginsFile>, Error> ReadPluginsFile(const std::filesystem::path& path) {
  const auto text = ReadYamlFile(path.string());
  if (text) return ParsePluginsFile(*text, path.string());
  if (text.error().absent()) return std::nullopt;
  return std::unexpected(
      Error{kInvalid, path.string() + " " + text.error().message(), {}, {path.string(), 0, 0}, {}, {}});
}

std::optional<std::string> ParseSha256(std::string_view text) {
  if (text.size() != 64) return std::nullopt;
  std::string digest(text);
  for (char& c : digest) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return std::nullopt;
  }
  return digest;
}

}  // namespace awf::plugin_registry
