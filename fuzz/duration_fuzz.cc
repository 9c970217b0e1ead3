// Any text as a duration: what is accepted lies within the limits and survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "application/language/duration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = awf::ParseDuration(text);
  if (!parsed) return 0;
  if (parsed->count() < 0 || *parsed > awf::kMaxDuration) std::abort();
  const auto again = awf::ParseDuration(awf::FormatDuration(*parsed));
  if (!again || *again != *parsed) std::abort();
  return 0;
}
