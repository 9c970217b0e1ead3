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
#include "domain/masker.h"
#include "domain/run_observer.h"
#include "domain/tool.h"

namespace awf::agents {

struct ChatCall {
  std::string id, name;
  // The arguments, or what is wrong with them.
  std::expected<json::object, std::string> arguments;
  std::string raw{};  // what stood there when it is no object
};

struct ChatAnswer {
  std::string text;
  std::string reasoning;  // for the records alone: neither output nor sent back
  std::vector<ChatCall> calls;
  std::string finish_reason;        // "" when absent or null
  std::optional<TokenUsage> usage;  // absent when the answer has none
  json::object message;             // to be sent back: role, content, tool_calls
};

// Why there is no answer, in the server's words or in ours.
struct ChatFault {
  std::string message;          // not masked yet; at most 16 KiB
  long status = 0;              // HTTP status that the code (else the type) stands for; 0 when it is none
  bool context_length = false;  // the conversation is longer than the model can read
  bool cut = false;             // the answer ended too early: asking again may help
};

// `used_ids` holds the call ids of the conversation so far and gets those of an answer that is returned.
std::expected<ChatAnswer, ChatFault> ParseChatAnswer(std::string_view body, std::set<std::string>& used_ids);
std::expected<ChatAnswer, ChatFault> ReadChatAnswer(const json::object& body, std::set<std::string>& used_ids);

// Content as a string, null, or parts of which the text ones count.
std::string ChatContentText(const json::value* content);
// The thoughts in a message or delta, under either name that servers use.
std::string_view ChatReasoningText(const json::object& message);

// What an error body says: error.message, or error, message or detail; else the beginning of the body. Of an array it
// is the first object.
ChatFault ParseChatFault(std::string_view body);
ChatFault ReadChatFault(const json::object& body);
// Whether a body or event says nothing but what went wrong.
bool IsChatFault(const json::object& body);
// The body: an object, or the first of an array that tells of an error. Null when it is neither.
const json::object* ChatBodyIn(const json::value& parsed);

// The message without secrets, at most 500 characters.
std::string ShownChatFault(const ChatFault& fault, const Masker& masker);

// The `tools` of a request.
json::array ChatTools(const std::vector<ToolDefinition>& tools);

// The answer as one message of the conversation: thoughts, text, uses of tools.
AgentMessage ToAgentMessage(const ChatAnswer& answer);

}  // namespace awf::agents
