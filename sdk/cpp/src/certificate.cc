#include "certificate.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace awf::sdk {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using X509Handle = std::unique_ptr<X509, decltype(&X509_free)>;

std::string LastError() {
  char text[256] = "unknown error of OpenSSL";
  if (const unsigned long code = ERR_get_error(); code != 0) ERR_error_string_n(code, text, sizeof text);
  return text;
}

bool AddExtension(X509* certificate, int kind, const char* value) {
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension{
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value), X509_EXTENSION_free};
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetRandomSerial(X509* certificate) {
  std::uint64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return false;
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1) == 1;
}

// Self-signed and an authority at the same time, as each side takes the other's certificate as its only root.
bool Fill(X509* certificate, EVP_PKEY* key) {
  constexpr long kX509v3 = 2;
  constexpr long kClockDifference = 30;  // seconds
  constexpr long kTenYears = 10L * 365 * 24 * 60 * 60;
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* host = reinterpret_cast<const unsigned char*>("localhost");
  return X509_set_version(certificate, kX509v3) == 1 && SetRandomSerial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kClockDifference) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kTenYears) != nullptr &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, key) == 1 &&
         AddExtension(certificate, NID_subject_alt_name, "DNS:localhost") &&
         AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         AddExtension(certificate, NID_key_usage,
                      "critical,digitalSignature,keyEncipherment,keyAgreement,keyCertSign") &&
         AddExtension(certificate, NID_ext_key_usage, "clientAuth,serverAuth") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

template <typename Write>
std::string Pem(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory{BIO_new(BIO_s_mem()), BIO_free};
  if (!memory || write(memory.get()) != 1) return {};
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string Base64WithoutPadding(const X509* certificate) {
  const int size = i2d_X509(certificate, nullptr);
  if (size <= 0) return {};
  std::vector<unsigned char> der(static_cast<std::size_t>(size));
  unsigned char* end = der.data();
  i2d_X509(certificate, &end);
  std::string text((der.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), der.data(), size);
  text.resize(static_cast<std::size_t>(length));
  while (text.ends_with('=')) text.pop_back();
  return text;
}

}  // namespace

std::expected<Certificate, std::string> MakeCertificate() {
  const Key key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  const X509Handle certificate{X509_new(), X509_free};
  if (!key || !certificate || !Fill(certificate.get(), key.get())) return std::unexpected(LastError());
  Certificate made;
  made.pem = Pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); });
  made.key_pem =
      Pem([&](BIO* out) { return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  made.base64 = Base64WithoutPadding(certificate.get());
  if (made.pem.empty() || made.key_pem.empty() || made.base64.empty()) return std::unexpected(LastError());
  return made;
}

}  // namespace awf::sdk
