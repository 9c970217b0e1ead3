#include "infrastructure/plugin_registry/plugin_lock.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "domain/nearest_name.h"
#include "infrastructure/plugin_registry/json_document.h"
#include "infrastructure/plugin_registry/manifest.h"
#include "infrastructure/plugin_registry/operations_json.h"
#include "infrastructure/plugin_registry/plugins_file.h"
#include "infrastructure/plugin_registry/replaced_file.h"

namespace awf::plugin_registry {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr const char* kRenew = "awf plugin lock writes the file anew, once this one is gone";

// Reads one document; the first fault ends the reading.
class LockReader {
 public:
  explicit LockReader(const JsonDocument& document) : document_(document) {}

  std::expected<PluginLock, Error> Read() {
    const json::object* root = document_.value().if_object();
    if (root == nullptr) return std::unexpected(document_.WrongKind({}, "a map"));
    Version(*root);
    RefuseOthers(*root, {}, {"plugins", "version"});
    PluginLock lock;
    const json::value* value = root->if_contains("plugins");
    const json::object* plugins = value == nullptr ? nullptr : value->if_object();
    if (plugins == nullptr) WrongKind({"plugins"}, "a map");
    if (plugins != nullptr) {
      for (const auto& member : *plugins) lock.emplace(member.key(), Plugin(std::string(member.key()), member.value()));
    }
    if (fault_) return std::unexpected(std::move(*fault_));
    return lock;
  }

 private:
  void Version(const json::object& root) {
    const json::value* value = root.if_contains("version");
    const std::int64_t* version = value == nullptr ? nullptr : value->if_int64();
    if (version == nullptr) return WrongKind({"version"}, "an integer");
    if (*version == kVersion) return;
    Fault({"version"}, "version " + std::to_string(*version) + " of the lock file is not known here",
          "update awf, or let awf plugin lock write the file anew, once this one is gone");
  }

  LockedPlugin Plugin(const std::string& name, const json::value& value) {
    const JsonPath path = {"plugins", name};
    LockedPlugin plugin;
    if (!IsPluginName(name)) Fault(path, "'" + name + "' is no name for a plugin", kRenew);
    const json::object* object = value.if_object();
    if (object == nullptr) return WrongKind(path, "a map"), plugin;
    RefuseOthers(*object, path, {"operations", "sha256", "version"});
    const json::value* version = object->if_contains("version");
    if (version != nullptr && version->is_string()) {
      plugin.version = std::string_view(version->get_string());
    } else {
      WrongKind({"plugins", name, "version"}, "a string");
    }
    plugin.sha256 = Checksums({"plugins", name, "sha256"}, object->if_contains("sha256"));
    plugin.operations = Operations({"plugins", name, "operations"}, object->if_contains("operations"));
    return plugin;
  }

  std::map<std::string, std::string> Checksums(const JsonPath& path, const json::value* value) {
    std::map<std::string, std::string> checksums;
    const json::object* object = value == nullptr ? nullptr : value->if_object();
    if (object == nullptr) return WrongKind(path, "a map"), checksums;
    for (const auto& member : *object) {
      const json::string* text = member.value().if_string();
      auto digest = text == nullptr ? std::nullopt : ParseSha256({text->data(), text->size()});
      if (!digest) {
        JsonPath place = path;
        place.emplace_back(member.key());
        return Fault(place, ShownJsonPath(place) + " must be 64 hex digits", kRenew), checksums;
      }
      checksums.emplace(member.key(), std::move(*digest));
    }
    return checksums;
  }

  std::vector<Operation> Operations(const JsonPath& path, const json::value* value) {
    if (value == nullptr) return WrongKind(path, "a list"), std::vector<Operation>();
    auto operations = OperationsOf(*value);
    if (operations) return std::move(*operations);
    JsonPath place = path;
    place.insert(place.end(), operations.error().path.begin(), operations.error().path.end());
    Fault(place, ShownJsonPath(place) + " " + operations.error().message, kRenew);
    return {};
  }

  void RefuseOthers(const json::object& object, const JsonPath& path, const std::vector<std::string>& known) {
    for (const auto& member : object) {
      const std::string key(member.key());
      if (std::ranges::find(known, key) != known.end()) continue;
      JsonPath place = path;
      place.push_back(key);
      Fault(place, "unknown key '" + key + "'", DidYouMean(key, known));
    }
  }

  // The first counts. Places are looked for from the begin of the text: not for every fault of a hostile one.
  void Fault(const JsonPath& path, std::string message, std::string hint) {
    if (!fault_) fault_ = document_.Fault(path, std::move(message), std::move(hint));
  }

  void WrongKind(const JsonPath& path, std::string_view wanted) {
    if (!fault_) fault_ = document_.WrongKind(path, wanted);
  }

  const JsonDocument& document_;
  std::optional<Error> fault_;
};

std::string Short(const std::string& digest) { return digest.substr(0, 8) + "…"; }

std::string_view OrNone(std::string_view text) { return text.empty() ? "none" : text; }

// What of two operations of one name differs: "description, inputs".
std::string ChangedParts(const Operation& before, const Operation& after) {
  std::string parts;
  const auto add = [&](bool changed, const char* part) {
    if (changed) parts.append(parts.empty() ? "" : ", ").append(part);
  };
  const json::value a = OperationsJson({before}), b = OperationsJson({after});
  for (const char* part : {"description", "inputs", "outputs"}) {
    add(a.get_array()[0].get_object().at(part) != b.get_array()[0].get_object().at(part), part);
  }
  return parts;
}

class Comparison {
 public:
  std::vector<std::string> lines;

  void Plugin(const std::string& name, const LockedPlugin* before, const LockedPlugin* after) {
    static const LockedPlugin kNone;
    if (before == nullptr || after == nullptr) Add(before == nullptr ? "+ " : "- ", {name});
    const LockedPlugin& a = before == nullptr ? kNone : *before;
    const LockedPlugin& b = after == nullptr ? kNone : *after;
    if (before != nullptr && after != nullptr) {
      if (a.version != b.version) Add("~ ", {name, ": version ", OrNone(a.version), " → ", OrNone(b.version)});
      Checksums(name, a.sha256, b.sha256);
    }
    Operations(name, a.operations, b.operations);
  }

 private:
  using Digests = std::map<std::string, std::string>;

  void Add(std::string line, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) line += part;
    lines.push_back(std::move(line));
  }

  void Checksums(const std::string& name, const Digests& before, const Digests& after) {
    Digests platforms = before;
    platforms.insert(after.begin(), after.end());
    for (const auto& [platform, digest] : platforms) {
      const auto a = before.find(platform), b = after.find(platform);
      const std::string of = platform == Platform() ? ": sha256 " : ": sha256 of " + platform + " ";
      if (a == before.end()) {
        Add("+ ", {name, of, Short(b->second)});
      } else if (b == after.end()) {
        Add("- ", {name, of, Short(a->second)});
      } else if (a->second != b->second) {
        Add("~ ", {name, of, Short(a->second), " → ", Short(b->second)});
      }
    }
  }

  void Operations(const std::string& name, const std::vector<Operation>& before, const std::vector<Operation>& after) {
    std::map<std::string, std::pair<const Operation*, const Operation*>> pairs;
    for (const Operation& operation : before) pairs[operation.name].first = &operation;
    for (const Operation& operation : after) pairs[operation.name].second = &operation;
    for (const auto& [operation, pair] : pairs) {
      const auto& [a, b] = pair;
      if (a == nullptr || b == nullptr) {
        Add(a == nullptr ? "+ " : "- ", {name, ".", operation});
      } else if (const std::string parts = ChangedParts(*a, *b); !parts.empty()) {
        Add("~ ", {name, ".", operation, ": ", parts});
      }
    }
  }
};

}  // namespace

std::string Platform() {
#if defined(__x86_64__)
  return "linux-x86_64";
#elif defined(__aarch64__)
  return "linux-aarch64";
#else
  return "linux-other";
#endif
}

std::expected<PluginLock, Error> ParsePluginLock(std::string text, const std::string& file) {
  const auto document = JsonDocument::Parse(std::move(text), file);
  if (!document) return std::unexpected(document.error());
  return LockReader(*document).Read();
}

std::expected<PluginLock, Error> ReadPluginLock(const std::filesystem::path& path) {
  const auto document = JsonDocument::Read(path);
  if (!document) return std::unexpected(document.error());
  if (!*document) return PluginLock();
  return LockReader(**document).Read();
}

std::string PluginLockText(const PluginLock& lock) {
  json::object plugins;
  for (const auto& [name, plugin] : lock) {
    json::object sha256;
    for (const auto& [platform, digest] : plugin.sha256) sha256[platform] = digest;
    plugins[name] = json::object{
        {"operations", OperationsJson(plugin.operations)}, {"sha256", std::move(sha256)}, {"version", plugin.version}};
  }
  return SortedJson(json::object{{"plugins", std::move(plugins)}, {"version", kVersion}});
}

std::expected<void, Error> WritePluginLock(const std::filesystem::path& path, const PluginLock& lock) {
  return ReplaceFile(path, PluginLockText(lock), 0644);
}

std::vector<std::string> Differences(const PluginLock& before, const PluginLock& after) {
  std::map<std::string, std::pair<const LockedPlugin*, const LockedPlugin*>> pairs;
  for (const auto& [name, plugin] : before) pairs[name].first = &plugin;
  for (const auto& [name, plugin] : after) pairs[name].second = &plugin;
  Comparison comparison;
  for (const auto& [name, pair] : pairs) comparison.Plugin(name, pair.first, pair.second);
  return std::move(comparison.lines);
}

}  // namespace awf::plugin_registry
