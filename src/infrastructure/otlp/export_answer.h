// What the answers of both protocols have in common: texts, partial success, statuses of HTTP. All of it comes from
// outside. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/http/http_client.h"
#include "infrastructure/otlp/span_transport.h"

namespace awf::otlp {

inline constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;  // bytes, also after decompression

// Text of a collector for a message: one printable line of at most 200 characters.
std::string AnswerText(std::string_view text);

// The value of the first header of that lower-case name.
std::optional<std::string_view> FindHeader(const std::vector<http::HttpHeader>& headers, std::string_view name);

// A serialized ExportTraceServiceResponse: kAccepted, with what was rejected. Nothing when it cannot be parsed.
std::optional<SendOutcome> ReadResponseMessage(std::string_view message);

// A status that is no success: kRetry for 429 and 502 to 504, else kRefused. `text` says what the body says.
SendOutcome OutcomeOfStatus(const http::HttpResponse& response, const std::string& text);

// No answer at all to a request of `protocol`. Where the other end speaks another one the message says so; when that is
// certain, it is kRefused.
SendOutcome OutcomeOfFailure(const http::HttpFailure& failure, Protocol protocol);

}  // namespace awf::otlp
