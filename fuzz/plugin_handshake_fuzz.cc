// The first line of a plugin, and lines of its log: whatever comes, the target is one that gRPC can dial, refusals are
// printable, and what a plugin logs stays one message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "domain/utf8.h"
#include "infrastructure/plugins/handshake.h"
#include "infrastructure/plugins/plugin_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto parsed = awf::plugins::ParseHandshake(line, "demo");
  if (parsed) {
    const bool known = parsed->target.starts_with("unix:/") || parsed->target.starts_with("ipv4:");
    if (!known || parsed->target.find_first_of(" |\n%") != parsed->target.find('%')) std::abort();
    if (!parsed->certificate.empty() && parsed->certificate.size() <= 50) std::abort();
  } else if (!awf::IsValidUtf8(parsed.error()) || parsed.error().size() > 2000) {
    std::abort();
  }
  const awf::plugins::PluginLogLine logged = awf::plugins::ParsePluginLog(line);
  if (logged.message.size() > size) std::abort();
  return 0;
}
