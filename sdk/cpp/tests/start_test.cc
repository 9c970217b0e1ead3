// How a plugin starts: cookie, handshake, socket, certificates.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <memory>
#include <string>
#include <vector>

#include "infrastructure/plugins/handshake.h"
#include "infrastructure/plugins/plugin_certificate.h"
#include "test_plugin_process.h"

namespace awf::sdk {
namespace {

// The only file there.
std::filesystem::path SocketIn(const std::filesystem::path& folder) {
  return std::filesystem::directory_iterator(folder)->path();
}

void ExpectRefusal(PluginProcess& plugin, const std::string& stderr_text) {
  const auto status = plugin.Wait();
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFEXITED(*status));
  EXPECT_EQ(WEXITSTATUS(*status), 1);
  EXPECT_EQ(plugin.out(), "");
  EXPECT_EQ(plugin.err(), stderr_text);
  EXPECT_FALSE(plugin.HasSocket());
}

TEST(SdkStart, WithoutTheCookieItTellsWhatItIsAndEnds) {
  for (const char* cookie : {"", "awf-plugin-v2"}) {
    PluginProcess plugin{{DemoPlugin()}, {{"AWF_PLUGIN", cookie}}};
    ExpectRefusal(plugin,
                  "This program is a plugin of awf and is started by awf, not by hand. See `awf plugin --help`.\n");
  }
}

TEST(SdkStart, TheHandshakeNamesASocketForItsOwnerOnly) {
  PluginProcess plugin{{DemoPlugin()}};
  const std::string line = plugin.Handshake();
  const std::filesystem::path socket = SocketIn(plugin.sockets());
  EXPECT_EQ(line, "1|1|unix|" + socket.string() + "|grpc|");
  struct stat info{};
  ASSERT_EQ(::stat(socket.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFSOCK | S_IRUSR | S_IWUSR));
}

TEST(SdkStart, TheSeventhFieldComesOnlyWhenMultiplexingIsAskedFor) {
  PluginProcess plugin{{DemoPlugin()}, {{"PLUGIN_MULTIPLEX_GRPC", "true"}}};
  const std::string line = plugin.Handshake();
  EXPECT_EQ(line, "1|1|unix|" + SocketIn(plugin.sockets()).string() + "|grpc||false");
}

TEST(SdkStart, TheFolderOfTheSocketFallsBackToTmpdir) {
  const TestFolder folder{"/tmp"};
  PluginProcess plugin{{DemoPlugin()}, {{"PLUGIN_UNIX_SOCKET_DIR", ""}, {"TMPDIR", folder.string()}}};
  const std::string line = plugin.Handshake();
  EXPECT_EQ(line, "1|1|unix|" + SocketIn(folder).string() + "|grpc|");
}

TEST(SdkStart, ATooLongPathIsToldAndNotCut) {
  const TestFolder folder{"/tmp"};
  const std::string deep = folder.string() + "/" + std::string(120, 'x');
  std::filesystem::create_directory(deep);
  PluginProcess plugin{{DemoPlugin()}, {{"PLUGIN_UNIX_SOCKET_DIR", deep}}};
  const auto status = plugin.Wait();
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(WEXITSTATUS(*status), 1);
  EXPECT_TRUE(plugin.err().starts_with("the socket's path " + deep + "/plugin")) << plugin.err();
  EXPECT_TRUE(plugin.err().ends_with(" is longer than 107 bytes\n")) << plugin.err();
}

TEST(SdkStart, ACertificateThatCannotBeReadIsToldInsteadOfServingPlaintext) {
  PluginProcess plugin{{DemoPlugin()}, {{"PLUGIN_CLIENT_CERT", "no PEM"}}};
  const auto status = plugin.Wait();
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(WEXITSTATUS(*status), 1);
  EXPECT_EQ(plugin.out(), "");
  EXPECT_TRUE(plugin.err().ends_with(" with the certificate in PLUGIN_CLIENT_CERT\n")) << plugin.err();
  EXPECT_FALSE(plugin.HasSocket());
}

TEST(SdkStart, TheCertificateIsWhatGoHostsExpect) {
  const plugins::Identity identity = plugins::MakeIdentity().value();
  PluginProcess plugin{{DemoPlugin()}, {{"PLUGIN_CLIENT_CERT", identity.certificate}}};
  const auto handshake = plugins::ParseHandshake(plugin.Handshake(), "demo");
  ASSERT_TRUE(handshake.has_value());
  EXPECT_EQ(handshake->certificate.find('='), std::string::npos);
  const std::string pem = plugins::PemOfHandshake(handshake->certificate).value();
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                         BIO_free};
  const std::unique_ptr<X509, decltype(&X509_free)> leaf{PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr),
                                                         X509_free};
  ASSERT_NE(leaf, nullptr);
  char group[64] = "";
  EXPECT_EQ(EVP_PKEY_get_group_name(X509_get0_pubkey(leaf.get()), group, sizeof group, nullptr), 1);
  EXPECT_STREQ(group, "prime256v1");
  EXPECT_EQ(X509_check_host(leaf.get(), "localhost", 0, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr), 1);
  EXPECT_EQ(X509_check_ca(leaf.get()), 1);
  EXPECT_EQ(X509_get_key_usage(leaf.get()),
            static_cast<std::uint32_t>(X509v3_KU_DIGITAL_SIGNATURE | X509v3_KU_KEY_ENCIPHERMENT |
                                       X509v3_KU_KEY_AGREEMENT | X509v3_KU_KEY_CERT_SIGN));
  EXPECT_EQ(X509_get_extended_key_usage(leaf.get()), static_cast<std::uint32_t>(XKU_SSL_SERVER | XKU_SSL_CLIENT));
  EXPECT_LT(X509_cmp_current_time(X509_get0_notBefore(leaf.get())), 0);
}

TEST(SdkStart, EveryProcessHasItsOwnCertificate) {
  const plugins::Identity identity = plugins::MakeIdentity().value();
  PluginProcess one{{DemoPlugin()}, {{"PLUGIN_CLIENT_CERT", identity.certificate}}};
  PluginProcess other{{DemoPlugin()}, {{"PLUGIN_CLIENT_CERT", identity.certificate}}};
  EXPECT_NE(plugins::ParseHandshake(one.Handshake(), "demo")->certificate,
            plugins::ParseHandshake(other.Handshake(), "demo")->certificate);
}

bool Answers(const plugins::PluginEndpoint& endpoint) {
  const auto transport = plugins::ConnectGrpc(endpoint);
  return transport
      ->Unary({.method = "/plugin.v1.PluginService/GetInfo",
               .message = "",
               .deadline = SteadyClock::now() + std::chrono::seconds{1}})
      .status.ok();
}

TEST(SdkStart, OnlyTheCertificateOfTheHostIsLetIn) {
  const plugins::Identity host = plugins::MakeIdentity().value();
  PluginProcess plugin{{DemoPlugin()}, {{"PLUGIN_CLIENT_CERT", host.certificate}}};
  const plugins::PluginEndpoint right = EndpointOf(plugin.Handshake(), host);
  plugins::PluginEndpoint stranger = right;
  stranger.identity = plugins::MakeIdentity().value();
  plugins::PluginEndpoint plaintext = right;
  plaintext.tls = false;
  EXPECT_FALSE(Answers(stranger));
  EXPECT_FALSE(Answers(plaintext));
  EXPECT_TRUE(Eventually([&] { return Answers(right); }));
}

}  // namespace
}  // namespace awf::sdk
