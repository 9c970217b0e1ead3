#include "tests/fakes/test_certificates.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace awf::fakes {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

void Must(bool done) {
  if (!done) std::abort();
}

struct Signed {
  Key key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  Certificate certificate{X509_new(), X509_free};
};

void AddExtension(X509* certificate, int kind, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  Must(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

// Signed by `by`, or by itself as an authority.
Signed Make(const std::string& name, const Signed* by, const std::string& addresses = {}) {
  static long serial = 0;
  constexpr long kDay = 24L * 60 * 60;
  constexpr long kX509v3 = 2;
  Signed made;
  X509* certificate = made.certificate.get();
  Must(made.key && certificate != nullptr && X509_set_version(certificate, kX509v3) == 1);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 10 * kDay);
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  Must(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1);
  const Signed& signer = by != nullptr ? *by : made;
  Must(X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate.get())) == 1 &&
       X509_set_pubkey(certificate, made.key.get()) == 1);
  if (by == nullptr) AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  if (!addresses.empty()) AddExtension(certificate, NID_subject_alt_name, addresses);
  Must(X509_sign(certificate, signer.key.get(), EVP_sha256()) > 0);
  return made;
}

template <typename Write>
std::string File(const std::filesystem::path& path, Write write) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  Must(file != nullptr && write(file) == 1 && std::fclose(file) == 0);
  return path.string();
}

std::string CertificateFile(const std::filesystem::path& path, const Signed& of) {
  return File(path, [&](std::FILE* file) { return PEM_write_X509(file, of.certificate.get()); });
}

std::string KeyFile(const std::filesystem::path& path, const Signed& of) {
  return File(path, [&](std::FILE* file) {
    return PEM_write_PrivateKey(file, of.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

}  // namespace

TestCertificates::TestCertificates(const std::filesystem::path& folder) {
  const Signed authority = Make("test authority", nullptr);
  const Signed of_server = Make("test server", &authority, "IP:127.0.0.1,DNS:localhost");
  const Signed of_client = Make("test client", &authority);
  ca = CertificateFile(folder / "ca.pem", authority);
  other_ca = CertificateFile(folder / "other_ca.pem", Make("other authority", nullptr));
  server = CertificateFile(folder / "server.pem", of_server);
  server_key = KeyFile(folder / "server.key", of_server);
  client = CertificateFile(folder / "client.pem", of_client);
  client_key = KeyFile(folder / "client.key", of_client);
}

}  // namespace awf::fakes
