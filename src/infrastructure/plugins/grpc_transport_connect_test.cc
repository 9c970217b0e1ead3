// What connecting fails for, and what is said of it then.
// Not in the build for ThreadSanitizer, which does not see the locks of gRPC: all that its threads touch is a race
// there.
#if !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>

#include "infrastructure/plugins/test_plugin_server.h"
#include "infrastructure/process/blocked_signals.h"

namespace awf::plugins {
namespace {

class GrpcTransportConnectTest : public testing::Test {
 protected:
  // The error of a call that cannot connect.
  static std::string ErrorOf(const PluginEndpoint& endpoint) {
    const auto transport = ConnectGrpc(endpoint);
    const UnaryReply reply = Call(*transport, "/t/Echo");
    EXPECT_EQ(reply.status.code, kRpcUnavailable) << reply.status.message;
    return transport->LastConnectError();
  }

  // Whether that is the error of a connection that the peer closed, with bytes of ours unread or without.
  static testing::AssertionResult IsClosed(const std::string& error) {
    const bool closed =
        error == "Socket closed" || error.ends_with("Connection reset by peer") || error.ends_with("Broken pipe");
    return (closed ? testing::AssertionSuccess() : testing::AssertionFailure()) << error;
  }

  // Of a server at `name` in the folder.
  PluginEndpoint At(const std::string& name) const {
    PluginEndpoint endpoint = plugin_.endpoint();
    endpoint.target = "unix:" + (plugin_.folder / name).string();
    return endpoint;
  }

  TestPluginServer plugin_;
};

TEST_F(GrpcTransportConnectTest, AnotherCertificateOfThePluginIsNotTrusted) {
  PluginEndpoint endpoint = plugin_.endpoint();
  endpoint.peer_certificate = MakeIdentity().value().certificate;
  EXPECT_EQ(ErrorOf(endpoint), "TLS handshake failed: certificate verify failed");
}

TEST_F(GrpcTransportConnectTest, APluginThatDoesNotTrustUsClosesTheConnection) {
  PluginEndpoint endpoint = plugin_.endpoint();
  endpoint.identity = MakeIdentity().value();
  EXPECT_TRUE(IsClosed(ErrorOf(endpoint)));
}

TEST_F(GrpcTransportConnectTest, APluginInTheClearIsRefusedWhereTlsIsWanted) {
  const fakes::FakePluginServer plain(plugin_.folder / "plain");
  EXPECT_EQ(ErrorOf(At("plain")), "TLS handshake failed: wrong version number");
}

TEST_F(GrpcTransportConnectTest, APluginWithTlsIsNoneInTheClear) {
  EXPECT_TRUE(IsClosed(ErrorOf({plugin_.server.target(), false})));
}

TEST_F(GrpcTransportConnectTest, APluginInTheClearAnswersWhereThatIsAllowed) {
  fakes::FakePluginServer plain(plugin_.folder / "plain");
  plain.HandleUnary("/t/Echo", [](std::string_view message) { return std::string(message); });
  const auto transport = ConnectGrpc({plain.target(), false});
  EXPECT_EQ(Call(*transport, "/t/Echo", "clear").message, "clear");
  EXPECT_EQ(transport->LastConnectError(), "");
}

TEST_F(GrpcTransportConnectTest, ASocketThatIsNotThere) {
  EXPECT_EQ(ErrorOf(At("missing")), "No such file or directory");
}

TEST_F(GrpcTransportConnectTest, ASocketOnWhichNobodyListens) {
  PluginEndpoint endpoint = plugin_.endpoint();
  plugin_.server.Die();
  EXPECT_EQ(ErrorOf(endpoint), "Connection refused");
}

TEST_F(GrpcTransportConnectTest, APluginThatComesLaterIsFound) {
  const std::string path = plugin_.folder / "later";
  const auto transport = ConnectGrpc({"unix:" + path, false});
  EXPECT_EQ(Call(*transport, "/t/Echo").status.code, kRpcUnavailable);
  fakes::FakePluginServer later(path);
  later.HandleUnary("/t/Echo", [](std::string_view message) { return std::string(message); });
  EXPECT_TRUE(Eventually([&] { return Call(*transport, "/t/Echo", "here").message == "here"; }));
  EXPECT_EQ(transport->LastConnectError(), "No such file or directory") << "of the attempt that failed";
}

TEST_F(GrpcTransportConnectTest, ErrorsBelongToTheirTransport) {
  PluginEndpoint wrong = plugin_.endpoint();
  wrong.peer_certificate = plugin_.of_awf.certificate;
  const auto good = plugin_.Connect(), bad = ConnectGrpc(wrong);
  EXPECT_EQ(Call(*bad, "/t/Echo").status.code, kRpcUnavailable);
  EXPECT_EQ(Call(*good, "/t/Echo").status.code, kRpcOk);
  EXPECT_EQ(bad->LastConnectError(), "TLS handshake failed: certificate verify failed");
  EXPECT_EQ(good->LastConnectError(), "");
}

TEST_F(GrpcTransportConnectTest, NothingIsWrittenToStderr) {
  PluginEndpoint wrong = plugin_.endpoint();
  wrong.peer_certificate = plugin_.of_awf.certificate;
  testing::internal::CaptureStderr();
  ErrorOf(wrong);
  wrong.peer_certificate = "no certificate";
  Call(*ConnectGrpc(wrong), "/t/Echo");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// A server that makes TLS handshakes of a kind that gRPC's own cannot be told to make, and no more.
class HandshakePeer {
 public:
  HandshakePeer(const std::string& path, const Identity& identity, int max_version, bool alpn)
      : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
    SSL_CTX* context = context_.get();
    SSL_CTX_set_security_level(context, 0);  // so that old versions are possible at all
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, max_version);
    if (alpn) SSL_CTX_set_alpn_select_cb(context, &ChooseHttp2, nullptr);
    Use(identity);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    EXPECT_LT(path.size(), sizeof address.sun_path);
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    const process::AllSignalsBlocked blocked;  // SIGPIPE, too: gRPC closes in the middle
    thread_ = std::thread([this] { Serve(); });
  }
  ~HandshakePeer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  HandshakePeer(const HandshakePeer&) = delete;
  HandshakePeer& operator=(const HandshakePeer&) = delete;

 private:
  static int ChooseHttp2(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char*, unsigned,
                         void*) {
    *chosen = reinterpret_cast<const unsigned char*>("h2");
    *size = 2;
    return SSL_TLSEXT_ERR_OK;
  }
  void Use(const Identity& identity) {
    using Memory = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
    const Memory certificate(BIO_new_mem_buf(identity.certificate.data(), -1), BIO_free_all);
    const Memory key(BIO_new_mem_buf(identity.private_key.data(), -1), BIO_free_all);
    X509* x509 = PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr);
    EVP_PKEY* pkey = PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr);
    EXPECT_EQ(SSL_CTX_use_certificate(context_.get(), x509), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey(context_.get(), pkey), 1);
    X509_free(x509);
    EVP_PKEY_free(pkey);
  }
  void Serve() {
    for (;;) {
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      SSL* tls = SSL_new(context_.get());
      SSL_set_fd(tls, connection);
      char byte = 0;
      if (SSL_accept(tls) == 1) SSL_read(tls, &byte, 1);
      SSL_free(tls);
      ::close(connection);
    }
  }

  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  int listener_ = -1;
  std::thread thread_;
};

TEST_F(GrpcTransportConnectTest, TlsBefore12IsRefused) {
  const HandshakePeer old(plugin_.folder / "1.1", plugin_.of_plugin, TLS1_1_VERSION, true);
  const std::string error = ErrorOf(At("1.1"));
  EXPECT_TRUE(error.starts_with("TLS handshake failed: ")) << error;
  const HandshakePeer allowed(plugin_.folder / "1.2", plugin_.of_plugin, TLS1_2_VERSION, true);
  EXPECT_TRUE(IsClosed(ErrorOf(At("1.2")))) << "after the handshake";
}

TEST_F(GrpcTransportConnectTest, AServerWithoutAlpnIsRefused) {
  const HandshakePeer peer(plugin_.folder / "alpn", plugin_.of_plugin, TLS1_3_VERSION, false);
  EXPECT_EQ(ErrorOf(At("alpn")), "Cannot check peer: missing selected ALPN property.");
}

}  // namespace
}  // namespace awf::plugins

#endif
