// Any bytes as .awf/plugins.lock: an error that says where, or a lock that survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "infrastructure/plugin_registry/plugin_lock.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace registry = awf::plugin_registry;
  const auto lock = registry::ParsePluginLock(std::string(reinterpret_cast<const char*>(data), size), "plugins.lock");
  if (!lock) {
    const awf::Error& error = lock.error();
    if (error.code != "USER.CONFIG.INVALID" || !error.position.known() || error.message.empty()) std::abort();
    return 0;
  }
  const std::string text = registry::PluginLockText(*lock);
  const auto again = registry::ParsePluginLock(text, "plugins.lock");
  if (!again) std::abort();
  if (!registry::Differences(*lock, *again).empty() || registry::PluginLockText(*again) != text) std::abort();
  return 0;
}
