#include <algorithm>
#include <set>

#include "domain/joined.h"
#include "domain/nearest_name.h"
#include "infrastructure/plugin_registry/registry_snapshot.h"

namespace awf::plugin_registry {
namespace {

constexpr std::size_t kMostNames = 20;  // of one place

using Names = std::set<std::string>;

std::string Listed(const Names& names) {
  if (names.empty()) return "no plugin";
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kMostNames) shown.push_back(name);
  }
  std::string text = Joined(shown, ", ");
  if (names.size() > kMostNames) text += " and " + std::to_string(names.size() - kMostNames) + " more";
  return text;
}

}  // namespace

Error UnknownPlugin(std::string_view name, const RegistrySnapshot& snapshot) {
  std::string places = kPluginsFile, lines, invalid;
  Names all(snapshot.places.builtins.begin(), snapshot.places.builtins.end());
  const auto add = [&](const std::string& place, const std::string& found) { lines += "\n" + place + ": " + found; };

  if (snapshot.entries) {
    Names names;
    for (const auto& [entry, settings] : *snapshot.entries) {
      names.insert(settings.path.empty() ? entry + " (without path)" : entry);
      if (!settings.path.empty()) all.insert(entry);
    }
    add(kPluginsFile, Listed(names));
  } else {
    add(kPluginsFile, "does not exist");
  }
  for (const SearchedFolder& searched : snapshot.searched) {
    const std::string shown = snapshot.Shown(searched.folder);
    places += ", " + shown;
    Names names;
    for (const FoundManifest& found : searched.manifests) {
      if (found.read.valid()) {
        names.insert(found.name());
      } else {
        invalid += "\ninvalid: " + found.read.Reason(snapshot.Shown(found.file()));
      }
      all.insert(found.name());
    }
    add(shown, searched.fault.empty() ? Listed(names) : searched.fault);
  }
  return {"USER.MCP_PROXY.UNKNOWN_PLUGIN",
          "plugin '" + std::string(name) + "' not found in " + places + lines + invalid,
          DidYouMean(name, std::vector<std::string>(all.begin(), all.end())),
          {},
          {},
          {}};
}

}  // namespace awf::plugin_registry
