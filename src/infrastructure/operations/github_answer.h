// What an answer of GitHub means: the typed failure behind a status, and when a rate limit ends. Pure, thread-safe.
#pragma once

#include <chrono>
#include <optional>

#include "domain/json.h"
#include "domain/operation.h"
#include "domain/time.h"
#include "infrastructure/http/http_client.h"

namespace awf::operations {

// When to ask again, if the answer says that the rate limit is reached. By Retry-After, else by X-RateLimit-Reset, else
// in a minute, as GitHub wants it.
std::optional<WallClock::time_point> RateLimitEnd(const http::HttpResponse& response, const json::value& body,
                                                  WallClock::time_point now);

// Of an answer with another status than 2xx.
OperationResult RefusalOf(const http::HttpResponse& response, const json::value& body, WallClock::time_point now);

// A validation error of that field or code ("base", "invalid") is among those of the body. Empty: any.
bool HasFieldError(const json::value& body, std::string_view field, std::string_view code);

}  // namespace awf::operations
