#include "utf8.h"

#include <cstddef>

namespace awf::sdk {
namespace {

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The length of the well-formed sequence at the start of `text`, which is not empty; 0: there is none.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(byte(i))) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool too_big = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_big ? 0 : length;
}

}  // namespace

std::string RepairedUtf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    std::size_t good = 0;
    while (good < text.size()) {
      const std::size_t length = SequenceLength(text.substr(good));
      if (length == 0) break;
      good += length;
    }
    repaired.append(text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty()) break;
    repaired += "\xEF\xBF\xBD";
    text.remove_prefix(1);
  }
  return repaired;
}

}  // namespace awf::sdk
