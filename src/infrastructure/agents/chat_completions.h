// The Chat Completions wire format: what an answer says, and the messages that go back.
//
// Lenient in what servers differ in (content as text, parts or null; arguments as text or object; missing or repeated
// call ids), strict in what cannot be guessed (no choices, the legacy function_call, an error in a 2xx answer).
#pragma once

#include <expected>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"
#include "domain/run_observer.h"
#include "domain/tool.h"

namespace awf::agents {

struct ChatCall {
  std::string id, name;
  // The arguments, or what is wrong with them.
  std::expected<json::object, std::string> arguments;
};

struct ChatAnswer {
  std::string text;
  std::vector<ChatCall> calls;
  std::string finish_reason;        // "" when absent or null
  std::optional<TokenUsage> usage;  // absent when the answer has none
  json::object message;             // to be sent back: role, content, tool_calls
};

// `used_ids` holds the call ids of the conversation so far and gets the new ones. The error is a message for the user.
std::expected<ChatAnswer, std::string> ParseChatAnswer(std::string_view body, std::set<std::string>& used_ids);

// The text in an error body: error.message, or error, or message; else the beginning of the body. At most 500
// characters.
std::string ChatErrorText(std::string_view body);

json::array ChatTools(const std::vector<ToolDefinition>& tools);

}  // namespace awf::agents
