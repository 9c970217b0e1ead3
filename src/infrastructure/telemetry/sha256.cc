// The functions of OpenSSL's lower level on purpose: SHA256() of version 3 goes through its providers, which would link
// half the library and cost milliseconds at the first use.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "infrastructure/telemetry/sha256.h"

#include <openssl/sha.h>

#include <array>

namespace awf::telemetry {

std::string Sha256Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  std::string hex;
  hex.reserve(digest.size() * 2);
  for (const unsigned char byte : digest) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

}  // namespace awf::telemetry
