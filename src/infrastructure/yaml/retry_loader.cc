#include <array>
#include <string>
#include <string_view>

#include "infrastructure/yaml/setting_loaders.h"

namespace awf {
namespace {

constexpr std::array<std::string_view, 7> kKeys = {"max_attempts", "initial_delay", "max_delay",           "backoff",
                                                   "multiplier",   "jitter",        "retryable_exit_codes"};
constexpr std::array<std::string_view, 3> kBackoffs = {"constant", "linear", "exponential"};
constexpr double kMaxMultiplier = 100;  // ours: the delay would pass every bound in the second retry

std::vector<int> ExitCodes(const YamlNode& list, YamlReader& reader) {
  const std::string field = "retry.retryable_exit_codes";
  std::vector<int> codes;
  if (!reader.IsList(list, field)) return codes;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    // 0 is no failure.
    if (const auto code = reader.Integer(*list.items[i], field + "[" + std::to_string(i) + "]", 1, 255)) {
      codes.push_back(static_cast<int>(*code));
    }
  }
  return codes;
}

}  // namespace

RetryPolicy LoadRetry(const YamlNode& node, YamlReader& reader) {
  RetryPolicy retry;
  if (!reader.IsMap(node, "retry")) return retry;
  reader.CheckKeys(node, {kKeys, {}, {}}, "retry");
  const auto find = [&](std::string_view key) { return YamlReader::FindValue(node, key); };
  if (const YamlNode* value = find("max_attempts")) {
    retry.max_attempts = static_cast<int>(reader.Integer(*value, "retry.max_attempts", 1, 100).value_or(1));
  }
  if (const YamlNode* value = find("initial_delay")) {
    retry.initial_delay = reader.Duration(*value, "retry.initial_delay").value_or(retry.initial_delay);
  }
  if (const YamlNode* value = find("max_delay")) retry.max_delay = reader.Duration(*value, "retry.max_delay");
  if (const YamlNode* value = find("backoff")) {
    const std::string word = reader.Word(*value, "retry.backoff", kBackoffs).value_or("constant");
    if (word == "linear") retry.backoff = Backoff::kLinear;
    if (word == "exponential") retry.backoff = Backoff::kExponential;
  }
  if (const YamlNode* value = find("multiplier")) {
    retry.multiplier = reader.Number(*value, "retry.multiplier", 1, kMaxMultiplier).value_or(retry.multiplier);
  }
  if (const YamlNode* value = find("jitter")) {
    retry.jitter = reader.Number(*value, "retry.jitter", 0, 1).value_or(retry.jitter);
  }
  if (const YamlNode* value = find("retryable_exit_codes")) retry.retryable_exit_codes = ExitCodes(*value, reader);
  return retry;
}

}  // namespace awf
