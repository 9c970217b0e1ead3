#include "infrastructure/agents/chat_retry.h"

#include <algorithm>
#include <cstdint>

#include "domain/random_id.h"

namespace awf::agents {

using std::chrono::milliseconds;

bool IsRetried(http::HttpFailure::Kind kind) {
  return kind == http::HttpFailure::Kind::kNoConnection || kind == http::HttpFailure::Kind::kBroken;
}

bool IsRetriedStatus(long status) { return status == 408 || status == 429 || status >= 500; }

std::expected<milliseconds, std::string> ChatRetryPause(int retry, milliseconds first,
                                                        std::optional<std::chrono::seconds> wanted,
                                                        std::optional<milliseconds> left) {
  milliseconds pause = first * (1 << retry);
  pause += milliseconds(RandomUpTo(static_cast<std::uint64_t>(pause.count() / 4)));
  const bool too_long = wanted && *wanted > kLongestRetryAfter;
  if (wanted && !too_long) pause = std::max<milliseconds>(pause, *wanted);
  if (!too_long && (!left || pause < *left)) return pause;
  if (wanted) {
    return std::unexpected("the server asks to wait " + std::to_string(wanted->count()) + " s" +
                           (too_long ? "" : ", and the step has less time left"));
  }
  return std::unexpected("the step has no time left for another try");
}

}  // namespace awf::agents
