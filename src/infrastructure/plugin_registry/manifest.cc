#include "infrastructure/plugin_registry/manifest.h"

#include <algorithm>
#include <array>
#include <utility>

#include "application/validation/findings.h"
#include "domain/joined.h"
#include "domain/nearest_name.h"
#include "infrastructure/plugin_registry/version_rule.h"
#include "infrastructure/yaml/value_reader.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "infrastructure/yaml/yaml_file.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf::plugin_registry {
namespace {

using Word = std::string_view;

constexpr const char* kConfig = "EXECUTION.PLUGIN.CONFIG";
constexpr std::array<Word, 10> kKeys = {"name",    "version",  "awf_version", "description",  "author",
                                        "license", "homepage", "config",      "capabilities", "events"};
constexpr std::array<Word, 5> kFieldKeys = {"type", "required", "default", "description", "enum"};
constexpr std::array<Word, 2> kEventKeys = {"subscribe", "emit"};
constexpr std::array<Word, 4> kCapabilities = {"operations", "step_types", "validators", "events"};
constexpr std::array<Word, 4> kTypes = {"string", "integer", "number", "boolean"};

class ManifestReader {
 public:
  ManifestReader(const YamlNode& root, YamlReader& reader) : root_(root), reader_(reader) {}

  Manifest Read() {
    reader_.CheckKeys(root_, {kKeys, {}, {}}, "");
    Name();
    Version();
    AwfVersion();
    Text("description", manifest_.description);
    Text("author", manifest_.author);
    Text("license", manifest_.license);
    Text("homepage", manifest_.homepage);
    Capabilities();
    Config();
    Events();
    return std::move(manifest_);
  }

 private:
  // Null and told when it is not there.
  const YamlNode* Required(const std::string& key) {
    const YamlNode* node = YamlReader::FindValue(root_, key);
    if (node == nullptr) reader_.Invalid(root_, key + " is missing", key);
    return node;
  }

  void Text(const std::string& key, std::string& target) {
    const YamlNode* node = YamlReader::FindValue(root_, key);
    const bool null = node != nullptr && node->kind == YamlNode::Kind::kScalar && TypeOf(*node) == ScalarType::kNull;
    if (node != nullptr && !null) target = reader_.String(*node, key).value_or("");
  }

  void Name() {
    const YamlNode* node = Required("name");
    auto name = node == nullptr ? std::nullopt : reader_.NonEmpty(*node, "name");
    if (!name) return;
    if (IsPluginName(*name)) {
      manifest_.name = std::move(*name);
    } else {
      reader_.Invalid(*node, "'" + *name + "' is no name for a plugin", "name",
                      "names are letters, digits, '_' and '-', and begin with a letter");
    }
  }

  void Version() {
    const YamlNode* node = Required("version");
    auto version = node == nullptr ? std::nullopt : reader_.NonEmpty(*node, "version");
    if (!version) return;
    if (ParseVersion(*version)) {
      manifest_.version = std::move(*version);
    } else {
      reader_.Invalid(*node, "version '" + *version + "' is not of the form X.Y.Z or X.Y.Z-PRE", "version");
    }
  }

  void AwfVersion() {
    const YamlNode* node = Required("awf_version");
    auto text = node == nullptr ? std::nullopt : reader_.NonEmpty(*node, "awf_version");
    if (!text) return;
    const auto rule = VersionRule::Parse(*text);
    if (!rule) {
      reader_.Invalid(*node, "awf_version: " + rule.error(), "awf_version", "as \">=0.5.0 <1.0.0\"");
    } else if (!rule->Allows(*ParseVersion(kPluginLevel))) {
      reader_.Invalid(
          *node,
          "the plugin wants awf_version " + *text + ", and this awf has plugin level " + std::string(kPluginLevel),
          "awf_version");
    }
    manifest_.awf_version = std::move(*text);
  }

  void Capabilities() {
    const YamlNode* node = Required("capabilities");
    if (node == nullptr || !reader_.IsList(*node, "capabilities")) return;
    const std::vector<std::string> words(kCapabilities.begin(), kCapabilities.end());
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      const std::string field = "capabilities[" + std::to_string(i) + "]";
      auto word = reader_.NonEmpty(*node->items[i], field);
      if (!word) continue;
      if (std::ranges::find(words, *word) != words.end()) {
        manifest_.capabilities.push_back(std::move(*word));
      } else {
        // Of later plugin levels; as long as another one is known, the plugin is of use.
        reader_.Report(*node->items[i], kConfig, "unknown capability '" + *word + "'", field, DidYouMean(*word, words),
                       Severity::kWarning);
      }
    }
    if (manifest_.capabilities.empty()) {
      reader_.Invalid(*node, "capabilities has none of " + Joined(kCapabilities, ", "), "capabilities");
    }
  }

  void Config() {
    const YamlNode* map = YamlReader::FindValue(root_, "config");
    if (map == nullptr || !reader_.IsMap(*map, "config")) return;
    for (const YamlEntry& entry : map->entries) {
      const std::string path = "config." + entry.key->text;
      if (!reader_.IsMap(*entry.value, path)) continue;
      manifest_.config.push_back(Field(entry.key->text, *entry.value, path));
    }
  }

  ConfigField Field(const std::string& name, const YamlNode& map, const std::string& path) {
    reader_.CheckKeys(map, {kFieldKeys, {}, {}}, path);
    ConfigField field{name, FieldType::kAny, false, std::nullopt, {}, {}};
    if (const YamlNode* type = YamlReader::FindValue(map, "type")) {
      const auto word = reader_.Word(*type, path + ".type", kTypes);
      field.type = word ? *ParseFieldType(*word) : FieldType::kAny;
    }
    if (const YamlNode* required = YamlReader::FindValue(map, "required")) {
      field.required = reader_.Bool(*required, path + ".required").value_or(false);
    }
    if (const YamlNode* text = YamlReader::FindValue(map, "description")) {
      field.description = reader_.String(*text, path + ".description").value_or("");
    }
    if (const YamlNode* choices = YamlReader::FindValue(map, "enum")) Choices(*choices, path + ".enum", field);
    if (const YamlNode* value = YamlReader::FindValue(map, "default")) {
      field.default_value = Value(*value, path + ".default", field.type);
      const auto fault = field.default_value ? NotAChoice(*field.default_value, field.choices) : std::nullopt;
      if (fault) reader_.Invalid(*value, *fault, path + ".default");
    }
    return field;
  }

  void Choices(const YamlNode& list, const std::string& path, ConfigField& field) {
    if (!reader_.IsList(list, path)) return;
    if (list.items.empty()) reader_.Invalid(list, "must not be empty", path);
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      auto value = Value(*list.items[i], path + "[" + std::to_string(i) + "]", field.type);
      if (value) field.choices.push_back(std::move(*value));
    }
  }

  // Nothing for null.
  std::optional<json::value> Value(const YamlNode& node, const std::string& path, FieldType type) {
    ReadValues read;
    const json::value value = ReadValue(node, "", path, reader_, read);
    if (!read.complete || value.is_null()) return std::nullopt;
    const auto spelt = read.sources.find("");
    auto typed = ValueOfType(type, value, spelt == read.sources.end() ? nullptr : &spelt->second);
    if (typed) return std::move(*typed);
    reader_.Invalid(node, typed.error(), path);
    return std::nullopt;
  }

  void Events() {
    const YamlNode* map = YamlReader::FindValue(root_, "events");
    if (map == nullptr || !reader_.IsMap(*map, "events")) return;
    reader_.CheckKeys(*map, {kEventKeys, {}, {}}, "events");
    const YamlNode* subscribe = YamlReader::FindValue(*map, "subscribe");
    const YamlNode* emit = YamlReader::FindValue(*map, "emit");
    if (subscribe != nullptr) manifest_.subscribes = reader_.StringList(*subscribe, "events.subscribe");
    if (emit != nullptr) manifest_.emits = reader_.StringList(*emit, "events.emit");
  }

  const YamlNode& root_;
  YamlReader& reader_;
  Manifest manifest_;
};

}  // namespace

bool ReadManifest::valid() const { return !HasErrors(findings); }

std::string ReadManifest::Reason(const std::string& file) const {
  const std::vector<Error> errors = ErrorsOf(findings);
  if (errors.empty()) return {};
  const Error& first = errors.front();
  std::string reason = file;
  if (first.position.known()) {
    reason += ":" + std::to_string(first.position.line) + ":" + std::to_string(first.position.column) + ":";
  }
  reason += " " + first.message;
  if (errors.size() > 1) reason += "; " + std::to_string(errors.size() - 1) + " more";
  return reason;
}

bool IsPluginName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

ReadManifest ParseManifest(std::string_view text, const std::string& file) {
  ReadManifest read;
  ComposedYaml yaml = ComposeYaml(text, file);
  read.findings = std::move(yaml.findings);
  if (yaml.root != nullptr) {
    YamlReader reader(*yaml.source, file, read.findings);
    if (reader.IsMap(*yaml.root, "")) read.manifest = ManifestReader(*yaml.root, reader).Read();
  }
  for (Finding& finding : read.findings) {
    if (finding.error.code == KeyTable().code) finding.severity = Severity::kWarning;
    finding.error.code = kConfig;
  }
  SortFindings(read.findings);
  return read;
}

ReadManifest ReadManifestFile(const std::filesystem::path& path) {
  const auto text = ReadYamlFile(path.string());
  if (text) return ParseManifest(*text, path.string());
  ReadManifest read;
  read.findings.push_back({Severity::kError, {kConfig, text.error().message(), {}, {path.string(), 0, 0}, {}, {}}});
  return read;
}

}  // namespace awf::plugin_registry
