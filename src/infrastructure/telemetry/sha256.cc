// The functions of OpenSSL's lower level on purpose: SHA256() of version 3 goes through its providers, which would link
// half the library and cost milliseconds at the first use.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "infrastructure/telemetry/sha256.h"

#include <openssl/sha.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace awf::telemetry {
namespace {

std::string Finished(SHA256_CTX& context) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &context);
  std::string hex;
  hex.reserve(digest.size() * 2);
  for (const unsigned char byte : digest) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

}  // namespace

std::string Sha256Hex(std::string_view bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  return Finished(context);
}

std::expected<std::string, int> Sha256OfDescriptor(int fd) {
  SHA256_CTX context;
  SHA256_Init(&context);
  std::array<char, 65536> block;
  for (off_t offset = 0;;) {
    const ssize_t got = ::pread(fd, block.data(), block.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(errno);
    if (got == 0) return Finished(context);
    SHA256_Update(&context, block.data(), static_cast<std::size_t>(got));
    offset += got;
  }
}

}  // namespace awf::telemetry
