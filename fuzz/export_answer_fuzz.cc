// What a collector may answer, over gRPC and over HTTP: a first line with the status of HTTP, lines of headers, an
// empty line, lines of trailers, an empty line, the body. Texts that are shown stay short, and numbers sound.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/http/http_client.h"
#include "infrastructure/otlp/grpc_answer.h"
#include "infrastructure/otlp/http_answer.h"

namespace {

std::string_view TakeLine(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : rest.size());
  return line;
}

std::vector<awf::http::HttpHeader> TakeHeaders(std::string_view& rest) {
  std::vector<awf::http::HttpHeader> headers;
  while (!rest.empty()) {
    const std::string_view line = TakeLine(rest);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    headers.push_back({std::string(line.substr(0, colon)), std::string(line.substr(colon + 1))});
  }
  return headers;
}

void Check(const awf::otlp::SendOutcome& outcome) {
  constexpr std::size_t kLongest = 1000;  // 200 characters of four bytes, and our own words
  if (outcome.message.size() > kLongest || outcome.rejected < 0) std::abort();
  if (outcome.message.find('\n') != std::string::npos) std::abort();
  if (outcome.retry_after && (outcome.retry_after->count() < 0 || *outcome.retry_after > std::chrono::hours(24))) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  awf::http::HttpResponse response;
  response.status = std::strtol(std::string(TakeLine(rest)).c_str(), nullptr, 10);
  response.headers = TakeHeaders(rest);
  response.trailers = TakeHeaders(rest);
  response.body = rest;
  Check(awf::otlp::ReadGrpcAnswer(response));
  Check(awf::otlp::ReadHttpAnswer(response));
  return 0;
}
