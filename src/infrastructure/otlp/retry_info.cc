#include "infrastructure/otlp/retry_info.h"

#include "otlp_trace.pb.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace awf::otlp {
namespace {

constexpr std::size_t kLongestDetails = 64U << 10;

std::optional<std::string> Base64Decoded(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;  // of the low bits that wait
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(digit)) & 0xFFFFU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFFU));
  }
  return bytes;
}

std::chrono::milliseconds Delay(const proto::RetryInfo::Duration& duration) {
  constexpr std::int64_t kLongest = 24 * 3600;
  const std::int64_t seconds = std::clamp<std::int64_t>(duration.seconds(), 0, kLongest);
  const int nanoseconds = std::clamp(duration.nanos(), 0, 999'999'999);
  return std::min<std::chrono::milliseconds>(
      std::chrono::seconds(seconds) + std::chrono::milliseconds(nanoseconds / 1'000'000), std::chrono::hours(24));
}

}  // namespace

std::optional<std::chrono::milliseconds> RetryDelay(std::string_view details) {
  if (details.size() > kLongestDetails) return std::nullopt;
  const auto bytes = Base64Decoded(details);
  proto::RpcStatus status;
  if (!bytes || !status.ParseFromString(*bytes)) return std::nullopt;
  for (const proto::Any& detail : status.details()) {
    proto::RetryInfo info;
    if (!detail.type_url().ends_with("/google.rpc.RetryInfo") || !info.ParseFromString(detail.value())) continue;
    return Delay(info.retry_delay());
  }
  return std::nullopt;
}

}  // namespace awf::otlp
