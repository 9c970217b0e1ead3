// What is known of one tool call, and the port that is told about it.
//
// Every call, also a refused, invalid, unknown or cancelled one, is reported exactly once as started and once as
// finished. The ToolRouter alone reports; observers turn the pair into a channel message (mcp-serve) or into a log
// line, an audit record and a span (parent).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/time.h"
#include "domain/tool.h"

namespace awf {

struct CallRecord {
  CallId call;                 // 16 hex digits, also the span id
  std::string tool;            // as the client named it
  ToolSource source;           // "unknown" for a tool that does not exist
  std::string request_id;      // JSON text of the JSON-RPC id, "null" when it had none; empty in-process
  std::string client_call_id;  // the model's own id of the call; may be empty
  std::string traceparent;     // W3C, from the client; may be empty
  std::string tracestate;      // beside it
  WallClock::time_point time;  // start
  std::uint64_t bytes_in = 0;  // serialized arguments
  std::string arguments;       // JSON text, at most kLongestContent; empty unless content is captured
};

// How much of the arguments and of the result of a call is captured, in bytes; what is longer is cut at a character.
// Cut before it is masked, as a server knows no secrets: see domain/masked_content.h.
inline constexpr std::size_t kLongestContent = 64 * 1024;

// Ends a string inside of arguments that was cut. They stay whole as JSON.
inline constexpr std::string_view kCutMark = "…";

inline bool ArgumentsWereCut(const CallRecord& call) { return call.arguments.size() < call.bytes_in; }

enum class CallOutcome { kOk, kError, kTimeout, kCancelled, kDenied, kLost };

constexpr std::string_view ToString(CallOutcome outcome) {
  switch (outcome) {
    case CallOutcome::kOk:
      return "ok";
    case CallOutcome::kError:
      return "error";
    case CallOutcome::kTimeout:
      return "timeout";
    case CallOutcome::kCancelled:
      return "cancelled";
    case CallOutcome::kDenied:
      return "denied";
    case CallOutcome::kLost:
      return "lost";
  }
  return "error";
}
std::optional<CallOutcome> ParseCallOutcome(std::string_view text);

struct CallEnd {
  CallOutcome outcome = CallOutcome::kOk;
  std::chrono::microseconds duration{0};
  std::string error;       // text for the log, at most 200 characters; empty when ok
  std::string error_type;  // tool_error, timeout, cancelled, policy_denied, invalid_arguments, proxy_lost, "-32602"
  std::string denied;      // "sandbox" or empty
  bool truncated = false;
  std::uint64_t bytes_out = 0;
  std::optional<int> exit_code;
  std::string result;                    // text blocks, at most kLongestContent; empty unless content is captured
  std::optional<WrittenFile> written{};  // by Write and Edit
  std::optional<RpcRecord> rpc{};        // of operations of plugins
};

// Images count as bytes and are not captured, so only a result of full length can have been cut.
inline bool ResultWasCut(const CallEnd& end) {
  constexpr std::size_t kLongestCharacter = 4;
  return end.result.size() < end.bytes_out && end.result.size() > kLongestContent - kLongestCharacter;
}

// Called on the thread where the thing happens; several calls may be in flight. Must not throw.
class ToolObserver {
 public:
  virtual ~ToolObserver() = default;
  virtual void Started(const CallRecord& call) = 0;
  virtual void Finished(const CallRecord& call, const CallEnd& end) = 0;
  // False once nobody can be told any more: then no tool may run. Asked after Started.
  virtual bool Reachable() const { return true; }
};

}  // namespace awf
