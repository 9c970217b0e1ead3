#include "infrastructure/otlp/grpc_answer.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "infrastructure/otlp/export_answer.h"
#include "infrastructure/otlp/grpc_frame.h"
#include "infrastructure/otlp/gzip.h"
#include "infrastructure/otlp/percent_decoding.h"
#include "infrastructure/otlp/retry_info.h"

namespace awf::otlp {
namespace {

using Kind = SendOutcome::Kind;

struct StatusCode {
  std::string_view name;
  bool again;  // as the OpenTelemetry protocol lists it
};

// By number.
constexpr std::array<StatusCode, 17> kCodes{{{"OK", false},
                                             {"CANCELLED", true},
                                             {"UNKNOWN", false},
                                             {"INVALID_ARGUMENT", false},
                                             {"DEADLINE_EXCEEDED", true},
                                             {"NOT_FOUND", false},
                                             {"ALREADY_EXISTS", false},
                                             {"PERMISSION_DENIED", false},
                                             {"RESOURCE_EXHAUSTED", true},
                                             {"FAILED_PRECONDITION", false},
                                             {"ABORTED", true},
                                             {"OUT_OF_RANGE", true},
                                             {"UNIMPLEMENTED", false},
                                             {"INTERNAL", false},
                                             {"UNAVAILABLE", true},
                                             {"DATA_LOSS", true},
                                             {"UNAUTHENTICATED", false}}};

SendOutcome Refused(std::string message) {
  SendOutcome outcome;
  outcome.kind = Kind::kRefused;
  outcome.message = std::move(message);
  return outcome;
}

// A number, or nothing when it is none.
std::optional<unsigned> CodeOf(std::string_view text) {
  unsigned code = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), code);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return code;
}

// The message of the one frame, decompressed; or what is wrong.
std::expected<std::string, std::string> MessageOf(const http::HttpResponse& response) {
  if (response.body.empty()) return std::string();
  const std::optional<GrpcFrame> frame = ReadGrpcFrame(response.body);
  if (!frame) return std::unexpected("its frame is malformed");
  if (!frame->compressed) return std::string(frame->message);
  if (FindHeader(response.headers, "grpc-encoding") != "gzip") return std::unexpected("its compression is unknown");
  auto message = Gunzip(frame->message, kLongestAnswer);
  if (!message) return std::unexpected("its compressed message is malformed or too large");
  return std::move(*message);
}

SendOutcome ReadSuccess(const http::HttpResponse& response) {
  const auto message = MessageOf(response);
  if (!message) return Refused("grpc-status 0 (OK), but the answer cannot be read: " + message.error());
  auto outcome = ReadResponseMessage(*message);
  return outcome ? *outcome : Refused("grpc-status 0 (OK), but the answer cannot be read: it is no OTLP message");
}

SendOutcome ReadFailure(const std::vector<http::HttpHeader>& status_part, unsigned number) {
  const StatusCode code = number < kCodes.size() ? kCodes[number] : StatusCode{"no known code", false};
  SendOutcome outcome = Refused("grpc-status ");
  outcome.message.append(std::to_string(number)).append(" (").append(code.name).append(")");
  const auto text = FindHeader(status_part, "grpc-message");
  if (text && !text->empty()) outcome.message.append(": ").append(AnswerText(PercentDecoded(*text)));
  if (!code.again) return outcome;
  outcome.kind = Kind::kRetry;
  if (const auto details = FindHeader(status_part, "grpc-status-details-bin"))
    outcome.retry_after = RetryDelay(*details);
  return outcome;
}

}  // namespace

SendOutcome ReadGrpcAnswer(const http::HttpResponse& response) {
  const bool in_trailers = FindHeader(response.trailers, "grpc-status").has_value();
  const auto& status_part = in_trailers ? response.trailers : response.headers;
  const auto status = FindHeader(status_part, "grpc-status");
  if (!status) {
    if (response.status != 200) return OutcomeOfStatus(response, AnswerText(response.body));
    return Refused("the answer has no grpc-status: nothing that speaks gRPC, or it was cut");
  }
  const auto number = CodeOf(*status);
  if (!number) return Refused("grpc-status is no number: " + AnswerText(*status));
  return *number == 0 ? ReadSuccess(response) : ReadFailure(status_part, *number);
}

}  // namespace awf::otlp
