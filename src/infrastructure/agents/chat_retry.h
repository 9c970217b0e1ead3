// When a request to a model's server is made again, and after how long. Pure, thread-safe.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>

#include "infrastructure/http/http_client.h"

namespace awf::agents {

inline constexpr int kChatRetries = 3;
// What a server may ask for in Retry-After; who asks for more is not waited for.
inline constexpr std::chrono::seconds kLongestRetryAfter{60};

bool IsRetried(http::HttpFailure::Kind kind);
bool IsRetriedStatus(long status);

// The pause before retry number `retry` (from 0): `first`, then twice as long each time, and up to a quarter of it more
// by chance, so that parallel steps do not come back in step; but at least what the server wants. The error says why
// there is none: the server wants more than 60 s, or more than `left`.
std::expected<std::chrono::milliseconds, std::string> ChatRetryPause(int retry, std::chrono::milliseconds first,
                                                                     std::optional<std::chrono::seconds> wanted,
                                                                     std::optional<std::chrono::milliseconds> left);

}  // namespace awf::agents
