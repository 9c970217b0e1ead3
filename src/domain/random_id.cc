#include "domain/random_id.h"

#include <sys/random.h>

#include <vector>

namespace awf {

std::string RandomHex(std::size_t bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::vector<unsigned char> raw(bytes);
  bool zero = true;
  while (zero && bytes > 0) {
    std::size_t filled = 0;
    while (filled < bytes) {
      const ssize_t got = ::getrandom(raw.data() + filled, bytes - filled, 0);
      if (got > 0) filled += static_cast<std::size_t>(got);
    }
    for (const unsigned char byte : raw) zero = zero && byte == 0;
  }
  std::string text;
  text.reserve(bytes * 2);
  for (const unsigned char byte : raw) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace awf
