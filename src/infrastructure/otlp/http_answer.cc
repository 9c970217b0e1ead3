#include "infrastructure/otlp/http_answer.h"

#include "otlp_trace.pb.h"

#include <string>
#include <string_view>
#include <utility>

#include "infrastructure/otlp/export_answer.h"
#include "infrastructure/otlp/gzip.h"

namespace awf::otlp {
namespace {

// Not all that answer a POST with success are collectors. Theirs are empty, protobuf or JSON, whatever they are called.
bool IsJson(std::string_view type, std::string_view body) {
  const std::size_t begin = body.find_first_not_of(" \t\r\n");
  return type.starts_with("application/json") || (begin != std::string_view::npos && body[begin] == '{');
}

bool IsProtobuf(std::string_view type) { return type.starts_with("application/x-protobuf"); }

std::string ErrorText(std::string_view type, std::string_view body) {
  proto::RpcStatus status;
  if (IsProtobuf(type)) {
    return status.ParseFromArray(body.data(), static_cast<int>(body.size())) ? AnswerText(status.message()) : "";
  }
  return AnswerText(body);
}

}  // namespace

SendOutcome ReadHttpAnswer(const http::HttpResponse& response) {
  const std::string_view type = FindHeader(response.headers, "content-type").value_or("");
  std::string body = response.body.substr(0, kLongestAnswer);
  if (FindHeader(response.headers, "content-encoding") == "gzip") body = Gunzip(body, kLongestAnswer).value_or("\xFF");
  if (response.status < 200 || response.status > 299) return OutcomeOfStatus(response, ErrorText(type, body));
  SendOutcome refused;
  refused.kind = SendOutcome::Kind::kRefused;
  refused.message = "HTTP " + std::to_string(response.status);
  if (type.starts_with("text/html")) {
    refused.message += ", but the answer is a web page: no collector";
    return refused;
  }
  if (body.empty() || (!IsProtobuf(type) && IsJson(type, body))) return {};
  refused.message += ", but the answer is no OTLP message";
  return ReadResponseMessage(body).value_or(std::move(refused));
}

}  // namespace awf::otlp
