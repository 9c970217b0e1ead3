#include "infrastructure/plugins/plugin_certificate.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace awf::plugins {
namespace {

template <typename Value, void (*Free)(Value*)>
struct Freed {
  void operator()(Value* value) const { Free(value); }
};
template <typename Value, void (*Free)(Value*)>
using Owned = std::unique_ptr<Value, Freed<Value, Free>>;
using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using Certificate = Owned<X509, X509_free>;
using Extension = Owned<X509_EXTENSION, X509_EXTENSION_free>;
using Memory = Owned<BIO, BIO_free_all>;
using Number = Owned<BIGNUM, BN_free>;

constexpr long kX509v3 = 2;  // versions count from 0
constexpr int kSerialBits = 127;
constexpr long kClockSkew = 30;  // seconds that the plugin's clock may be behind; it is the same machine's
constexpr int kDays = 10 * 365;

// Of the last call that failed, in words; the queue of errors is empty afterwards.
std::string OpenSslError() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "OpenSSL failed" : reason;
}

bool SetSerial(X509* certificate) {
  const Number serial(BN_new());
  return serial && BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool SetNames(X509* certificate) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>("localhost");
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1;
}

bool SetValidity(X509* certificate) {
  return X509_gmtime_adj(X509_getm_notBefore(certificate), -kClockSkew) != nullptr &&
         X509_time_adj_ex(X509_getm_notAfter(certificate), kDays, 0, nullptr) != nullptr;
}

bool AddExtensions(X509* certificate) {
  static constexpr std::pair<int, const char*> kExtensions[] = {
      {NID_basic_constraints, "critical,CA:TRUE"},
      {NID_key_usage, "critical,digitalSignature,keyEncipherment,keyAgreement,keyCertSign"},
      {NID_ext_key_usage, "clientAuth,serverAuth"},
      {NID_subject_alt_name, "DNS:localhost"},
  };
  for (const auto& [kind, value] : kExtensions) {
    const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value));
    if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1) return false;
  }
  return true;
}

// What `write` puts into a buffer; nothing when it fails.
template <typename Write>
std::optional<std::string> Written(const Write& write) {
  const Memory memory(BIO_new(BIO_s_mem()));
  if (!memory || write(memory.get()) != 1) return std::nullopt;
  const char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return std::string(bytes, static_cast<std::size_t>(size));
}

std::optional<std::string> CertificatePem(const X509* certificate) {
  return Written([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

std::optional<std::uint32_t> Digit(char c) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = kDigits.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

// Nothing when the text is no base64, with or without its padding.
std::optional<std::string> FromBase64(std::string_view text) {
  if (text.size() % 4 == 0) {
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int held = 0;  // of the low bits, how many are no byte yet
  for (const char c : text) {
    const std::optional<std::uint32_t> digit = Digit(c);
    if (!digit) return std::nullopt;
    bits = (bits << 6 | *digit) & 0xFFFFU;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>(bits >> held & 0xFFU));
  }
  return bytes;
}

}  // namespace

std::expected<Identity, std::string> MakeIdentity() {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (!key || !certificate) return std::unexpected(OpenSslError());
  X509* made = certificate.get();
  const bool complete = X509_set_version(made, kX509v3) == 1 && SetSerial(made) && SetNames(made) &&
                        SetValidity(made) && X509_set_pubkey(made, key.get()) == 1 && AddExtensions(made) &&
                        X509_sign(made, key.get(), EVP_sha256()) > 0;
  if (!complete) return std::unexpected(OpenSslError());
  std::optional<std::string> certificate_pem = CertificatePem(made);
  std::optional<std::string> key_pem = Written(
      [&](BIO* out) { return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  if (!certificate_pem || !key_pem) return std::unexpected(OpenSslError());
  return Identity{*std::move(certificate_pem), *std::move(key_pem)};
}

std::expected<std::string, std::string> PemOfHandshake(std::string_view base64) {
  const std::optional<std::string> der = FromBase64(base64);
  if (!der) return std::unexpected("it is not base64");
  const auto* at = reinterpret_cast<const unsigned char*>(der->data());
  const auto* end = at + der->size();
  const Certificate certificate(d2i_X509(nullptr, &at, static_cast<long>(der->size())));
  if (!certificate) return std::unexpected("it is not a certificate: " + OpenSslError());
  if (at != end) return std::unexpected("more follows behind it");
  std::optional<std::string> pem = CertificatePem(certificate.get());
  if (!pem) return std::unexpected(OpenSslError());
  return *std::move(pem);
}

}  // namespace awf::plugins
