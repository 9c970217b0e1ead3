#include "infrastructure/plugin_registry/plugin_state.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "domain/timestamp.h"
#include "infrastructure/plugin_registry/json_document.h"
#include "infrastructure/plugin_registry/plugins_file.h"
#include "infrastructure/plugin_registry/replaced_file.h"

namespace awf::plugin_registry {
namespace {

namespace fs = std::filesystem;

// Reads the state of one plugin; the first fault of the document is kept.
class StateReader {
 public:
  StateReader(const JsonDocument& document, std::string name, std::optional<Error>& fault)
      : document_(document), name_(std::move(name)), fault_(fault) {}

  PluginState Read(const json::value& value) {
    PluginState state;
    const json::object* object = value.if_object();
    if (object == nullptr) return WrongKind({name_}, "a map"), state;
    for (const auto& member : *object) Member(std::string(member.key()), member.value(), state);
    return state;
  }

 private:
  void Member(const std::string& key, const json::value& value, PluginState& state) {
    if (key == "enabled") {
      const bool* enabled = value.if_bool();
      if (enabled == nullptr) return Wrong(key, "true or false");
      state.enabled = *enabled;
    } else if (key == "config") {
      if (value.is_null()) return;
      const json::object* config = value.if_object();
      if (config == nullptr) return Wrong(key, "a map");
      state.config = *config;
    } else if (key == "disabled_at") {
      state.disabled_at = Time(key, value);
    } else if (key == "source_data") {
      state.source_data = value;
    } else if (key == "checksum") {
      const json::string* text = value.if_string();
      if (text == nullptr) return Wrong(key, "a string");
      auto digest = ParseSha256({text->data(), text->size()});
      if (!digest && !text->empty()) return Fault({name_, key}, name_ + ".checksum must be 64 hex digits");
      state.checksum = digest.value_or("");
    } else if (key == "checksum_at") {
      state.checksum_at = Time(key, value);
    } else {
      state.others[key] = value;
    }
  }

  // RFC 3339, or seconds since 1970 as other programs write into this file; 0 is none.
  std::string Time(const std::string& key, const json::value& value) {
    constexpr std::int64_t kLast = 253'402'300'799;  // of the year 9999
    if (const json::string* text = value.if_string()) return {text->data(), text->size()};
    const std::int64_t* seconds = value.if_int64();
    if (seconds == nullptr || *seconds < 0 || *seconds > kLast) return Wrong(key, "a time"), std::string();
    return *seconds == 0 ? "" : UtcSeconds(WallClock::time_point(std::chrono::seconds(*seconds)));
  }

  void Wrong(const std::string& key, std::string_view wanted) { WrongKind({name_, key}, wanted); }

  // The first counts. Places are looked for from the begin of the text: not for every fault of a damaged one.
  void Fault(const JsonPath& path, std::string message) {
    if (!fault_) fault_ = document_.Fault(path, std::move(message));
  }

  void WrongKind(const JsonPath& path, std::string_view wanted) {
    if (!fault_) fault_ = document_.WrongKind(path, wanted);
  }

  const JsonDocument& document_;
  const std::string name_;
  std::optional<Error>& fault_;
};

std::expected<PluginStates, Error> ReadFile(const fs::path& path) {
  const auto document = JsonDocument::Read(path);
  if (!document) return std::unexpected(document.error());
  PluginStates states;
  if (!*document) return states;
  const json::object* root = (*document)->value().if_object();
  if (root == nullptr) return std::unexpected((*document)->WrongKind({}, "a map"));
  std::optional<Error> fault;
  for (const auto& member : *root) {
    const std::string name(member.key());
    states.emplace(name, StateReader(**document, name, fault).Read(member.value()));
  }
  if (fault) return std::unexpected(std::move(*fault));
  return states;
}

json::object StateJson(const PluginState& state) {
  json::object object = state.others;
  object["enabled"] = state.enabled;
  if (!state.config.empty()) object["config"] = state.config;
  if (!state.disabled_at.empty()) object["disabled_at"] = state.disabled_at;
  if (!state.source_data.is_null()) object["source_data"] = state.source_data;
  if (!state.checksum.empty()) object["checksum"] = state.checksum;
  if (!state.checksum_at.empty()) object["checksum_at"] = state.checksum_at;
  return object;
}

}  // namespace

fs::path PluginStateFile(const fs::path& storage) { return storage / "plugins" / "plugins.json"; }

std::expected<PluginStates, Error> ReadPluginStates(const fs::path& storage) {
  return ReadFile(PluginStateFile(storage));
}

std::expected<void, Error> ChangePluginStates(const fs::path& storage,
                                              const std::function<void(PluginStates&)>& change) {
  const fs::path path = PluginStateFile(storage);
  const auto lock = FileLock::Take(path.string() + ".lock");
  if (!lock) return std::unexpected(lock.error());
  auto states = ReadFile(path);
  if (!states) return std::unexpected(states.error());
  change(*states);
  json::object root;
  for (const auto& [name, state] : *states) root[name] = StateJson(state);
  return ReplaceFile(path, SortedJson(root), 0600);
}

}  // namespace awf::plugin_registry
