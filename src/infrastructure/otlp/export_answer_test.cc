// The answers that no well-behaved server gives, and the parts they are read with.
#include "infrastructure/otlp/export_answer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "domain/base64.h"
#include "infrastructure/otlp/grpc_answer.h"
#include "infrastructure/otlp/grpc_frame.h"
#include "infrastructure/otlp/gzip.h"
#include "infrastructure/otlp/http_answer.h"
#include "infrastructure/otlp/retry_info.h"
#include "otlp_trace.pb.h"

namespace awf::otlp {
namespace {

using http::HttpHeader;
using http::HttpResponse;
using std::chrono::hours;
using std::chrono::milliseconds;
using Kind = SendOutcome::Kind;

HttpResponse Grpc(const std::string& status, const std::string& body = {}) {
  HttpResponse response;
  response.status = 200;
  response.body = body;
  response.trailers = {{"grpc-status", status}};
  return response;
}

HttpResponse Http(long status, const std::string& type, const std::string& body) {
  HttpResponse response;
  response.status = status;
  response.body = body;
  response.headers = {{"content-type", type}};
  return response;
}

std::string Partial(std::int64_t rejected, const std::string& message) {
  proto::ExportTraceServiceResponse response;
  response.mutable_partial_success()->set_rejected_spans(rejected);
  response.mutable_partial_success()->set_error_message(message);
  return response.SerializeAsString();
}

std::string Details(std::int64_t seconds, int nanoseconds) {
  proto::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(seconds);
  info.mutable_retry_delay()->set_nanos(nanoseconds);
  proto::RpcStatus status;
  status.add_details()->set_type_url("type.googleapis.com/google.rpc.Help");
  proto::Any& detail = *status.add_details();
  detail.set_type_url("type.googleapis.com/google.rpc.RetryInfo");
  detail.set_value(info.SerializeAsString());
  return Base64(status.SerializeAsString());
}

TEST(GrpcAnswerTest, EveryCodeIsRetriedOrNot) {
  const std::string again = "1 4 8 10 11 14 15 ";
  for (int code = 1; code < 20; ++code) {
    const SendOutcome outcome = ReadGrpcAnswer(Grpc(std::to_string(code)));
    const bool retried = (" " + again).find(" " + std::to_string(code) + " ") != std::string::npos;
    EXPECT_EQ(outcome.kind, retried ? Kind::kRetry : Kind::kRefused) << code;
  }
  EXPECT_EQ(ReadGrpcAnswer(Grpc("17")).message, "grpc-status 17 (no known code)");
}

TEST(GrpcAnswerTest, StatusThatIsNoNumberIsRefused) {
  for (const char* status : {"", "-1", "0x", "99999999999", " 0", "OK"}) {
    const SendOutcome outcome = ReadGrpcAnswer(Grpc(status));
    EXPECT_EQ(outcome.kind, Kind::kRefused) << status;
    EXPECT_EQ(outcome.message, std::string("grpc-status is no number: ").append(AnswerText(status)));
  }
}

TEST(GrpcAnswerTest, SuccessWhoseMessageCannotBeReadIsRefused) {
  const std::string unreadable = "grpc-status 0 (OK), but the answer cannot be read: ";
  const std::string frame = WriteGrpcFrame({false, Partial(1, "x")});
  for (const std::string& body : {frame.substr(0, 3), frame.substr(0, frame.size() - 1), frame + "x",
                                  "\2" + frame.substr(1), std::string("\0\xFF\xFF\xFF\xFF", 5)}) {
    const SendOutcome outcome = ReadGrpcAnswer(Grpc("0", body));
    EXPECT_EQ(outcome.kind, Kind::kRefused);
    EXPECT_EQ(outcome.message, unreadable + "its frame is malformed");
  }
  EXPECT_EQ(ReadGrpcAnswer(Grpc("0", WriteGrpcFrame({false, "\xFF\xFF"}))).message,
            unreadable + "it is no OTLP message");
  EXPECT_EQ(ReadGrpcAnswer(Grpc("0", WriteGrpcFrame({true, *Gzip(Partial(1, "x"))}))).message,
            unreadable + "its compression is unknown");
}

TEST(GrpcAnswerTest, CompressedAnswerIsReadUpToALimit) {
  HttpResponse response = Grpc("0", WriteGrpcFrame({true, *Gzip(Partial(3, "old"))}));
  response.headers = {{"grpc-encoding", "gzip"}};
  EXPECT_EQ(ReadGrpcAnswer(response).rejected, 3);
  response.body = WriteGrpcFrame({true, *Gzip(std::string(kLongestAnswer + 1, 'x'))});
  EXPECT_EQ(ReadGrpcAnswer(response).message,
            "grpc-status 0 (OK), but the answer cannot be read: its compressed message is malformed or too large");
}

TEST(GrpcAnswerTest, NumbersAndTextsOfALiarAreBounded) {
  EXPECT_EQ(ReadGrpcAnswer(Grpc("0", WriteGrpcFrame({false, Partial(-5, "")}))).rejected, 0);
  HttpResponse response = Grpc("3");
  response.trailers.push_back({"grpc-message", "a%0Ab%1B[31m%zz%" + std::string(1000, 'x')});
  const std::string message = ReadGrpcAnswer(response).message;
  const std::string start = "grpc-status 3 (INVALID_ARGUMENT): ";
  EXPECT_EQ(message.substr(0, start.size() + 8), start + "a b%zz%x");
  EXPECT_EQ(message.size(), start.size() + 200);
}

TEST(GrpcAnswerTest, TrailersWinOverHeaders) {
  HttpResponse response = Grpc("14");
  response.headers = {{"grpc-status", "0"}};
  EXPECT_EQ(ReadGrpcAnswer(response).kind, Kind::kRetry);
}

TEST(GrpcAnswerTest, RetryInfoSaysWhen) {
  HttpResponse response = Grpc("8");
  response.trailers.push_back({"grpc-status-details-bin", Details(2, 500'000'000)});
  EXPECT_EQ(ReadGrpcAnswer(response).retry_after, milliseconds(2500));
  response.trailers[0].value = "3";  // not one that is retried
  EXPECT_FALSE(ReadGrpcAnswer(response).retry_after);
}

TEST(RetryInfoTest, OnlyWhatCanBeReadAndWithinADay) {
  std::string unpadded = Details(1, 0);
  while (unpadded.ends_with('=')) unpadded.pop_back();
  EXPECT_EQ(RetryDelay(unpadded), milliseconds(1000));
  EXPECT_EQ(RetryDelay(Details(INT64_MAX, INT32_MAX)), hours(24));
  EXPECT_EQ(RetryDelay(Details(INT64_MIN, INT32_MIN)), milliseconds(0));
  for (const std::string& details : {std::string(), std::string("!"), std::string("////"), Base64("text"),
                                     std::string(std::size_t{70} << 10, 'A')}) {
    EXPECT_FALSE(RetryDelay(details));
  }
}

TEST(HttpAnswerTest, SuccessNeedsNoBodyButAWebPageIsNone) {
  EXPECT_EQ(ReadHttpAnswer(Http(200, "application/x-protobuf", "")).kind, Kind::kAccepted);
  EXPECT_EQ(ReadHttpAnswer(Http(202, "application/json", "{}")).kind, Kind::kAccepted);
  EXPECT_EQ(ReadHttpAnswer(Http(204, "", "")).kind, Kind::kAccepted);
  const SendOutcome page = ReadHttpAnswer(Http(200, "text/html; charset=utf-8", "<html>"));
  EXPECT_EQ(page.kind, Kind::kRefused);
  EXPECT_EQ(page.message, "HTTP 200, but the answer is a web page: no collector");
  for (const char* type : {"", "text/plain", "application/octet-stream"}) {
    const SendOutcome other = ReadHttpAnswer(Http(200, type, "<htm>"));
    EXPECT_EQ(other.kind, Kind::kRefused) << type;
    EXPECT_EQ(other.message, "HTTP 200, but the answer is no OTLP message");
    EXPECT_EQ(ReadHttpAnswer(Http(200, type, " {}")).kind, Kind::kAccepted) << type;
    EXPECT_EQ(ReadHttpAnswer(Http(200, type, Partial(3, "quota"))).rejected, 3) << type;
  }
  const SendOutcome garbage = ReadHttpAnswer(Http(200, "application/x-protobuf", "\xFF\xFF"));
  EXPECT_EQ(garbage.kind, Kind::kRefused);
  EXPECT_EQ(garbage.message, "HTTP 200, but the answer is no OTLP message");
}

TEST(OutcomeOfFailure, NamesTheExporterThatFitsThePort) {
  using Failure = http::HttpFailure;
  struct Case {
    Protocol protocol;
    Failure::Kind kind;
    std::string text;
    Kind outcome;
    std::string added;
  };
  const std::string to_http = "no gRPC there; OTLP over HTTP is otlp-http";
  for (const Case& c :
       {Case{Protocol::kGrpc, Failure::Kind::kBroken,
             "h: Remote peer returned unexpected data while we expected SETTINGS frame.", Kind::kRefused,
             ": " + to_http},
        {Protocol::kGrpc, Failure::Kind::kBroken, "h: Empty reply from server", Kind::kRetry, ": maybe " + to_http},
        {Protocol::kHttpProtobuf, Failure::Kind::kBadUrl, "h: Received HTTP/0.9 when not allowed", Kind::kRefused,
         ": no HTTP/1.1 there; is it a gRPC port (otlp)?"},
        {Protocol::kHttpProtobuf, Failure::Kind::kBroken, "h: Empty reply from server", Kind::kRetry, ""},
        {Protocol::kGrpc, Failure::Kind::kNoConnection, "h: Failed to connect", Kind::kNobody, ""}}) {
    const SendOutcome outcome = OutcomeOfFailure(Failure{c.kind, c.text, {}}, c.protocol);
    EXPECT_EQ(outcome.kind, c.outcome) << c.text;
    EXPECT_EQ(outcome.message, c.text + c.added);
  }
}

TEST(HttpAnswerTest, BodyOfAnErrorIsAStatusOrText) {
  proto::RpcStatus status;
  status.set_message("token expired");
  EXPECT_EQ(ReadHttpAnswer(Http(401, "application/x-protobuf", status.SerializeAsString())).message,
            "HTTP 401: token expired");
  EXPECT_EQ(ReadHttpAnswer(Http(400, "application/x-protobuf", "\xFF")).message, "HTTP 400");
  EXPECT_EQ(ReadHttpAnswer(Http(400, "text/plain", std::string(5000, 'x'))).message.size(), 10 + 200U);
  HttpResponse compressed = Http(400, "text/plain", *Gzip("why"));
  compressed.headers.push_back({"content-encoding", "gzip"});
  EXPECT_EQ(ReadHttpAnswer(compressed).message, "HTTP 400: why");
}

TEST(GzipTest, ThereAndBack) {
  for (const std::string& text : {std::string(), std::string("text"), std::string(100'000, 'x')}) {
    const auto packed = Gzip(text);
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->substr(0, 2), "\x1F\x8B");
    EXPECT_EQ(Gunzip(*packed, text.size()), text);
    EXPECT_TRUE(text.empty() || !Gunzip(*packed, text.size() - 1));
    EXPECT_FALSE(Gunzip(packed->substr(0, packed->size() - 1), text.size()));
  }
  EXPECT_FALSE(Gunzip("no gzip", 100));
  EXPECT_FALSE(Gunzip("", 100));
}

}  // namespace
}  // namespace awf::otlp
