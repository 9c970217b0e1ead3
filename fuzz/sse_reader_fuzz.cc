// Event streams, cut anywhere. The events must not depend on where the cuts are, and stay within the limit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/agents/sse_reader.h"

namespace {

constexpr std::size_t kLimit = 64;

struct Read {
  std::vector<std::string> events;
  bool foreign = false, too_large = false;
  bool operator==(const Read&) const = default;
};

Read ReadIn(std::string_view stream, std::size_t piece) {
  Read read;
  awf::agents::SseReader reader([&](std::string_view data) { read.events.emplace_back(data); }, kLimit);
  for (std::size_t at = 0; at < stream.size(); at += piece) reader.Append(stream.substr(at, piece));
  reader.Finish();
  read.foreign = reader.foreign();
  read.too_large = reader.too_large();
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Read whole = ReadIn(stream, stream.size() + 1);
  for (const std::string& event : whole.events) {
    if (event.size() > kLimit) std::abort();
  }
  if (ReadIn(stream, 1) != whole || ReadIn(stream, 1 + data[0]) != whole) std::abort();
  return 0;
}
