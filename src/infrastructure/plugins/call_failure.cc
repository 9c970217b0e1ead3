#include "infrastructure/plugins/call_failure.h"

#include <array>
#include <charconv>
#include <utility>

#include "domain/trimmed.h"
#include "domain/utf8.h"
#include "infrastructure/plugins/shown_text.h"

namespace awf::plugins {
namespace {

constexpr std::array<std::string_view, 17> kStatusNames = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

// The size of a message and the limit that it broke. grpc-go, C-core and grpc-js all write "(8388632 vs. 4194304)", the
// last one without the dot.
struct Sizes {
  std::size_t message = 0, limit = 0;
};

bool TakeNumber(std::string_view& text, std::size_t& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<Sizes> SizesIn(std::string_view text) {
  for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
    std::string_view rest = text.substr(open + 1);
    Sizes sizes;
    if (!TakeNumber(rest, sizes.message) || !rest.starts_with(" vs")) continue;
    rest = rest.substr(3);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    rest = Trimmed(rest, " ");
    if (TakeNumber(rest, sizes.limit) && rest.starts_with(')')) return sizes;
  }
  return std::nullopt;
}

std::optional<std::string> TooLarge(const CallFailure& failure) {
  if (failure.status.code != kRpcResourceExhausted) return std::nullopt;
  const std::string_view text = failure.status.message;
  const auto sizes = SizesIn(text);
  if (!sizes) return std::nullopt;
  const bool arguments = sizes->message == failure.request_bytes && !failure.status.reply_too_large;
  const bool by_sender =
      text.find("Sent message") != std::string_view::npos || text.find("to send message") != std::string_view::npos;
  std::string_view who = arguments == by_sender ? "awf" : "the plugin";
  std::string told = arguments ? "arguments too large (" : "result too large (";
  told.append(std::to_string(sizes->message)).append(" bytes, ").append(who);
  told.append(by_sender ? " sends at most " : " accepts ").append(std::to_string(sizes->limit)).append(")");
  return told;
}

}  // namespace

std::string StatusName(int code) {
  if (code >= 0 && std::cmp_less(code, kStatusNames.size()))
    return std::string(kStatusNames[static_cast<std::size_t>(code)]);
  return "status " + std::to_string(code);
}

std::string StatusText(const RpcStatus& status) {
  const std::string text = RepairUtf8(Trimmed(status.message));
  if (text.empty()) return StatusName(status.code);
  return status.code == kRpcUnknown ? text : StatusName(status.code) + ": " + text;
}

bool MayBeTheEnd(const RpcStatus& status) {
  return status.code == kRpcUnavailable ||
         (status.code == kRpcInternal && status.message.find("RST_STREAM") != std::string::npos);
}

std::string EndedDuring(std::string_view what, const process::ExitStatus& status, std::string_view errors,
                        std::string_view output) {
  std::string text = "plugin process ended during " + std::string(what) + " (" + ExitText(status) + ")";
  const std::string_view last = Trimmed(errors);
  const std::string_view printed = Trimmed(output);
  if (!last.empty()) return text + "; last stderr: " + RepairUtf8(last);
  return printed.empty() ? text : text + "; last stdout: " + RepairUtf8(printed);
}

std::string FailureText(std::string_view plugin, const CallFailure& failure) {
  std::string text = std::string(plugin) + ": ";
  if (failure.ended) return text + EndedDuring("the call", *failure.ended, failure.errors, failure.output);
  if (const auto too_large = TooLarge(failure)) return text + *too_large;
  if (!MayBeTheEnd(failure.status)) return text + StatusText(failure.status);
  const std::string& cause = failure.connect_error.empty() ? failure.status.message : failure.connect_error;
  return text +
         "connection to the plugin broke: " + (cause.empty() ? StatusName(failure.status.code) : RepairUtf8(cause));
}

}  // namespace awf::plugins
