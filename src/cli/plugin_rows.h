// What there is of plugins, as `awf plugin list` and `awf doctor` show it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/plugin_session.h"
#include "domain/json.h"
#include "infrastructure/plugin_registry/plugin_registry.h"

namespace awf::cli {

inline constexpr std::string_view kBuiltinPlace = "built-in";

struct PluginRow {
  std::string name, version, description;
  std::string status;  // ok, disabled, invalid, not found
  std::string reason;  // of all but ok
  std::vector<std::string> capabilities;
  std::string place;  // where it was found, or "built-in"
  std::string executable, author, license, homepage;
  std::vector<std::string> shadowed;  // manifests of the same name that lost

  // "invalid: plugin.yaml:3: …"
  std::string StatusText() const { return reason.empty() ? status : status + ": " + reason; }
};

// By name, those that are built in among them.
std::vector<PluginRow> RowsOf(PluginSession& session, const plugin_registry::PluginRegistry& registry);

json::object RowJson(const PluginRow& row);

}  // namespace awf::cli
