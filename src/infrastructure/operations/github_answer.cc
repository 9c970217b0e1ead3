#include "infrastructure/operations/github_answer.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/timestamp.h"
#include "infrastructure/operations/call_inputs.h"
#include "infrastructure/operations/operation_failure.h"

namespace awf::operations {
namespace {

using http::HttpHeader;
using http::HttpResponse;

constexpr long kUnauthorized = 401, kForbidden = 403, kMissing = 404, kGone = 410, kTooMany = 429;
constexpr long kServerErrors = 500, kClientErrors = 400;
constexpr std::int64_t kLongestWait = std::int64_t{365} * 24 * 3600;  // more is nonsense of a server's

std::optional<std::int64_t> NumberIn(const HttpResponse& response, std::string_view name) {
  const auto header = std::ranges::find(response.headers, name, &HttpHeader::name);
  if (header == response.headers.end()) return std::nullopt;
  std::int64_t number = 0;
  const char* end = header->value.data() + header->value.size();
  const auto read = std::from_chars(header->value.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

bool Mentions(const json::value& body, std::string_view words) {
  std::string message = TextOf(body, "message");
  for (char& c : message) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return message.find(words) != std::string::npos;
}

// "Validation Failed (head: invalid; A pull request already exists for o:b.)"
std::string Explanation(const HttpResponse& response, const json::value& body) {
  std::string text = TextOf(body, "message");
  if (text.empty()) text = "status " + std::to_string(response.status);
  std::string details;
  if (const json::array* errors = Member(body, "errors").if_array()) {
    for (const json::value& error : *errors) {
      std::string detail = error.is_string() ? std::string(error.get_string()) : TextOf(error, "message");
      if (detail.empty()) detail = TextOf(error, "field") + ": " + TextOf(error, "code");
      details.append(details.empty() ? "" : "; ").append(detail);
    }
  }
  constexpr std::size_t kMost = 1000;
  text += details.empty() ? "" : " (" + details + ")";
  if (text.size() > kMost) text.resize(kMost);
  return text;
}

}  // namespace

std::optional<WallClock::time_point> RateLimitEnd(const HttpResponse& response, const json::value& body,
                                                  WallClock::time_point now) {
  if (response.status != kForbidden && response.status != kTooMany) return std::nullopt;
  const auto wait = NumberIn(response, "retry-after");
  const bool used_up = NumberIn(response, "x-ratelimit-remaining") == 0;
  if (response.status == kForbidden && !wait && !used_up && !Mentions(body, "rate limit")) return std::nullopt;
  if (wait) return now + std::chrono::seconds(std::min(*wait, kLongestWait));
  const auto reset = NumberIn(response, "x-ratelimit-reset");
  const std::int64_t latest = WallClock::to_time_t(now) + kLongestWait;
  if (used_up && reset) return WallClock::from_time_t(std::min(*reset, latest));
  return now + std::chrono::seconds(60);
}

bool HasFieldError(const json::value& body, std::string_view field, std::string_view code) {
  const json::array* errors = Member(body, "errors").if_array();
  return errors != nullptr && std::ranges::any_of(*errors, [&](const json::value& error) {
           return (field.empty() || TextOf(error, "field") == field) && (code.empty() || TextOf(error, "code") == code);
         });
}

OperationResult RefusalOf(const HttpResponse& response, const json::value& body, WallClock::time_point now) {
  const std::string text = Explanation(response, body);
  if (const auto end = RateLimitEnd(response, body, now)) {
    const std::string until = UtcSeconds(*end);
    OperationResult result = Refused(kRateLimit, "GitHub takes no more requests until " + until + ": " + text);
    result.data["reset_at"] = until;
    return result;
  }
  if (response.status == kUnauthorized) return Refused(kAuth, "GitHub refuses the token: " + text);
  if (response.status == kForbidden) return Refused(kAuth, "the token does not allow this: " + text);
  if (response.status == kMissing || response.status == kGone) {
    return Refused(kNotFound, text + " (or the token cannot see it)");
  }
  if (response.status >= kServerErrors || response.status < kClientErrors)
    return Refused(kNetwork, "GitHub answered with status " + std::to_string(response.status) + ": " + text);
  return Refused(kInvalidField, text);
}

}  // namespace awf::operations
