// A tools/call as the embedder sees it: the hook that runs it, its context and its result.
//
// The hook is called once for every tools/call with a string name and an object of arguments, unknown names and calls
// that were cancelled while they waited included, so it can keep a complete record. It runs on a worker thread, several
// at once, under a catch-all: what it throws becomes an isError result.
#pragma once

#include <boost/json.hpp>
#include <expected>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/content.h"

namespace mcp {

namespace json = boost::json;

struct CallResult {
  std::vector<Content> content;
  bool is_error = false;  // the tool failed; the model reads why in the content
  json::object meta;      // "_meta" of the result; may be empty
};

// There is no such tool: becomes the JSON-RPC error -32602. Every other failure is a CallResult with is_error.
struct CallError {
  enum Kind { kUnknownTool } kind = kUnknownTool;
  std::string message;
};

// Valid during the call only. All members may be used from any thread.
class CallContext {
 public:
  virtual ~CallContext() = default;

  // Fires when the client cancels the call or the server ends. No answer is sent afterwards, whatever the hook returns.
  virtual std::stop_token cancelled() const = 0;
  // The id of the request as JSON text, byte for byte as the client wrote it: 7 or "7".
  virtual std::string_view request_id() const = 0;
  // "_meta" of the request.
  virtual const json::object& meta() const = 0;
  // The model's own id of the call: "claudecode/toolUseId" or "callId" of the meta data; empty when there is none.
  virtual std::string_view client_call_id() const = 0;
  // W3C trace context from the meta data; empty when absent or malformed.
  virtual std::string_view traceparent() const = 0;
  virtual std::string_view tracestate() const = 0;
  virtual std::string_view baggage() const = 0;
  // Tells the client how far the call is. Returns whether a notification was sent: only when the client asked for it,
  // done has grown since the last one, which is at least 100 ms ago, and the call is neither answered nor cancelled.
  virtual bool Progress(double done, std::optional<double> total = {}, std::string_view message = {}) = 0;
};

using CallHandler = std::function<std::expected<CallResult, CallError>(CallContext& context, std::string_view tool,
                                                                       const json::object& arguments)>;

}  // namespace mcp
