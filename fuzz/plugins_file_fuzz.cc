// Any bytes as .awf/plugins.yaml: plugins, or an error that says where.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "infrastructure/plugin_registry/manifest.h"
#include "infrastructure/plugin_registry/plugins_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace registry = awf::plugin_registry;
  const auto plugins = registry::ParsePluginsFile({reinterpret_cast<const char*>(data), size}, "plugins.yaml");
  if (!plugins) {
    const awf::Error& error = plugins.error();
    if (error.code != "USER.CONFIG.INVALID" || !error.position.known() || error.message.empty()) std::abort();
    return 0;
  }
  for (const auto& [name, entry] : *plugins) {
    if (!registry::IsPluginName(name) || !entry.position.known()) std::abort();
    if (!entry.sha256.empty() && registry::ParseSha256(entry.sha256) != entry.sha256) std::abort();
    if (entry.start_timeout && entry.start_timeout->count() <= 0) std::abort();
    for (const auto& [variable, value] : entry.env) {
      if (variable.empty() || variable.find('=') != std::string::npos) std::abort();
      if ((variable + value).find('\0') != std::string::npos) std::abort();
    }
  }
  return 0;
}
