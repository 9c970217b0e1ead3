// PluginCatalogue: what is known of the operations of plugins before they run, for `awf validate`, the checks of a run,
// --dry-run and completion.
//
// Reads lock and cache. Starts a plugin only where the caller allows it: so a foreign project never runs its own code
// by being checked. Each plugin is looked at once. Thread-compatible.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "cli/plugin_session.h"
#include "domain/operation.h"

namespace awf::cli {

// Which plugins may be started when neither lock nor cache knows their operations.
enum class MayStart {
  kNone,
  kUserInstalled,  // those in the user's data folder
  kAll,            // --start-plugins
};

class PluginCatalogue final : public OperationCatalogue {
 public:
  // `session` outlives it.
  PluginCatalogue(PluginSession& session, MayStart may_start) : session_(session), may_start_(may_start) {}

  std::expected<KnownOperations, Error> Find(std::string_view plugin) override;

 private:
  std::expected<KnownOperations, Error> Look(std::string_view plugin);
  bool Starts(const plugin_registry::PluginRegistry& registry, std::string_view plugin) const;

  PluginSession& session_;
  const MayStart may_start_;
  std::map<std::string, std::expected<KnownOperations, Error>, std::less<>> found_;
};

}  // namespace awf::cli
