// Any bytes as the manifest of a plugin: a plugin, or findings that say where.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "infrastructure/plugin_registry/manifest.h"
#include "infrastructure/plugin_registry/version_rule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace registry = awf::plugin_registry;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const registry::ReadManifest read = registry::ParseManifest(text, "plugin.yaml");
  for (const awf::Finding& finding : read.findings) {
    const awf::Error& error = finding.error;
    if (error.code != "EXECUTION.PLUGIN.CONFIG" || !error.position.known() || error.message.empty()) std::abort();
  }
  if (read.valid() != read.Reason("plugin.yaml").empty()) std::abort();
  if (!read.valid()) return 0;
  const registry::Manifest& manifest = read.manifest;
  if (!registry::IsPluginName(manifest.name) || !registry::ParseVersion(manifest.version)) std::abort();
  if (!registry::VersionRule::Parse(manifest.awf_version) || manifest.capabilities.empty()) std::abort();
  // Defaults satisfy the plugin's own rules: only what is required may be missing.
  bool required = false;
  for (const registry::ConfigField& field : manifest.config) required |= field.required && !field.default_value;
  if (registry::MergeConfig(manifest.name, manifest.config, {}, {}).has_value() == required) std::abort();
  return 0;
}
