#include "infrastructure/yaml/mcp_proxy_loader.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace awf {
namespace {

constexpr std::string_view kMissing = "WORKFLOW.PARSE.MISSING_FIELD";
constexpr std::string_view kUnknownKey = "USER.MCP_PROXY.UNKNOWN_KEY";
constexpr std::array<std::string_view, 7> kProxyKeys = {
    "enable", "intercept_builtins", "plugin_tools", "sandbox", "isolation", "env", "project_memory"};
constexpr std::array<std::string_view, 1> kPlannedProxyKeys = {"limits"};
constexpr std::array<std::string_view, 2> kPluginKeys = {"plugin", "expose"};
constexpr std::array<std::string_view, 4> kSandboxKeys = {"mode", "write", "read", "network"};
constexpr std::array<std::string_view, 2> kEnvKeys = {"pass", "drop"};
constexpr std::array<std::string_view, 4> kModes = {"workspace-write", "read-only", "strict", "off"};
constexpr std::array<std::string_view, 2> kIsolations = {"best_effort", "required"};

class ProxyLoader {
 public:
  ProxyLoader(YamlReader& reader, std::string field) : reader_(reader), field_(std::move(field)) {}

  McpProxySettings Load(const YamlNode& block) {
    if (!reader_.IsMap(block, field_)) return {};
    reader_.CheckKeys(block, {kProxyKeys, kPlannedProxyKeys, {}, kUnknownKey}, field_);
    Bool(block, "enable", settings_.enable);
    Bool(block, "intercept_builtins", settings_.intercept_builtins);
    Bool(block, "project_memory", settings_.project_memory);
    if (const YamlEntry* entry = YamlReader::Find(block, "plugin_tools")) PluginTools(*entry->value);
    if (const YamlEntry* entry = YamlReader::Find(block, "sandbox")) Sandbox(*entry->value);
    if (const YamlEntry* entry = YamlReader::Find(block, "env")) Environment(*entry->value);
    if (const YamlEntry* entry = YamlReader::Find(block, "isolation")) {
      settings_.isolation_required = reader_.Word(*entry->value, Path("isolation"), kIsolations) == "required";
    }
    return std::move(settings_);
  }

 private:
  std::string Path(std::string_view key) const { return JoinPath(field_, key); }

  void Bool(const YamlNode& block, std::string_view key, bool& target) {
    if (const YamlEntry* entry = YamlReader::Find(block, key)) {
      target = reader_.Bool(*entry->value, Path(key)).value_or(target);
    }
  }

  void PluginTools(const YamlNode& list) {
    const std::string field = Path("plugin_tools");
    if (!reader_.IsList(list, field)) return;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      PluginEntry(*list.items[i], field + "[" + std::to_string(i) + "]");
    }
  }

  void PluginEntry(const YamlNode& node, const std::string& field) {
    if (!reader_.IsMap(node, field)) return;
    const std::vector<std::string> meant = reader_.CheckKeys(node, {kPluginKeys, {}, {}, kUnknownKey}, field);
    const auto misspelt = [&](std::string_view key) { return std::ranges::find(meant, key) != meant.end(); };
    PluginToolsEntry entry;
    if (const YamlEntry* plugin = YamlReader::Find(node, "plugin")) {
      entry.plugin = reader_.NonEmpty(*plugin->value, JoinPath(field, "plugin")).value_or("");
      entry.position = reader_.PositionOf(*plugin->value);
    } else if (!misspelt("plugin")) {
      reader_.Report(node, kMissing, "the entry names no plugin", JoinPath(field, "plugin"));
    }
    if (const YamlEntry* expose = YamlReader::Find(node, "expose")) {
      const std::string path = JoinPath(field, "expose");
      if (reader_.IsList(*expose->value, path)) Expose(*expose->value, path, entry);
    } else if (!misspelt("expose")) {
      reader_.Report(node, kMissing, "the entry exposes no operation", JoinPath(field, "expose"),
                     "list the operations that the agent may use, as in 'expose: [create_issue]'");
    }
    settings_.plugin_tools.push_back(std::move(entry));
  }

  void Expose(const YamlNode& list, const std::string& field, PluginToolsEntry& entry) {
    if (list.items.empty()) reader_.Invalid(list, "must name at least one operation", field);
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const YamlNode& item = *list.items[i];
      auto name = reader_.NonEmpty(item, field + "[" + std::to_string(i) + "]");
      if (name) entry.expose.push_back({std::move(*name), reader_.PositionOf(item)});
    }
  }

  void Sandbox(const YamlNode& node) {
    const std::string field = Path("sandbox");
    if (node.kind != YamlNode::Kind::kMapping) {
      Mode(node, field);
      return;
    }
    reader_.CheckKeys(node, {kSandboxKeys, {}, {}, kUnknownKey}, field);
    if (const YamlEntry* entry = YamlReader::Find(node, "mode")) Mode(*entry->value, JoinPath(field, "mode"));
    if (const YamlEntry* entry = YamlReader::Find(node, "network")) {
      settings_.sandbox.network = reader_.Bool(*entry->value, JoinPath(field, "network")).value_or(true);
    }
    Folders(node, "write", field, settings_.sandbox.write);
    Folders(node, "read", field, settings_.sandbox.read);
  }

  void Mode(const YamlNode& node, const std::string& field) {
    const std::optional<std::string> word = reader_.Word(node, field, kModes);
    if (!word) return;
    settings_.sandbox.explicit_mode = true;
    for (const SandboxMode mode :
         {SandboxMode::kWorkspaceWrite, SandboxMode::kReadOnly, SandboxMode::kStrict, SandboxMode::kOff}) {
      if (*word == ToString(mode)) settings_.sandbox.mode = mode;
    }
  }

  void Folders(const YamlNode& map, std::string_view key, const std::string& field,
               std::vector<std::filesystem::path>& target) {
    const YamlEntry* entry = YamlReader::Find(map, key);
    if (entry == nullptr) return;
    for (std::string& folder : reader_.StringList(*entry->value, JoinPath(field, key))) {
      target.emplace_back(std::move(folder));
    }
  }

  void Environment(const YamlNode& node) {
    const std::string field = Path("env");
    if (!reader_.IsMap(node, field)) return;
    reader_.CheckKeys(node, {kEnvKeys, {}, {}, kUnknownKey}, field);
    if (const YamlEntry* entry = YamlReader::Find(node, "pass")) {
      settings_.env.pass = reader_.StringList(*entry->value, JoinPath(field, "pass"));
    }
    if (const YamlEntry* entry = YamlReader::Find(node, "drop")) {
      settings_.env.drop = reader_.StringList(*entry->value, JoinPath(field, "drop"));
    }
  }

  YamlReader& reader_;
  std::string field_;
  McpProxySettings settings_;
};

}  // namespace

McpProxySettings LoadMcpProxy(const YamlNode& block, YamlReader& reader, const std::string& field) {
  return ProxyLoader(reader, field).Load(block);
}

}  // namespace awf
