// FakeCollector: a trace collector for tests, on a loopback port: OTLP over gRPC (HTTP/2 by libnghttp2, with prior
// knowledge or TLS) or over HTTP/1.1. It decodes what it gets with code of its own and answers as told.
//
// Each connection has a thread. Every public function may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "otlp_trace.pb.h"

namespace awf::fakes {

using HeaderFields = std::vector<std::pair<std::string, std::string>>;

struct CollectorReply {
  enum class Act {
    kAnswer,
    kSilence,  // no answer, until the client closes
    kHangUp,   // closes when the head of the request is there, before its body
    kGarbage,  // bytes that are no HTTP, then closes
  };
  Act act = Act::kAnswer;
  int status = 200;
  HeaderFields headers{};
  std::string body{};
  std::optional<HeaderFields> trailers{};
  std::chrono::milliseconds delay{};  // before the answer

  static CollectorReply Silence() { return {.act = Act::kSilence}; }
  static CollectorReply HangUp() { return {.act = Act::kHangUp}; }
  static CollectorReply Garbage() { return {.act = Act::kGarbage}; }
  CollectorReply After(std::chrono::milliseconds time) const;

  static CollectorReply GrpcOk();
  static CollectorReply GrpcStatus(int code, const std::string& message = {});           // in the trailers
  static CollectorReply GrpcStatusInHeaders(int code, const std::string& message = {});  // and nothing else
  static CollectorReply GrpcPartial(std::int64_t rejected, const std::string& message);
  static CollectorReply GrpcMessage(const std::string& bytes, bool compressed = false);  // in a frame, with status OK
  static CollectorReply GrpcWithoutTrailers();

  static CollectorReply HttpOk();
  static CollectorReply HttpPartial(std::int64_t rejected, const std::string& message);
  static CollectorReply HttpStatus(int status, const std::string& body = {}, const HeaderFields& headers = {});
};

struct CollectedRequest {
  std::string method, path;
  std::map<std::string, std::string> headers;  // names in lower case; of one name the last
  int connection = 0;                          // from 1 on
  bool compressed = false;
  std::string fault;  // why the body could not be decoded; empty: it was
  otlp::proto::ExportTraceServiceRequest message;
};

// PEM files. With `client_ca` a client needs a certificate that this authority signed.
struct CollectorTls {
  std::string certificate, key, client_ca{};
};

class FakeCollector {
 public:
  enum class Protocol { kGrpc, kHttp };

  // Port 0: one that is free. A port that is taken ends the test program. Answers with success until told otherwise.
  explicit FakeCollector(Protocol protocol, int port = 0, const std::optional<CollectorTls>& tls = std::nullopt);
  FakeCollector(const FakeCollector&) = delete;
  FakeCollector& operator=(const FakeCollector&) = delete;
  ~FakeCollector();

  int port() const;
  std::string Url() const;  // http://127.0.0.1:PORT or https://…, without a path

  void Answer(const CollectorReply& reply);      // to every request from now on
  void AnswerNext(const CollectorReply& reply);  // to one request, before those; several queue

  std::vector<CollectedRequest> Requests() const;  // whose body has come, and those that were hung up on
  std::vector<otlp::proto::Span> Spans() const;    // of all requests, in order of arrival
  int connections() const;                         // that were accepted so far
  // False when so many requests, or spans, have not come in that time.
  bool WaitForRequests(std::size_t count, std::chrono::milliseconds patience = std::chrono::seconds(30)) const;
  bool WaitForSpans(std::size_t count, std::chrono::milliseconds patience = std::chrono::seconds(30)) const;

  // Closes the port and every connection; what was collected stays. From one thread, once or more.
  void Stop();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace awf::fakes
