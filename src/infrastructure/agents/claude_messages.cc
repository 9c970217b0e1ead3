#include "infrastructure/agents/claude_messages.h"

#include <utility>

#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

// Of a tool's result: a text, or blocks of which only texts count.
std::string ResultText(const json::object& result) {
  std::string text(TextAt(result, "content"));
  if (const json::array* parts = ArrayAt(result, "content")) {
    for (const json::value& part : *parts) {
      if (!part.is_object() || TextAt(part.get_object(), "type") != "text") continue;
      if (!text.empty()) text += '\n';
      text += TextAt(part.get_object(), "text");
    }
  }
  return text;
}

MessageBlock UseBlock(const json::object& part, const std::function<std::string(std::string_view)>& final_name) {
  MessageBlock block;
  block.type = "tool_use";
  if (const json::value* input = part.if_contains("input")) block.text = json::serialize(*input);
  block.name = TextAt(part, "name");
  block.call_id = TextAt(part, "id");
  block.tool = final_name(block.name);
  block.native = block.tool.empty();
  return block;
}

MessageBlock ResultBlock(const json::object& part) {
  MessageBlock block = TextBlock("tool_result", ResultText(part));
  block.call_id = TextAt(part, "tool_use_id");
  block.is_error = BoolAt(part, "is_error");
  return block;
}

}  // namespace

AgentMessage ReadClaudeMessage(const json::object& event, MessageRole role,
                               const std::function<std::string(std::string_view)>& final_name) {
  AgentMessage said{role, {}};
  const json::object* message = ObjectAt(event, "message");
  if (message == nullptr || TextAt(*message, "model") == "<synthetic>") return said;
  const bool of_subagent = !TextAt(event, "parent_tool_use_id").empty();
  if (const std::string_view text = TextAt(*message, "content"); !text.empty() && !of_subagent) {
    said.blocks.push_back(TextBlock("text", text));
  }
  const json::array* content = ArrayAt(*message, "content");
  if (content == nullptr) return said;
  for (const json::value& block : *content) {
    if (!block.is_object()) continue;
    const json::object& part = block.get_object();
    const std::string_view type = TextAt(part, "type");
    if (type == "tool_use") said.blocks.push_back(UseBlock(part, final_name));
    if (type == "tool_result") said.blocks.push_back(ResultBlock(part));
    if (of_subagent) continue;
    if (type == "text") said.blocks.push_back(TextBlock("text", TextAt(part, "text")));
    if (type == "thinking") said.blocks.push_back(TextBlock("thinking", TextAt(part, "thinking")));
    if (type == "redacted_thinking") said.blocks.push_back(TextBlock("thinking", {}));
  }
  return said;
}

}  // namespace awf::agents
