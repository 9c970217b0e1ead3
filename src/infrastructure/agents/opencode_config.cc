#include "infrastructure/agents/opencode_config.h"

#include <optional>
#include <string_view>

#include "infrastructure/agents/regular_file.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"config.json", "opencode.json", "opencode.jsonc"};

// Say where models are and how they are reached; none of them runs anything in the step.
constexpr const char* kKept[] = {"provider",          "providers",          "model",     "small_model",
                                 "enabled_providers", "disabled_providers", "compaction"};

fs::path XdgFolder(const Environment& environment, const char* variable, const char* below_home) {
  if (const std::string folder = environment.Get(variable); !folder.empty()) return fs::path(folder) / "opencode";
  const std::string home = environment.Get("HOME");
  return home.empty() ? fs::path() : fs::path(home) / below_home / "opencode";
}

// JSON with comments and trailing commas; nothing when it is no object.
std::optional<json::object> ParseConfig(std::string_view text) {
  json::parse_options options;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  boost::system::error_code error;
  json::value value = json::parse(text, error, {}, options);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

// Members of objects one by one, anything else as a whole, as OpenCode does it.
void Merge(json::object& into, const json::object& from) {
  for (const auto& [key, value] : from) {
    json::value* old = into.if_contains(key);
    if (old != nullptr && old->is_object() && value.is_object()) {
      Merge(old->get_object(), value.get_object());
    } else {
      into[key] = value;
    }
  }
}

// {file:key.txt} is read from the folder of the file that names it.
std::string WithAbsoluteFiles(std::string_view text, const fs::path& folder, const std::string& home) {
  constexpr std::string_view kMark = "{file:";
  std::string absolute;
  for (std::size_t at = 0;;) {
    const std::size_t mark = text.find(kMark, at);
    if (mark == std::string_view::npos) return absolute += text.substr(at);
    const std::size_t path = mark + kMark.size();
    absolute += text.substr(at, path - at);
    const std::string_view rest = text.substr(path);
    at = path;
    if (rest.starts_with("~/")) {
      absolute += home;
      at += 1;
    } else if (!rest.starts_with('/')) {
      absolute += folder.string() + "/";
    }
  }
}

void MakeFilesAbsolute(json::value& value, const fs::path& folder, const std::string& home) {
  if (value.is_string()) {
    value = WithAbsoluteFiles(std::string_view(value.get_string()), folder, home);
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) MakeFilesAbsolute(member.value(), folder, home);
  } else if (value.is_array()) {
    for (json::value& item : value.get_array()) MakeFilesAbsolute(item, folder, home);
  }
}

class Collector {
 public:
  explicit Collector(std::string home) : home_(std::move(home)) {}

  void AddFile(const fs::path& path) {
    const auto text = ReadRegularFile(path);
    if (text) return Add(ParseConfig(*text), path.string(), path.parent_path());
    if (text.error().empty()) return;
    config_.warnings.push_back(path.string() + " cannot be read (" + text.error() +
                               "); model providers in it are not used");
  }
  void Add(const std::optional<json::object>& all, const std::string& source, const fs::path& folder) {
    if (!all) {
      config_.warnings.push_back(source + " cannot be read as JSON; model providers in it are not used");
      return;
    }
    json::object kept;
    for (const char* key : kKept) {
      if (const json::value* value = all->if_contains(key)) kept[key] = *value;
    }
    for (auto& member : kept) MakeFilesAbsolute(member.value(), folder, home_);
    Merge(config_.kept, kept);
  }
  OpenCodeConfig Take() { return std::move(config_); }

 private:
  std::string home_;
  OpenCodeConfig config_;
};

}  // namespace

fs::path OpenCodeConfigFolder(const Environment& environment) {
  return XdgFolder(environment, "XDG_CONFIG_HOME", ".config");
}

fs::path OpenCodeDataFolder(const Environment& environment) {
  return XdgFolder(environment, "XDG_DATA_HOME", ".local/share");
}

OpenCodeConfig ReadOpenCodeConfig(const Environment& environment) {
  Collector collector(environment.Get("HOME"));
  if (const fs::path folder = OpenCodeConfigFolder(environment); !folder.empty()) {
    for (const char* name : kFiles) collector.AddFile(folder / name);
  }
  if (const std::string file = environment.Get("OPENCODE_CONFIG"); !file.empty()) collector.AddFile(file);
  if (const std::string content = environment.Get("OPENCODE_CONFIG_CONTENT"); !content.empty()) {
    collector.Add(ParseConfig(content), "OPENCODE_CONFIG_CONTENT", environment.Get("PWD"));
  }
  return collector.Take();
}

json::object OverUsersContent(const Environment& environment, const json::object& over,
                              std::vector<std::string>& warnings) {
  json::object all;
  if (const std::string content = environment.Get("OPENCODE_CONFIG_CONTENT"); !content.empty()) {
    if (auto users = ParseConfig(content)) {
      all = std::move(*users);
      // "permission": "ask" stands for {"*": "ask"}.
      if (const std::string_view permission = TextAt(all, "permission"); !permission.empty()) {
        all["permission"] = json::object{{"*", std::string(permission)}};
      }
    } else {
      warnings.emplace_back("OPENCODE_CONFIG_CONTENT cannot be read as JSON; it is not used");
    }
  }
  Merge(all, over);
  return all;
}

std::vector<PrivateFile> OpenCodePrivateConfig(json::object kept) {
  // Without it the CLI rewrites the file.
  kept["$schema"] = "https://opencode.ai/config.json";
  const json::object installed{{"dependencies", json::object{{"@opencode-ai/plugin", "*"}}}};
  const std::string folder = "config/opencode/";
  return {{folder + "opencode.json", json::serialize(kept)},
          {folder + "package.json", json::serialize(installed)},
          {folder + "package-lock.json", json::serialize(json::object{{"packages", json::object{{"", installed}}}})},
          {folder + "node_modules/.package-lock.json", "{}"}};
}

}  // namespace awf::agents
