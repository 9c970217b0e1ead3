#include "domain/random_id.h"

#include <sys/random.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace awf {
namespace {

void FillRandom(void* bytes, std::size_t size) {
  for (std::size_t filled = 0; filled < size;) {
    const ssize_t got = ::getrandom(static_cast<char*>(bytes) + filled, size - filled, 0);
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
}

}  // namespace

std::string RandomHex(std::size_t bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::vector<unsigned char> raw(bytes);
  do {
    FillRandom(raw.data(), bytes);
  } while (bytes > 0 && std::ranges::all_of(raw, [](unsigned char byte) { return byte == 0; }));
  std::string text;
  text.reserve(bytes * 2);
  for (const unsigned char byte : raw) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

std::uint64_t RandomUpTo(std::uint64_t limit) {
  std::uint64_t number = 0;
  FillRandom(&number, sizeof number);
  return limit == std::numeric_limits<std::uint64_t>::max() ? number : number % (limit + 1);
}

std::string NewUuid() {
  std::string hex = RandomHex(16);
  hex[12] = '4';  // version and variant of a random UUID
  hex[16] = "89ab"[hex[16] % 4];
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
         hex.substr(20);
}

}  // namespace awf
