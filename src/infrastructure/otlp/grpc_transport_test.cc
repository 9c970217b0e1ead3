#include "infrastructure/otlp/grpc_transport.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

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

constexpr const char* kPath = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

class GrpcTransportTest : public testing::Test {
 protected:
  ExportSettings Settings() const { return SettingsFor(Protocol::kGrpc, collector_.Url() + kPath); }
  SendOutcome Send() { return SendOver(transport_); }

  FakeCollector collector_{FakeCollector::Protocol::kGrpc};
  GrpcTransport transport_{Settings()};
};

TEST_F(GrpcTransportTest, BatchArrivesInOneFrameWithTheHeadersOfGrpc) {
  ExportSettings settings = Settings();
  settings.headers = {{"x-api-key", "k"}, {"Content-Type", "text/plain"}, {"grpc-timeout", "1S"}, {"te", "gzip"}};
  GrpcTransport transport(settings);
  const SendOutcome outcome = SendOver(transport);
  EXPECT_EQ(outcome.kind, Kind::kAccepted) << outcome.message;
  EXPECT_EQ(outcome.rejected, 0);
  EXPECT_EQ(outcome.message, "");
  const auto requests = collector_.Requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].fault, "");
  EXPECT_FALSE(requests[0].compressed);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].path, kPath);
  auto headers = requests[0].headers;
  EXPECT_EQ(headers["content-type"], "application/grpc");
  EXPECT_EQ(headers["te"], "trailers");
  EXPECT_EQ(headers["x-api-key"], "k");
  EXPECT_EQ(headers["user-agent"], "awf");
  EXPECT_FALSE(headers.contains("grpc-encoding"));
  const std::string timeout = headers["grpc-timeout"];
  EXPECT_TRUE(timeout.ends_with("m") && std::stoi(timeout) > 30'000 && std::stoi(timeout) <= 60'000) << timeout;
  const auto spans = collector_.Spans();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[1].name(), "b");
}

TEST(GrpcTransport, APortOfPlainHttpIsNamed) {
  const FakeCollector http(FakeCollector::Protocol::kHttp);
  GrpcTransport transport(SettingsFor(Protocol::kGrpc, http.Url() + kPath));
  const SendOutcome outcome = SendOver(transport);
  EXPECT_TRUE(outcome.message.ends_with("no gRPC there; OTLP over HTTP is otlp-http")) << outcome.message;
}

TEST_F(GrpcTransportTest, CompressedBatchArrives) {
  ExportSettings settings = Settings();
  settings.gzip = true;
  GrpcTransport transport(settings);
  const std::string name(100'000, 'n');
  EXPECT_EQ(SendOver(transport, BatchOf({name})).kind, Kind::kAccepted);
  const auto requests = collector_.Requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].fault, "");
  EXPECT_TRUE(requests[0].compressed);
  EXPECT_LT(std::stoul(requests[0].headers.at("content-length")), 2'000U);
  EXPECT_EQ(collector_.Spans().at(0).name(), name);
}

TEST_F(GrpcTransportTest, StatusOfTrailersOrHeadersIsTheResult) {
  for (const bool in_headers : {false, true}) {
    const auto reply = [&](int code, const std::string& text) {
      return in_headers ? CollectorReply::GrpcStatusInHeaders(code, text) : CollectorReply::GrpcStatus(code, text);
    };
    collector_.Answer(reply(14, "try 50%25 later"));
    const SendOutcome busy = Send();
    EXPECT_EQ(busy.kind, Kind::kRetry);
    EXPECT_EQ(busy.message, "grpc-status 14 (UNAVAILABLE): try 50% later");
    collector_.Answer(reply(16, ""));
    const SendOutcome refused = Send();
    EXPECT_EQ(refused.kind, Kind::kRefused);
    EXPECT_EQ(refused.message, "grpc-status 16 (UNAUTHENTICATED)");
    collector_.Answer(reply(0, ""));
    EXPECT_EQ(Send().kind, Kind::kAccepted);
  }
}

TEST_F(GrpcTransportTest, PartialSuccessTellsWhatWasRejected) {
  collector_.Answer(CollectorReply::GrpcPartial(1, "span b is too old"));
  const SendOutcome outcome = Send();
  EXPECT_EQ(outcome.kind, Kind::kAccepted);
  EXPECT_EQ(outcome.rejected, 1);
  EXPECT_EQ(outcome.message, "span b is too old");
}

TEST_F(GrpcTransportTest, AnswersThatAreNoneAreFailures) {
  collector_.Answer(CollectorReply::GrpcWithoutTrailers());
  SendOutcome outcome = Send();
  EXPECT_EQ(outcome.kind, Kind::kRefused);
  EXPECT_EQ(outcome.message, "the answer has no grpc-status: nothing that speaks gRPC, or it was cut");
  collector_.Answer(CollectorReply::HttpStatus(503, "full", {{"retry-after", "7"}}));
  outcome = Send();
  EXPECT_EQ(outcome.kind, Kind::kRetry);
  EXPECT_EQ(outcome.message, "HTTP 503: full");
  EXPECT_EQ(outcome.retry_after, seconds(7));
  collector_.Answer(CollectorReply::HttpStatus(307, "", {{"location", "http://127.0.0.1:1/"}}));
  outcome = Send();
  EXPECT_EQ(outcome.kind, Kind::kRefused);
  EXPECT_EQ(outcome.message, "HTTP 307, a redirect, which is not followed");
}

TEST_F(GrpcTransportTest, WhatBreaksIsTriedAgainAndTheNextBatchGoesThrough) {
  for (const CollectorReply& reply : {CollectorReply::HangUp(), CollectorReply::Garbage()}) {
    collector_.Answer(reply);
    const SendOutcome outcome = Send();
    EXPECT_EQ(outcome.kind, Kind::kRetry);
    EXPECT_TRUE(outcome.message.starts_with("127.0.0.1: ")) << outcome.message;
  }
  collector_.Answer(CollectorReply::GrpcOk());
  EXPECT_EQ(Send().kind, Kind::kAccepted);
}

TEST_F(GrpcTransportTest, SilenceEndsAtTheDeadlineAndASlowAnswerCounts) {
  collector_.Answer(CollectorReply::Silence());
  const SendOutcome outcome = SendOver(transport_, BatchOf({"a"}), milliseconds(50));
  EXPECT_EQ(outcome.kind, Kind::kRetry);
  EXPECT_EQ(outcome.message, "127.0.0.1: the time is up");
  collector_.Answer(CollectorReply::GrpcOk().After(milliseconds(50)));
  EXPECT_EQ(Send().kind, Kind::kAccepted);
}

TEST_F(GrpcTransportTest, StopEndsAWaitingSend) {
  collector_.Answer(CollectorReply::Silence());
  std::stop_source stop;
  std::thread stopper([&] {
    collector_.WaitForRequests(1);
    stop.request_stop();
  });
  EXPECT_EQ(SendOver(transport_, BatchOf({"a"}), seconds(60), stop.get_token()).kind, Kind::kCancelled);
  stopper.join();
}

TEST_F(GrpcTransportTest, NobodyThereIsToldApart) {
  collector_.Stop();
  const SendOutcome outcome = Send();
  EXPECT_EQ(outcome.kind, Kind::kNobody);
  EXPECT_TRUE(outcome.message.starts_with("127.0.0.1: ")) << outcome.message;
}

TEST_F(GrpcTransportTest, ServerOfHttp1IsNoCollector) {
  FakeCollector other(FakeCollector::Protocol::kHttp);
  GrpcTransport transport(SettingsFor(Protocol::kGrpc, other.Url() + kPath));
  EXPECT_NE(SendOver(transport, BatchOf({"a"}), seconds(5)).kind, Kind::kAccepted);
}

TEST_F(GrpcTransportTest, MessagesAndEndpointKeepCredentialsToThemselves) {
  ExportSettings settings = Settings();
  settings.url = "http://user:hunter2@127.0.0.1:" + std::to_string(collector_.port()) + "/p?key=hunter2";
  settings.headers = {{"authorization", "hunter2\n"}};
  GrpcTransport transport(settings);
  EXPECT_EQ(transport.Endpoint(), "http://127.0.0.1:" + std::to_string(collector_.port()) + "/p");
  const SendOutcome outcome = SendOver(transport);
  EXPECT_EQ(outcome.kind, Kind::kRefused);
  EXPECT_EQ(outcome.message, "127.0.0.1: the value of header authorization has a control character");
}

TEST(GrpcTlsTest, AuthorityAndClientCertificate) {
  const TestFolder folder;
  const fakes::TestCertificates pem(folder);
  FakeCollector collector(FakeCollector::Protocol::kGrpc, 0, fakes::CollectorTls{pem.server, pem.server_key, pem.ca});
  ExportSettings settings = SettingsFor(Protocol::kGrpc, collector.Url() + kPath);
  settings.ca_file = pem.ca;
  settings.client_certificate = pem.client;
  settings.client_key = pem.client_key;
  auto transport = MakeTransport(settings);
  ASSERT_TRUE(transport) << transport.error().message;
  for (int i = 0; i < 2; ++i) {
    const SendOutcome outcome = SendOver(**transport);
    EXPECT_EQ(outcome.kind, Kind::kAccepted) << outcome.message;
  }
  EXPECT_EQ(collector.connections(), 1);
  EXPECT_EQ(collector.Spans().size(), 4U);
  settings.ca_file = pem.other_ca;
  const SendOutcome outcome = SendOver(**MakeTransport(settings));
  EXPECT_EQ(outcome.kind, Kind::kRefused);
  EXPECT_TRUE(outcome.message.starts_with("127.0.0.1: SSL certificate problem: ")) << outcome.message;
}

}  // namespace
}  // namespace awf::otlp
