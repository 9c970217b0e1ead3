#include "cli/plugin_catalogue.h"

#include <algorithm>
#include <utility>

namespace awf::cli {

std::expected<KnownOperations, Error> PluginCatalogue::Find(std::string_view plugin) {
  const auto found = found_.find(plugin);
  if (found != found_.end()) return found->second;
  return found_.emplace(std::string(plugin), Look(plugin)).first->second;
}

std::expected<KnownOperations, Error> PluginCatalogue::Look(std::string_view plugin) {
  using Source = KnownOperations::Source;
  const auto registry = session_.Registry();
  if (!registry) return std::unexpected(registry.error());
  if (session_.IsBuiltin(plugin)) return KnownOperations{Source::kBuiltin, session_.Builtin(plugin)->Operations(), {}};
  if (auto launch = session_.Launch(plugin); !launch) return std::unexpected(std::move(launch.error()));
  auto known = (*registry)->Operations(plugin);
  if (!known || known->source != Source::kUnknown || !Starts(**registry, plugin)) return known;
  const std::string name(plugin);
  const auto started = session_.Start(std::span(&name, 1), {}, {});
  if (!started.front()) return std::unexpected(started.front().error());
  return KnownOperations{Source::kPlugin, (*started.front()).provider->Operations(), {}};
}

bool PluginCatalogue::Starts(const plugin_registry::PluginRegistry& registry, std::string_view plugin) const {
  if (may_start_ != MayStart::kUserInstalled) return may_start_ == MayStart::kAll;
  const auto& plugins = registry.plugins();
  const auto found = std::ranges::find(plugins, plugin, &plugin_registry::RegisteredPlugin::name);
  return found != plugins.end() && found->user_installed;
}

}  // namespace awf::cli
