#include "infrastructure/telemetry/sha256.h"

#include <openssl/sha.h>

#include <array>

namespace awf::telemetry {

std::string Sha256Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  // The one-shot function of the low level: no provider of OpenSSL 3 is looked up, which would cost milliseconds once.
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string hex;
  hex.reserve(digest.size() * 2);
  for (const unsigned char byte : digest) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

}  // namespace awf::telemetry
