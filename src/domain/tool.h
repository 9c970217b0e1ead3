// Tools as the agent sees them, and the port behind which they live.
//
// A ToolProvider offers tools and runs calls of them: the six built-in ones, or the operations of a plugin. The
// ToolRouter (application/tool_router.h) is the one path that every call takes to a provider.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/json.h"
#include "domain/time.h"
#include "domain/written_file.h"

namespace awf {

// Where a tool comes from, as written in log, audit and span: "builtin", "plugin:NAME" or "unknown".
using ToolSource = std::string;
inline constexpr std::string_view kBuiltinSource = "builtin";
inline constexpr std::string_view kUnknownSource = "unknown";

// 16 random lower-case hex digits; also the span id of the call.
using CallId = std::string;

// The hints of MCP. Absent means "not sent".
struct Annotations {
  std::optional<bool> read_only, destructive, idempotent, open_world;
};

// How an argument that is not declared in the schema is turned into one that is.
struct ArgumentAlias {
  enum class Transform {
    kCopy,         // same value, other name
    kNegate,       // boolean, inverted (case_sensitive → case_insensitive)
    kSecondsToMs,  // integer × 1000 (timeout_seconds → timeout)
    kEndToCount,   // inclusive end → count from the canonical "offset" (end_line → limit)
  };
  std::string name;
  std::string canonical;
  Transform transform = Transform::kCopy;
};

// What a tool accepts beside its declared schema. Aliases never override a canonical argument that is present.
struct ArgumentRules {
  std::vector<ArgumentAlias> aliases;
  json::object hidden;  // accepted but undeclared: name → property schema; handed to the tool after coercion
  std::vector<std::string> ignored;  // dropped without a word, whatever their value; declared ones too
  // name → property schema, for declared arguments that are checked against another one than is sent: what clients
  // need to see may be narrower than what the tool takes, or wider.
  json::object checked{};
};

struct ToolDefinition {
  std::string name;
  std::string description;    // under 2 KiB
  json::object input_schema;  // plain root object: type, properties, required
  Annotations annotations;
  ToolSource source{kBuiltinSource};
  ArgumentRules rules;
};

struct TextContent {
  std::string text;  // valid UTF-8 without NUL
};
struct ImageContent {
  std::string data;  // base64
  std::string mime_type;
};
using Content = std::variant<TextContent, ImageContent>;

// One call, after the router has looked it up and checked it. Valid during ToolProvider::Call only.
struct ToolCall {
  CallId id;
  std::string_view tool;
  const json::object& arguments;  // canonical names, coerced types
  Deadline deadline;              // of the step; a tool's own limit may be shorter
  std::stop_token cancelled;
};

// A call over RPC that a tool call or an operation step came to: an event of its span.
struct RpcRecord {
  std::string service, method;                      // plugin.v1.OperationService, Execute
  int status = 0;                                   // of gRPC
  std::chrono::microseconds begin{0}, duration{0};  // begin: after the start of the call

  friend bool operator==(const RpcRecord&, const RpcRecord&) = default;
};

// What log, audit and span need to know about a result beside its text.
struct ResultFields {
  std::optional<int> exit_code;  // Bash
  bool truncated = false;        // something was left out of the text
  bool timed_out = false;
  bool invalid_arguments = false;        // the tool found a fault in them and did nothing
  bool cancelled = false;                // the caller gave up before there was an answer
  bool lost = false;                     // the process that ran the call was killed; nothing is known of its effect
  std::string denied;                    // "sandbox" when policy refused the call
  std::string log_error;                 // error text for the log when the first line of the text is not the right one
  std::optional<WrittenFile> written{};  // Write, Edit
  std::optional<RpcRecord> rpc{};        // operations of plugins
  json::object structured;  // the founding fields (content; path, success; stdout, …), for in-process users
};

struct ToolResult {
  std::vector<Content> content;  // never empty; the first block is a text that is never empty
  bool is_error = false;
  ResultFields fields;

  static ToolResult Text(std::string text) { return {{TextContent{std::move(text)}}, false, {}}; }
  static ToolResult Failure(std::string text) { return {{TextContent{std::move(text)}}, true, {}}; }
};

// Offers tools and runs calls of them. Thread-safe: Call may run on several threads at once, Tools() is constant.
// Call reports every failure in its result; what it throws nevertheless is caught by the router.
class ToolProvider {
 public:
  virtual ~ToolProvider() = default;
  virtual std::vector<ToolDefinition> Tools() const = 0;
  virtual ToolResult Call(const ToolCall& call) = 0;
};

// Checks and coerces the arguments of a call against the definition of its tool.
// Returns the arguments under their canonical names, or every fault in one sentence ("invalid arguments: …").
class ArgumentChecker {
 public:
  virtual ~ArgumentChecker() = default;
  virtual std::expected<json::object, std::string> Check(const ToolDefinition& tool,
                                                         const json::object& arguments) const = 0;
};

}  // namespace awf
