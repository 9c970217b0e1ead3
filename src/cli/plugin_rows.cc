#include "cli/plugin_rows.h"

#include <algorithm>
#include <utility>

#include "cli/finding_text.h"

namespace awf::cli {
namespace {

using plugin_registry::RegisteredPlugin;

std::string_view Word(plugin_registry::PluginStatus status) {
  switch (status) {
    case plugin_registry::PluginStatus::kOk:
      return "ok";
    case plugin_registry::PluginStatus::kDisabled:
      return "disabled";
    case plugin_registry::PluginStatus::kInvalid:
      return "invalid";
    case plugin_registry::PluginStatus::kNotFound:
      return "not found";
  }
  return "invalid";
}

PluginRow RowOf(const RegisteredPlugin& plugin) {
  PluginRow row;
  row.name = plugin.name;
  row.version = plugin.version;
  row.description = plugin.description;
  row.status = Word(plugin.status);
  row.reason = plugin.reason;
  row.capabilities = plugin.capabilities;
  row.place = plugin.place;
  row.executable = plugin.executable.string();
  row.author = plugin.author;
  row.license = plugin.license;
  row.homepage = plugin.homepage;
  for (const std::filesystem::path& hidden : plugin.shadowed) row.shadowed.push_back(hidden.string());
  return row;
}

json::array Texts(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(JsonText(text));
  return array;
}

}  // namespace

std::vector<PluginRow> RowsOf(PluginSession& session, const plugin_registry::PluginRegistry& registry) {
  std::vector<PluginRow> rows;
  for (const RegisteredPlugin& plugin : registry.plugins())
    if (!session.IsBuiltin(plugin.name)) rows.push_back(RowOf(plugin));
  for (const std::string& name : operations::BuiltinPlugins()) {
    if (!session.IsBuiltin(name)) continue;
    PluginRow row;
    row.name = name;
    row.version = AWF_VERSION;
    row.status = "ok";
    row.capabilities = {"operations"};
    row.place = kBuiltinPlace;
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rows, {}, &PluginRow::name);
  return rows;
}

json::object RowJson(const PluginRow& row) {
  json::object object{{"name", JsonText(row.name)},   {"version", JsonText(row.version)},
                      {"status", row.status},         {"capabilities", Texts(row.capabilities)},
                      {"place", JsonText(row.place)}, {"description", JsonText(row.description)}};
  if (!row.reason.empty()) object["reason"] = JsonText(row.reason);
  if (!row.executable.empty()) object["executable"] = JsonText(row.executable);
  if (!row.shadowed.empty()) object["shadowed"] = Texts(row.shadowed);
  return object;
}

}  // namespace awf::cli
