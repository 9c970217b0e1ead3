// The configuration file of mcp-serve: what is read must survive being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "infrastructure/mcp/serve_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto config = awf::DecodeServeConfig({reinterpret_cast<const char*>(data), size}, "serve.json");
  if (!config) return 0;
  const std::string text = awf::EncodeServeConfig(*config);
  const auto again = awf::DecodeServeConfig(text, "serve.json");
  if (!again || awf::EncodeServeConfig(*again) != text) std::abort();
  return 0;
}
