#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/http/curl_library.h"
#include "infrastructure/http/http_client.h"
#include "tests/fakes/fake_collector.h"
#include "tests/fakes/test_certificates.h"

namespace awf::http {
namespace {

using fakes::CollectorReply;
using fakes::FakeCollector;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = HttpFailure::Kind;
using Protocol = FakeCollector::Protocol;

HttpRequest RequestTo(const FakeCollector& server, HttpVersion version) {
  HttpRequest request;
  request.url = server.Url() + "/x";
  request.body = "body";
  request.version = version;
  request.deadline = SteadyClock::now() + seconds(60);
  return request;
}

HttpVersion VersionOf(Protocol protocol) {
  return protocol == Protocol::kGrpc ? HttpVersion::kHttp2 : HttpVersion::kHttp1;
}

class HttpConnectionTest : public testing::TestWithParam<Protocol> {};

INSTANTIATE_TEST_SUITE_P(Versions, HttpConnectionTest, testing::Values(Protocol::kHttp, Protocol::kGrpc),
                         [](const auto& version) { return version.param == Protocol::kGrpc ? "Http2" : "Http1"; });

TEST_P(HttpConnectionTest, StaysOpenBetweenRequests) {
  FakeCollector server(GetParam());
  HttpConnection connection;
  for (int i = 0; i < 3; ++i) {
    const auto response = connection.Post(RequestTo(server, VersionOf(GetParam())));
    ASSERT_TRUE(response) << response.error().message;
  }
  const auto library = CurlLibrary::Get();
  ASSERT_TRUE(library);
  const bool reuses = GetParam() == Protocol::kHttp || (*library)->reuses_plain_http2;
  EXPECT_EQ(server.connections(), reuses ? 1 : 3);
  const int before = server.connections();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(HttpClient().Post(RequestTo(server, VersionOf(GetParam()))));
  EXPECT_EQ(server.connections(), before + 2);
}

TEST_P(HttpConnectionTest, WorksAgainAfterEveryKindOfFailure) {
  FakeCollector server(GetParam());
  HttpConnection connection;
  const auto kind = [&](milliseconds patience = seconds(60)) {
    HttpRequest request = RequestTo(server, VersionOf(GetParam()));
    request.deadline = SteadyClock::now() + patience;
    const auto response = connection.Post(request);
    return response ? std::nullopt : std::optional(response.error().kind);
  };
  const CollectorReply ok = CollectorReply::HttpOk();
  EXPECT_EQ(kind(), std::nullopt);
  server.Answer(CollectorReply::HangUp());
  EXPECT_EQ(kind(), Kind::kBroken);
  server.Answer(ok);
  EXPECT_EQ(kind(), std::nullopt);
  server.Answer(CollectorReply::Silence());
  EXPECT_EQ(kind(milliseconds(50)), Kind::kDeadline);
  server.Answer(ok);
  EXPECT_EQ(kind(), std::nullopt);
  server.AnswerNext(CollectorReply::HttpStatus(503, "busy"));
  const auto busy = connection.Post(RequestTo(server, VersionOf(GetParam())));
  ASSERT_TRUE(busy) << busy.error().message;
  EXPECT_EQ(busy->status, 503);
  EXPECT_EQ(busy->body, "busy");
  EXPECT_EQ(kind(), std::nullopt);
}

TEST_P(HttpConnectionTest, TrailersAndHeadersCome) {
  FakeCollector server(GetParam());
  CollectorReply reply = CollectorReply::HttpStatus(200, "text", {{"x-head", "1"}});
  reply.trailers = fakes::HeaderFields{{"x-tail", "2"}, {"x-tail", "3"}};
  server.Answer(reply);
  const auto response = HttpClient().Post(RequestTo(server, VersionOf(GetParam())));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "text");
  EXPECT_EQ(response->headers.at(0), (HttpHeader{"x-head", "1"}));
  EXPECT_EQ(response->trailers, (std::vector<HttpHeader>{{"x-tail", "2"}, {"x-tail", "3"}}));
}

TEST_P(HttpConnectionTest, BigBodiesGoBothWays) {
  FakeCollector server(GetParam());
  const std::string body(3'000'000, 'x');
  server.Answer(CollectorReply::HttpStatus(200, body));
  HttpRequest request = RequestTo(server, VersionOf(GetParam()));
  request.body = body;
  for (int i = 0; i < 20; ++i) {  // what hangs with a buffer that is too small does so in one of ten
    const auto response = HttpClient().Post(request);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body.size(), body.size());
    request.body = "small";
  }
}

// The rule is 100 ms; without the wake-up it would be the poll's second, every time. A busy machine may need longer,
// but not every time.
TEST_P(HttpConnectionTest, CancelEndsAWaitingRequestAtOnce) {
  auto shortest = SteadyClock::duration::max();
  for (int i = 0; i < 10 && shortest >= milliseconds(900); ++i) {
    FakeCollector server(GetParam());
    server.AnswerNext(CollectorReply::Silence());
    std::stop_source stop;
    HttpRequest request = RequestTo(server, VersionOf(GetParam()));
    request.cancelled = stop.get_token();
    SteadyClock::time_point requested;
    std::thread canceller([&] {
      server.WaitForRequests(1);
      requested = SteadyClock::now();
      stop.request_stop();
    });
    HttpConnection connection;
    const auto response = connection.Post(request);
    const auto ended = SteadyClock::now();
    canceller.join();
    shortest = std::min(shortest, ended - requested);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, Kind::kCancelled);
    EXPECT_TRUE(connection.Post(RequestTo(server, VersionOf(GetParam()))));
  }
  EXPECT_LT(shortest, milliseconds(900));
}

TEST_P(HttpConnectionTest, GarbageIsBroken) {
  FakeCollector server(GetParam());
  server.Answer(CollectorReply::Garbage());
  const auto response = HttpClient().Post(RequestTo(server, VersionOf(GetParam())));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message.substr(0, 11), "127.0.0.1: ");
}

class HttpTlsTest : public HttpConnectionTest {
 protected:
  HttpTlsTest() : certificates_(folder_) {}

  fakes::CollectorTls ServerTls(const std::string& client_ca = {}) const {
    return {certificates_.server, certificates_.server_key, client_ca};
  }

  TestFolder folder_;
  fakes::TestCertificates certificates_;
};

INSTANTIATE_TEST_SUITE_P(Versions, HttpTlsTest, testing::Values(Protocol::kHttp, Protocol::kGrpc),
                         [](const auto& version) { return version.param == Protocol::kGrpc ? "Http2" : "Http1"; });

TEST_P(HttpTlsTest, OnlyTheGivenAuthorityIsTrusted) {
  FakeCollector server(GetParam(), 0, ServerTls());
  HttpRequest request = RequestTo(server, VersionOf(GetParam()));
  request.ca_file = certificates_.ca;
  const auto trusted = HttpClient().Post(request);
  ASSERT_TRUE(trusted) << trusted.error().message;
  EXPECT_EQ(trusted->status, 200);
  for (const std::string& authority : {certificates_.other_ca, std::string()}) {
    request.ca_file = authority;
    const auto refused = HttpClient().Post(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Kind::kOther);
    EXPECT_EQ(refused.error().message, "127.0.0.1: SSL certificate problem: unable to get local issuer certificate");
  }
  request.ca_file = (folder_ / "absent.pem").string();
  const auto absent = HttpClient().Post(request);
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().message.find(request.ca_file), std::string::npos) << absent.error().message;
  EXPECT_EQ(server.Requests().size(), 1U);
}

TEST_P(HttpTlsTest, ConnectionStaysOpenBetweenRequests) {
  FakeCollector server(GetParam(), 0, ServerTls());
  HttpRequest request = RequestTo(server, VersionOf(GetParam()));
  request.ca_file = certificates_.ca;
  server.Answer(CollectorReply::HttpStatus(200, std::string(300'000, 'x')));
  HttpConnection connection;
  for (int i = 0; i < 10; ++i) {
    const auto response = connection.Post(request);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body.size(), 300'000U);
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST_P(HttpTlsTest, ServerMaySeeAClientCertificate) {
  FakeCollector server(GetParam(), 0, ServerTls(certificates_.ca));
  HttpRequest request = RequestTo(server, VersionOf(GetParam()));
  request.ca_file = certificates_.ca;
  const auto without = HttpClient().Post(request);
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().message.find("certificate required"), std::string::npos) << without.error().message;
  EXPECT_TRUE(server.Requests().empty());
  request.client_certificate = certificates_.client;
  request.client_key = certificates_.client_key;
  const auto with = HttpClient().Post(request);
  ASSERT_TRUE(with) << with.error().message;
  // The key may stand in the file of the certificate.
  request.client_certificate =
      folder_.Put("both.pem", FileText(certificates_.client) + FileText(certificates_.client_key)).string();
  request.client_key.clear();
  EXPECT_TRUE(HttpClient().Post(request));
}

}  // namespace
}  // namespace awf::http
