#include "infrastructure/otlp/http_transport.h"

#include <gtest/gtest.h>

#include <string>

#include "domain/test_folder.h"
#include "infrastructure/otlp/test_batch.h"
#include "tests/fakes/fake_collector.h"
#include "tests/fakes/test_certificates.h"

namespace awf::otlp {
namespace {

using fakes::CollectorReply;
using fakes::FakeCollector;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = SendOutcome::Kind;

class HttpTransportTest : public testing::Test {
 protected:
  ExportSettings Settings() const { return SettingsFor(Protocol::kHttpProtobuf, collector_.Url() + "/v1/traces"); }
  SendOutcome Send() { return SendOver(transport_); }

  FakeCollector collector_{FakeCollector::Protocol::kHttp};
  HttpTransport transport_{Settings()};
};

TEST_F(HttpTransportTest, BatchesArriveOverOneConnection) {
  ExportSettings settings = Settings();
  settings.headers = {{"x-api-key", "k"}, {"content-encoding", "br"}};
  HttpTransport transport(settings);
  for (int i = 0; i < 2; ++i) {
    const SendOutcome outcome = SendOver(transport);
    EXPECT_EQ(outcome.kind, Kind::kAccepted) << outcome.message;
    EXPECT_EQ(outcome.message, "");
  }
  EXPECT_EQ(collector_.connections(), 1);
  const auto requests = collector_.Requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].fault, "");
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].path, "/v1/traces");
  auto headers = requests[0].headers;
  EXPECT_EQ(headers["content-type"], "application/x-protobuf");
  EXPECT_EQ(headers["x-api-key"], "k");
  EXPECT_FALSE(headers.contains("content-encoding"));
  EXPECT_EQ(collector_.Spans().size(), 4U);
}

TEST_F(HttpTransportTest, CompressedBatchArrives) {
  ExportSettings settings = Settings();
  settings.gzip = true;
  HttpTransport transport(settings);
  EXPECT_EQ(SendOver(transport).kind, Kind::kAccepted);
  const auto requests = collector_.Requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].fault, "");
  EXPECT_TRUE(requests[0].compressed);
  EXPECT_EQ(collector_.Spans().at(0).name(), "a");
}

TEST_F(HttpTransportTest, StatusDecidesWhetherABatchIsSentAgain) {
  for (const int status : {429, 502, 503, 504}) {
    collector_.Answer(CollectorReply::HttpStatus(status, "busy\nnow", {{"retry-after", "3"}}));
    const SendOutcome outcome = Send();
    EXPECT_EQ(outcome.kind, Kind::kRetry) << status;
    EXPECT_EQ(outcome.message, "HTTP " + std::to_string(status) + ": busy now");
    EXPECT_EQ(outcome.retry_after, seconds(3));
  }
  for (const int status : {400, 401, 404, 500, 501}) {
    collector_.Answer(CollectorReply::HttpStatus(status, "", {{"retry-after", "3"}}));
    const SendOutcome outcome = Send();
    EXPECT_EQ(outcome.kind, Kind::kRefused) << status;
    EXPECT_EQ(outcome.message, "HTTP " + std::to_string(status));
    EXPECT_FALSE(outcome.retry_after);
  }
}

TEST_F(HttpTransportTest, RedirectIsNotFollowed) {
  FakeCollector other(FakeCollector::Protocol::kHttp);
  collector_.Answer(CollectorReply::HttpStatus(307, "", {{"location", other.Url() + "/v1/traces"}}));
  const SendOutcome outcome = Send();
  EXPECT_EQ(outcome.kind, Kind::kRefused);
  EXPECT_EQ(outcome.message, "HTTP 307, a redirect, which is not followed");
  EXPECT_EQ(other.connections(), 0);
}

TEST_F(HttpTransportTest, PartialSuccessTellsWhatWasRejected) {
  collector_.Answer(CollectorReply::HttpPartial(2, "quota"));
  const SendOutcome outcome = Send();
  EXPECT_EQ(outcome.kind, Kind::kAccepted);
  EXPECT_EQ(outcome.rejected, 2);
  EXPECT_EQ(outcome.message, "quota");
}

TEST_F(HttpTransportTest, NobodySilenceAndGarbage) {
  collector_.Answer(CollectorReply::Silence());
  EXPECT_EQ(SendOver(transport_, BatchOf({"a"}), milliseconds(50)).kind, Kind::kRetry);
  collector_.Answer(CollectorReply::HangUp());
  EXPECT_EQ(Send().kind, Kind::kRetry);
  collector_.Answer(CollectorReply::HttpOk());
  EXPECT_EQ(Send().kind, Kind::kAccepted);
  collector_.Stop();
  EXPECT_EQ(Send().kind, Kind::kNobody);
}

TEST(HttpTransport, AGrpcPortIsNamedAndRefused) {
  const FakeCollector grpc(FakeCollector::Protocol::kGrpc);
  HttpTransport transport(SettingsFor(Protocol::kHttpProtobuf, grpc.Url() + "/v1/traces"));
  const SendOutcome outcome = SendOver(transport);
  EXPECT_EQ(outcome.kind, Kind::kRefused) << outcome.message;
  EXPECT_TRUE(outcome.message.ends_with(": no HTTP/1.1 there; is it a gRPC port (otlp)?")) << outcome.message;
}

TEST(HttpExportTlsTest, OnlyTheGivenAuthorityIsTrusted) {
  const TestFolder folder;
  const fakes::TestCertificates pem(folder);
  FakeCollector collector(FakeCollector::Protocol::kHttp, 0, fakes::CollectorTls{pem.server, pem.server_key});
  ExportSettings settings = SettingsFor(Protocol::kHttpProtobuf, collector.Url() + "/v1/traces");
  settings.ca_file = pem.ca;
  EXPECT_EQ(SendOver(**MakeTransport(settings)).kind, Kind::kAccepted);
  settings.ca_file = pem.other_ca;
  const SendOutcome outcome = SendOver(**MakeTransport(settings));
  EXPECT_EQ(outcome.kind, Kind::kRefused);
  EXPECT_EQ(outcome.message, "127.0.0.1: SSL certificate problem: unable to get local issuer certificate");
}

}  // namespace
}  // namespace awf::otlp
