#include "infrastructure/plugins/plugin_certificate.h"

#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <string>

#include "domain/base64.h"

namespace awf::plugins {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

Memory Reading(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free_all};
}
Certificate CertificateOf(const std::string& pem) {
  return {PEM_read_bio_X509(Reading(pem).get(), nullptr, nullptr, nullptr), X509_free};
}
Key KeyOf(const std::string& pem) {
  return {PEM_read_bio_PrivateKey(Reading(pem).get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
}

std::string Text(const X509_NAME* name) {
  const Memory out(BIO_new(BIO_s_mem()), BIO_free_all);
  X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_RFC2253);
  const char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

// As `openssl x509 -ext` prints it, without white space; "critical " before those that are.
std::string ExtensionText(const X509* certificate, int kind) {
  const int at = X509_get_ext_by_NID(certificate, kind, -1);
  if (at < 0) return "absent";
  X509_EXTENSION* extension = X509_get_ext(certificate, at);
  const Memory out(BIO_new(BIO_s_mem()), BIO_free_all);
  X509V3_EXT_print(out.get(), extension, 0, 0);
  const char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return (X509_EXTENSION_get_critical(extension) == 1 ? "critical " : "") +
         std::string(bytes, static_cast<std::size_t>(size));
}

std::time_t TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  EXPECT_EQ(ASN1_TIME_to_tm(time, &parts), 1);
  return ::timegm(&parts);
}

std::string DerOf(const X509* certificate) {
  std::string bytes(static_cast<std::size_t>(i2d_X509(certificate, nullptr)), '\0');
  auto* out = reinterpret_cast<unsigned char*>(bytes.data());
  i2d_X509(certificate, &out);
  return bytes;
}

TEST(MakeIdentityTest, KeyIsOnP256AndBelongsToTheCertificate) {
  const auto identity = MakeIdentity();
  ASSERT_TRUE(identity) << identity.error();
  const Certificate certificate = CertificateOf(identity->certificate);
  const Key key = KeyOf(identity->private_key);
  ASSERT_TRUE(certificate && key);
  char curve[32] = {};
  ASSERT_EQ(EVP_PKEY_get_group_name(key.get(), curve, sizeof curve, nullptr), 1);
  EXPECT_STREQ(curve, "prime256v1");
  EXPECT_EQ(X509_check_private_key(certificate.get(), key.get()), 1);
  EXPECT_EQ(X509_verify(certificate.get(), key.get()), 1) << "it signed itself";
  EXPECT_EQ(X509_get_signature_nid(certificate.get()), NID_ecdsa_with_SHA256);
}

TEST(MakeIdentityTest, EveryFieldIsWhatPluginsCheck) {
  const std::time_t before = std::time(nullptr);
  const auto identity = MakeIdentity();
  const std::time_t after = std::time(nullptr);
  ASSERT_TRUE(identity) << identity.error();
  const Certificate holder = CertificateOf(identity->certificate);
  X509* certificate = holder.get();
  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(X509_get_version(certificate), 2);
  EXPECT_EQ(Text(X509_get_subject_name(certificate)), "CN=localhost");
  EXPECT_EQ(Text(X509_get_issuer_name(certificate)), "CN=localhost");
  EXPECT_EQ(ExtensionText(certificate, NID_basic_constraints), "critical CA:TRUE");
  EXPECT_EQ(ExtensionText(certificate, NID_key_usage),
            "critical Digital Signature, Key Encipherment, Key Agreement, Certificate Sign");
  EXPECT_EQ(ExtensionText(certificate, NID_ext_key_usage),
            "TLS Web Client Authentication, TLS Web Server Authentication");
  EXPECT_EQ(ExtensionText(certificate, NID_subject_alt_name), "DNS:localhost");
  EXPECT_EQ(X509_get_ext_count(certificate), 4);
  EXPECT_EQ(X509_check_host(certificate, "localhost", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ca(certificate), 1);
  const std::time_t from = TimeOf(X509_get0_notBefore(certificate));
  EXPECT_GE(from, before - 30);
  EXPECT_LE(from, after - 30);
  const std::time_t until = TimeOf(X509_get0_notAfter(certificate));
  EXPECT_GE(until, before + 3650L * 24 * 3600);
  EXPECT_LE(until, after + 3650L * 24 * 3600);
  EXPECT_EQ(ASN1_INTEGER_get(X509_get0_serialNumber(certificate)), -1) << "its 127 bits are more than a long holds";
  EXPECT_EQ(X509_get0_serialNumber(certificate)->type, V_ASN1_INTEGER) << "Go refuses a negative one";
}

TEST(MakeIdentityTest, EachIsNew) {
  const auto one = MakeIdentity();
  const auto other = MakeIdentity();
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->private_key, other->private_key);
  const Certificate first = CertificateOf(one->certificate);
  const Certificate second = CertificateOf(other->certificate);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(first.get()), X509_get0_serialNumber(second.get())), 0);
}

class PemOfHandshakeTest : public testing::Test {
 protected:
  const std::string pem_ = MakeIdentity().value().certificate;
  const std::string der_ = DerOf(CertificateOf(pem_).get());
};

TEST_F(PemOfHandshakeTest, ReadsBase64WithAndWithoutPadding) {
  std::string padded = Base64(der_);
  EXPECT_EQ(PemOfHandshake(padded), pem_);
  while (padded.ends_with('=')) padded.pop_back();
  EXPECT_EQ(PemOfHandshake(padded), pem_);
}

TEST_F(PemOfHandshakeTest, EveryLengthOfTheLastGroupIsRead) {
  bool seen[3] = {};
  for (int i = 0; i < 200 && !(seen[0] && seen[1] && seen[2]); ++i) {  // signatures differ in length
    const std::string pem = MakeIdentity().value().certificate;
    const std::string der = DerOf(CertificateOf(pem).get());
    seen[der.size() % 3] = true;
    std::string text = Base64(der);
    while (text.ends_with('=')) text.pop_back();
    ASSERT_EQ(PemOfHandshake(text), pem) << der.size();
  }
  EXPECT_TRUE(seen[0] && seen[1] && seen[2]);
}

TEST_F(PemOfHandshakeTest, WhatIsNoBase64IsRefused) {
  const std::unexpected refused(std::string("it is not base64"));
  const std::string text = Base64(der_);
  EXPECT_EQ(PemOfHandshake("MII*"), refused);
  EXPECT_EQ(PemOfHandshake("MIIB MIIB"), refused);
  EXPECT_EQ(PemOfHandshake("MIIBA"), refused);
  EXPECT_EQ(PemOfHandshake("MI=B"), refused);
  EXPECT_EQ(PemOfHandshake("M==="), refused);
  EXPECT_EQ(PemOfHandshake("="), refused);
  EXPECT_EQ(PemOfHandshake(text.substr(0, 40) + "\n" + text.substr(40)), refused);
}

TEST_F(PemOfHandshakeTest, WhatIsNoCertificateIsRefused) {
  for (const std::string& bytes : {std::string(), std::string("hello"), der_.substr(0, der_.size() - 1),
                                   std::string(64, '\x30'), std::string("\x30\x84\xff\xff\xff\xff", 6)}) {
    const auto pem = PemOfHandshake(Base64(bytes));
    ASSERT_FALSE(pem);
    EXPECT_TRUE(pem.error().starts_with("it is not a certificate: ")) << pem.error();
  }
  EXPECT_EQ(PemOfHandshake(Base64(der_ + "x")), std::unexpected(std::string("more follows behind it")));
}

}  // namespace
}  // namespace awf::plugins
