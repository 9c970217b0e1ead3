#include "infrastructure/agents/github_copilot_messages.h"

#include <string>
#include <utility>

#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

void AddText(std::string type, std::string_view text, AgentMessage& message) {
  if (text.empty()) return;
  MessageBlock block;
  block.type = std::move(type);
  block.text = text;
  message.blocks.push_back(std::move(block));
}

MessageBlock CallBlock(const json::object& call, std::string_view server) {
  MessageBlock block;
  block.type = "tool_use";
  if (const json::value* arguments = call.if_contains("arguments")) block.text = json::serialize(*arguments);
  block.name = TextAt(call, "name");
  block.call_id = TextAt(call, "toolCallId");
  block.native = TextAt(call, "mcpServerName") != server;
  if (!block.native) block.tool = TextAt(call, "mcpToolName");
  return block;
}

}  // namespace

AgentMessage ReadCopilotMessage(const json::object& data, std::string_view server) {
  AgentMessage message{MessageRole::kAssistant, {}};
  AddText("thinking", TextAt(data, "reasoningText"), message);
  AddText("text", TextAt(data, "content"), message);
  const json::array* calls = ArrayAt(data, "toolRequests");
  if (calls == nullptr) return message;
  for (const json::value& call : *calls) {
    if (call.is_object()) message.blocks.push_back(CallBlock(call.get_object(), server));
  }
  return message;
}

AgentMessage ReadCopilotResult(const json::object& data) {
  MessageBlock block;
  block.type = "tool_result";
  block.call_id = TextAt(data, "toolCallId");
  block.is_error = !BoolAt(data, "success");
  if (const json::object* result = ObjectAt(data, "result")) block.text = TextAt(*result, "content");
  if (const json::object* error = ObjectAt(data, "error")) block.text = TextAt(*error, "message");
  return {MessageRole::kUser, {std::move(block)}};
}

}  // namespace awf::agents
