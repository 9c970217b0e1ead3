#include "infrastructure/yaml/config_loader.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "application/language/inputs.h"
#include "application/validation/findings.h"
#include "domain/joined.h"
#include "infrastructure/yaml/provider_config_loader.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "infrastructure/yaml/yaml_file.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {
namespace {

using Word = std::string_view;

constexpr const char* kInvalid = "USER.CONFIG.INVALID";
constexpr std::array<Word, 10> kKeys = {"inputs", "storage",    "timeouts", "telemetry", "log",
                                        "audit",  "transcript", "masking",  "notify",    "providers"};
constexpr std::array<Word, 2> kPlannedKeys = {"defaults", "require_proxy"};
constexpr std::array<Word, 2> kTimeoutKeys = {"step", "agent"};
constexpr std::array<Word, 6> kTelemetryKeys = {"exporter",   "service_name", "span_names",
                                                "attributes", "content",      "propagate_http"};
constexpr std::array<Word, 2> kSpanNames = {"awf", "semconv"};
constexpr std::array<Word, 2> kAttributes = {"awf", "openinference"};
constexpr std::array<Word, 1> kTranscriptKeys = {"content"};
constexpr std::array<Word, 3> kTranscriptContents = {"none", "text", "full"};
constexpr std::array<Word, 1> kAuditKeys = {"path"};
constexpr std::array<Word, 2> kMaskingKeys = {"keys", "patterns"};
constexpr std::array<Word, 4> kNotifyKeys = {"default_backend", "webhook_url", "slack_webhook_url", "smtp_url"};
constexpr std::array<Word, 2> kHttpSchemes = {"http", "https"};
constexpr std::array<Word, 2> kSmtpSchemes = {"smtp", "smtps"};
constexpr std::array<Word, 2> kNotifyBackends = {"desktop", "webhook"};
constexpr std::array<Word, 2> kLogKeys = {"level", "format"};
constexpr std::array<Word, 4> kLogLevels = {"debug", "info", "warn", "error"};
constexpr std::array<Word, 2> kLogFormats = {"text", "json"};

// Whether what follows a "${" begins with NAME}.
bool NamesVariable(Word text) { return text.find('}') != Word::npos && IsIdentifier(text.substr(0, text.find('}'))); }

class ConfigLoader {
 public:
  ConfigLoader(YamlReader& reader, const EnvironmentLookup& environment, ConfigOwner owner)
      : reader_(reader), environment_(environment), owner_(owner) {}

  Config Load(const YamlNode& root) {
    reader_.CheckKeys(root, {kKeys, kPlannedKeys, {}}, "");
    if (const YamlEntry* entry = YamlReader::Find(root, "inputs")) Inputs(*entry->value);
    if (const YamlEntry* entry = YamlReader::Find(root, "storage")) {
      if (auto path = HomePath(*entry->value, "storage", reader_, environment_)) {
        config_.storage = std::move(*path);
        Set("storage", *entry);
      }
    }
    if (const YamlNode* map = Section(root, "timeouts", {kTimeoutKeys, {}, {}})) {
      Timeout(*map, "step", config_.step_timeout);
      Timeout(*map, "agent", config_.agent_timeout);
    }
    Telemetry(root);
    if (const YamlNode* map = Section(root, "log", {kLogKeys, {}, {}})) {
      Choice(*map, "log", "level", kLogLevels, config_.log_level);
      Choice(*map, "log", "format", kLogFormats, config_.log_format);
    }
    if (const YamlNode* map = Section(root, "transcript", {kTranscriptKeys, {}, {}}))
      Choice(*map, "transcript", "content", kTranscriptContents, config_.transcript_content);
    if (const YamlNode* map = Section(root, "audit", {kAuditKeys, {}, {}})) AuditPath(*map);
    if (const YamlNode* map = Section(root, "masking", {kMaskingKeys, {}, {}})) {
      List(*map, "masking", "keys", config_.masking_keys);
      List(*map, "masking", "patterns", config_.masking_patterns);
    }
    if (const YamlNode* map = Section(root, "notify", {kNotifyKeys, {}, {}})) {
      Choice(*map, "notify", "default_backend", kNotifyBackends, config_.notify.default_backend);
      NotifyUrl(*map, "webhook_url", kHttpSchemes, config_.notify.webhook_url);
      NotifyUrl(*map, "slack_webhook_url", kHttpSchemes, config_.notify.slack_webhook_url);
      NotifyUrl(*map, "smtp_url", kSmtpSchemes, config_.notify.smtp_url);
    }
    if (const YamlEntry* entry = YamlReader::Find(root, "providers")) {
      LoadProviderConfigs(*entry->value, reader_, environment_, owner_, config_);
    }
    return std::move(config_);
  }

 private:
  void Set(const std::string& path, const YamlEntry& entry) {
    config_.positions[path] = reader_.PositionOf(*entry.value);
  }

  const YamlNode* Section(const YamlNode& root, Word key, const KeyTable& keys) {
    const YamlEntry* entry = YamlReader::Find(root, key);
    const std::string field(key);
    if (entry == nullptr || !reader_.IsMap(*entry->value, field)) return nullptr;
    reader_.CheckKeys(*entry->value, keys, field);
    return entry->value.get();
  }

  void Inputs(const YamlNode& map) {
    if (!reader_.IsMap(map, "inputs")) return;
    for (const YamlEntry& entry : map.entries) {
      const std::string& name = entry.key->text;
      const std::string field = "inputs." + name;
      if (!IsIdentifier(name)) {
        reader_.Invalid(*entry.key, "'" + name + "' is no name for an input", field,
                        "names are letters, digits and '_', and begin with a letter or '_'");
        continue;
      }
      if (std::optional<std::string> text = reader_.String(*entry.value, field)) {
        config_.inputs[name] = std::move(*text);
        Set(field, entry);
      }
    }
  }

  void Timeout(const YamlNode& map, Word key, std::optional<std::chrono::milliseconds>& target) {
    const YamlEntry* entry = YamlReader::Find(map, key);
    if (entry == nullptr) return;
    const std::string field = JoinPath("timeouts", key);
    target = reader_.Duration(*entry->value, field);
    if (target) Set(field, *entry);
  }

  void Text(const YamlNode& map, const std::string& section, Word key, std::string& target) {
    const YamlEntry* entry = YamlReader::Find(map, key);
    if (entry == nullptr) return;
    const std::string field = JoinPath(section, key);
    if (std::optional<std::string> text = reader_.NonEmpty(*entry->value, field)) {
      target = std::move(*text);
      Set(field, *entry);
    }
  }

  void Telemetry(const YamlNode& root) {
    const YamlNode* map = Section(root, "telemetry", {kTelemetryKeys, {}, {}});
    if (map == nullptr) return;
    TelemetryConfig& telemetry = config_.telemetry;
    Exporter(*map, telemetry.exporter);
    Text(*map, "telemetry", "service_name", telemetry.service_name);
    Choice(*map, "telemetry", "span_names", kSpanNames, telemetry.span_names);
    Choice(*map, "telemetry", "attributes", kAttributes, telemetry.attributes);
    Flag(*map, "telemetry", "content", telemetry.content);
    Flag(*map, "telemetry", "propagate_http", telemetry.propagate_http);
  }

  // A trace file is appended to, like the collected log.
  void Exporter(const YamlNode& map, std::string& target) {
    const YamlEntry* entry = YamlReader::Find(map, "exporter");
    if (entry != nullptr && entry->value->text.starts_with("file:") && entry->value->text != "file:" &&
        RefuseInProject(owner_, *entry->value, "telemetry.exporter", "file", reader_)) {
      return;
    }
    Text(map, "telemetry", "exporter", target);
  }

  // "off" is a word, everything else a path. Also the word takes something from the user: their log of all runs.
  void AuditPath(const YamlNode& map) {
    const YamlEntry* entry = YamlReader::Find(map, "path");
    if (entry == nullptr || RefuseInProject(owner_, *entry->value, "audit.path", "file", reader_)) return;
    auto path =
        entry->value->text == "off" ? std::string("off") : HomePath(*entry->value, "audit.path", reader_, environment_);
    if (!path) return;
    config_.audit_path = std::move(*path);
    Set("audit.path", *entry);
  }

  // What agents write goes there, and what variables of the user hold. So the project's file can only say which
  // variable is the URL: any other text of it would choose the server.
  void NotifyUrl(const YamlNode& map, Word key, const std::array<Word, 2>& schemes, std::string& target) {
    const YamlEntry* entry = YamlReader::Find(map, key);
    if (entry == nullptr) return;
    const std::string field = JoinPath("notify", key);
    const std::optional<std::string> text = reader_.NonEmpty(*entry->value, field);
    if (!text) return;
    for (std::size_t at = text->find("${"); at != std::string::npos; at = text->find("${", at + 2)) {
      if (NamesVariable(Word(*text).substr(at + 2))) continue;
      reader_.Invalid(*entry->value, "must have the name of a variable and '}' behind each '${'", field);
      return;
    }
    const bool is_variable = text->starts_with("${") && text->find('}') == text->size() - 1;
    if (owner_ == ConfigOwner::kProject && !is_variable) {
      reader_.Invalid(*entry->value, "the project's configuration may only name a variable that holds the URL", field,
                      "write ${NAME}, or set it in your own configuration, ~/.config/awf/config.yaml");
      return;
    }
    const auto begins_text = [&](Word scheme) { return text->starts_with(std::string(scheme) + "://"); };
    if (!is_variable && std::ranges::none_of(schemes, begins_text)) {
      reader_.Invalid(*entry->value, "must be an " + Joined(schemes, " or ") + " URL, or ${NAME}", field);
      return;
    }
    target = *text;
    Set(field, *entry);
  }

  void Flag(const YamlNode& map, const std::string& section, Word key, std::optional<bool>& target) {
    const YamlEntry* entry = YamlReader::Find(map, key);
    if (entry == nullptr) return;
    const std::string field = JoinPath(section, key);
    target = reader_.Bool(*entry->value, field);
    if (target) Set(field, *entry);
  }

  void List(const YamlNode& map, const std::string& section, Word key, std::vector<std::string>& target) {
    const YamlEntry* entry = YamlReader::Find(map, key);
    if (entry == nullptr) return;
    const std::string field = JoinPath(section, key);
    target = reader_.StringList(*entry->value, field);
    Set(field, *entry);
  }

  void Choice(const YamlNode& map, const std::string& section, Word key, std::span<const Word> words,
              std::string& target) {
    const YamlEntry* entry = YamlReader::Find(map, key);
    if (entry == nullptr) return;
    const std::string field = JoinPath(section, key);
    if (std::optional<std::string> word = reader_.Word(*entry->value, field, words)) {
      target = std::move(*word);
      Set(field, *entry);
    }
  }

  YamlReader& reader_;
  const EnvironmentLookup& environment_;
  const ConfigOwner owner_;
  Config config_;
};

LoadedConfig Refused(const std::string& path, const std::string& message, std::string hint = {}) {
  LoadedConfig loaded;
  loaded.findings.push_back({Severity::kError, {kInvalid, message, std::move(hint), {path, 0, 0}, {}, {}}});
  return loaded;
}

LoadedConfig LoadFile(const std::string& path, bool must_exist, const EnvironmentLookup& environment,
                      ConfigOwner owner) {
  const auto text = ReadYamlFile(path);
  if (text) return LoadConfigText(*text, path, environment, owner);
  if (text.error().absent() && !must_exist) return {Config(), {}};
  return Refused(path, "the configuration file " + path + " " + text.error().message());
}

}  // namespace

bool LoadedConfig::Usable() const { return config.has_value() && !HasErrors(findings); }

LoadedConfig LoadConfigText(std::string_view text, const std::string& file, const EnvironmentLookup& environment,
                            ConfigOwner owner) {
  LoadedConfig loaded;
  ComposedYaml yaml = ComposeYaml(text, file);
  if (yaml.empty) {
    loaded.config = Config();
    return loaded;
  }
  loaded.findings = std::move(yaml.findings);
  if (yaml.root != nullptr) {
    YamlReader reader(*yaml.source, file, loaded.findings);
    if (reader.IsMap(*yaml.root, "")) loaded.config = ConfigLoader(reader, environment, owner).Load(*yaml.root);
  }
  for (Finding& finding : loaded.findings) finding.error.code = kInvalid;
  SortFindings(loaded.findings);
  return loaded;
}

Config MergeConfig(Config user, Config project) {
  const auto take = [](auto& mine, auto& theirs, bool set) {
    if (set) mine = std::move(theirs);
  };
  for (auto& [name, text] : project.inputs) user.inputs[name] = std::move(text);
  take(user.storage, project.storage, !project.storage.empty());
  take(user.step_timeout, project.step_timeout, project.step_timeout.has_value());
  take(user.agent_timeout, project.agent_timeout, project.agent_timeout.has_value());
  const auto take_text = [&take](std::string& mine, std::string& theirs) { take(mine, theirs, !theirs.empty()); };
  take_text(user.telemetry.exporter, project.telemetry.exporter);
  take_text(user.telemetry.service_name, project.telemetry.service_name);
  take_text(user.telemetry.span_names, project.telemetry.span_names);
  take_text(user.telemetry.attributes, project.telemetry.attributes);
  take(user.telemetry.content, project.telemetry.content, project.telemetry.content.has_value());
  take(user.telemetry.propagate_http, project.telemetry.propagate_http, project.telemetry.propagate_http.has_value());
  take_text(user.transcript_content, project.transcript_content);
  take_text(user.audit_path, project.audit_path);
  take_text(user.notify.default_backend, project.notify.default_backend);
  take_text(user.notify.webhook_url, project.notify.webhook_url);
  take_text(user.notify.slack_webhook_url, project.notify.slack_webhook_url);
  take_text(user.notify.smtp_url, project.notify.smtp_url);
  std::ranges::move(project.masking_keys, std::back_inserter(user.masking_keys));
  std::ranges::move(project.masking_patterns, std::back_inserter(user.masking_patterns));
  take(user.log_level, project.log_level, !project.log_level.empty());
  take(user.log_format, project.log_format, !project.log_format.empty());
  for (auto& [name, provider] : project.providers) {
    ProviderConfig& mine = user.providers[name];
    take(mine.path, provider.path, !provider.path.empty());
    for (auto& option : provider.options) mine.options[option.key()] = std::move(option.value());
  }
  for (auto& [path, position] : project.positions) user.positions[path] = std::move(position);
  return user;
}

std::filesystem::path ProjectConfigFile(const std::string& named, const Folders& folders,
                                        const EnvironmentLookup& environment,
                                        const std::filesystem::path& working_dir) {
  if (!named.empty() || !environment("AWF_CONFIG_PATH").value_or("").empty()) return {};
  std::filesystem::path file = working_dir / ".awf" / "config.yaml";
  std::error_code fault;
  return std::filesystem::equivalent(file, folders.config / "config.yaml", fault) ? std::filesystem::path() : file;
}

LoadedConfig LoadConfiguration(const std::string& named, const Folders& folders, const EnvironmentLookup& environment,
                               const std::filesystem::path& working_dir) {
  const std::filesystem::path user = folders.config / "config.yaml";
  const std::filesystem::path project = ProjectConfigFile(named, folders, environment, working_dir);
  const std::string chosen = named.empty() ? environment("AWF_CONFIG_PATH").value_or("") : named;
  std::error_code fault;
  LoadedConfig below = LoadFile(user.string(), false, environment, ConfigOwner::kUser);
  if (project.empty() && (chosen.empty() || std::filesystem::equivalent(chosen, user, fault))) return below;
  LoadedConfig loaded = project.empty() ? LoadFile(chosen, true, environment, ConfigOwner::kUser)
                                        : LoadFile(project.string(), false, environment, ConfigOwner::kProject);
  below.findings.insert(below.findings.end(), loaded.findings.begin(), loaded.findings.end());
  if (below.config && loaded.config) {
    below.config = MergeConfig(std::move(*below.config), std::move(*loaded.config));
  } else {
    below.config.reset();
  }
  return below;
}

}  // namespace awf
