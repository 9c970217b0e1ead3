#include "infrastructure/otlp/export_answer.h"

#include "otlp_trace.pb.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>

#include "domain/terminal_text.h"
#include "domain/utf8.h"

namespace awf::otlp {

using Kind = SendOutcome::Kind;

namespace {

bool Says(const std::string& message, std::initializer_list<const char*> texts) {
  return std::ranges::any_of(texts, [&](const char* text) { return message.find(text) != std::string::npos; });
}

// libcurl tells of a server that speaks another protocol in its messages only.
void NameOtherProtocol(Protocol protocol, SendOutcome& outcome) {
  if (outcome.kind != Kind::kRetry && outcome.kind != Kind::kRefused) return;
  if (protocol == Protocol::kHttpProtobuf) {
    if (!Says(outcome.message, {"HTTP/0.9"})) return;  // what begins with no status line: frames of HTTP/2
    outcome.kind = Kind::kRefused;
    outcome.message.append(": no HTTP/1.1 there; is it a gRPC port (otlp)?");
    return;
  }
  const bool certain = Says(outcome.message, {"expected SETTINGS frame"});
  if (!certain && !Says(outcome.message, {"Empty reply", "HTTP2 framing layer", "HTTP/2 framing"})) return;
  if (certain) outcome.kind = Kind::kRefused;
  outcome.message.append(certain ? ": no gRPC there; OTLP over HTTP is otlp-http"
                                 : ": maybe no gRPC there; OTLP over HTTP is otlp-http");
}

}  // namespace

std::string AnswerText(std::string_view text) {
  constexpr std::size_t kCharacters = 200;
  constexpr std::size_t kLongestCharacter = 4;
  // Cut before it is looked through: a body may be long.
  const std::string line = PrintableLine(text.substr(0, kCharacters * kLongestCharacter));
  return std::string(FirstCharacters(line, kCharacters));
}

std::optional<std::string_view> FindHeader(const std::vector<http::HttpHeader>& headers, std::string_view name) {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const auto& header) { return header.name == name; });
  if (found == headers.end()) return std::nullopt;
  return found->value;
}

std::optional<SendOutcome> ReadResponseMessage(std::string_view message) {
  proto::ExportTraceServiceResponse response;
  if (message.size() > kLongestAnswer) return std::nullopt;
  if (!response.ParseFromArray(message.data(), static_cast<int>(message.size()))) return std::nullopt;
  SendOutcome outcome;
  outcome.rejected = std::max<std::int64_t>(response.partial_success().rejected_spans(), 0);
  outcome.message = AnswerText(response.partial_success().error_message());
  return outcome;
}

SendOutcome OutcomeOfStatus(const http::HttpResponse& response, const std::string& text) {
  const bool again = response.status == 429 || (response.status >= 502 && response.status <= 504);
  SendOutcome outcome;
  outcome.kind = again ? Kind::kRetry : Kind::kRefused;
  outcome.message.append("HTTP ").append(std::to_string(response.status));
  if (response.status >= 300 && response.status <= 399) outcome.message.append(", a redirect, which is not followed");
  if (!text.empty()) outcome.message.append(": ").append(text);
  constexpr std::chrono::seconds kLongestDelay = std::chrono::hours(24);  // keeps the arithmetic of others sound
  if (again && response.retry_after) outcome.retry_after = std::min(*response.retry_after, kLongestDelay);
  return outcome;
}

SendOutcome OutcomeOfFailure(const http::HttpFailure& failure, Protocol protocol) {
  using Failure = http::HttpFailure::Kind;
  Kind kind = Kind::kRefused;
  switch (failure.kind) {
    case Failure::kNoConnection:
      kind = Kind::kNobody;
      break;
    case Failure::kBroken:
    case Failure::kStalled:
    case Failure::kDeadline:
      kind = Kind::kRetry;
      break;
    case Failure::kCancelled:
      kind = Kind::kCancelled;
      break;
    case Failure::kNoLibrary:
    case Failure::kBadUrl:
    case Failure::kBadHeader:
    case Failure::kTooLarge:
    case Failure::kOther:
      break;
  }
  SendOutcome outcome;
  outcome.kind = kind;
  outcome.message = PrintableLine(failure.message);
  NameOtherProtocol(protocol, outcome);
  return outcome;
}

}  // namespace awf::otlp
