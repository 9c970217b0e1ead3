// ToolRouter: the one path that every tool call takes, in mcp-serve and in the in-process path alike.
//
// Knows every tool by its final name, checks and coerces the arguments, runs the call under a catch-all, and tells its
// observer exactly once that the call started and once how it ended: refused, invalid, unknown and cancelled calls
// included. So there is one record per call, whatever happens.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/tool.h"
#include "domain/tool_observer.h"

namespace awf {

// A call as it comes in from a client.
struct IncomingCall {
  std::string_view tool;
  const json::object& arguments;
  std::string request_id;  // JSON text; empty in-process
  std::string client_call_id;
  std::string traceparent;
  Deadline deadline;
  std::stop_token cancelled;
  std::string tracestate{};
  // What the model wrote instead, when that is no object; empty: `arguments` are what came.
  std::string_view raw_arguments{};
};

struct UnknownTool {
  std::string message;  // "unknown tool X; available: Read, …"
};

// Thread-safe after the last Add and CaptureContent. Owns neither checker nor observer.
class ToolRouter {
 public:
  ToolRouter(const ArgumentChecker& checker, ToolObserver& observer);

  // Refuses a provider of which a tool's name is taken (USER.MCP_PROXY.NAME_COLLISION).
  std::expected<void, Error> Add(const std::shared_ptr<ToolProvider>& provider);

  // From here on the records of calls carry their arguments and results, at most kLongestContent of each.
  void CaptureContent(bool capture) { captures_ = capture; }

  // In the order of the list: the six built-ins first, then by name.
  const std::vector<ToolDefinition>& Definitions() const { return definitions_; }
  std::vector<std::string> Names() const;

  std::expected<ToolResult, UnknownTool> Call(const IncomingCall& call);

  // For a tools/call that never becomes one (no string name, arguments no object): makes its record. `error` is what
  // the model is told.
  void Reject(const IncomingCall& call, const std::string& error, const std::string& error_type);

 private:
  struct Entry {
    ToolDefinition definition;
    std::shared_ptr<ToolProvider> provider;
  };

  CallRecord RecordOf(const IncomingCall& call) const;
  CallEnd Refused(std::string_view error, std::string_view error_type) const;
  void Record(const CallRecord& record, const CallEnd& end);  // of a call that never ran
  ToolResult Run(const Entry& entry, const CallRecord& record, const ToolCall& call);
  static ToolResult Guarded(ToolProvider& provider, const ToolCall& call);
  UnknownTool DescribeUnknown(std::string_view tool) const;

  const ArgumentChecker& checker_;
  ToolObserver& observer_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<ToolDefinition> definitions_;
  bool captures_ = false;
};

}  // namespace awf
