#include "infrastructure/agents/codex_items.h"

#include <algorithm>
#include <array>
#include <utility>

#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

// With these the model asks our server for resources, of which it has none. Codex offers them whatever its settings.
constexpr std::array<std::string_view, 3> kResourceTools = {"list_mcp_resources", "list_mcp_resource_templates",
                                                            "read_mcp_resource"};
// Told as the server where none is named by the model: all of them are asked, and ours is the only one.
constexpr std::string_view kNoServer = "codex";

std::string McpResult(const json::object& item) {
  if (const json::object* error = ObjectAt(item, "error")) return std::string(TextAt(*error, "message"));
  const json::object* result = ObjectAt(item, "result");
  const json::array* parts = result != nullptr ? ArrayAt(*result, "content") : nullptr;
  std::string text;
  if (parts == nullptr) return text;
  for (const json::value& part : *parts) {
    if (!part.is_object() || TextAt(part.get_object(), "type") != "text") continue;
    if (!text.empty()) text += '\n';
    text += TextAt(part.get_object(), "text");
  }
  return text;
}

void ReadMcpCall(const json::object& item, std::string_view server, CodexItem& read) {
  const std::string_view asked = TextAt(item, "server");
  const std::string_view tool = TextAt(item, "tool");
  read.name = std::string(asked) + "/" + std::string(tool);
  const bool of_resources = std::ranges::find(kResourceTools, tool) != kResourceTools.end();
  if (asked == server && !of_resources) read.tool = tool;
  read.native = asked != server && !(of_resources && asked == kNoServer);
  if (const json::value* arguments = item.if_contains("arguments")) read.input = json::serialize(*arguments);
  read.result = McpResult(item);
  read.denied = read.is_error && read.result.find("requires approval") != std::string::npos;
}

// Of a tool that is Codex' own, whatever it is: all that is no result.
std::string NativeInput(const json::object& item) {
  json::object input;
  for (const auto& [key, value] : item) {
    constexpr std::array<std::string_view, 6> kOthers = {"id",     "type",      "status",
                                                         "result", "exit_code", "aggregated_output"};
    if (std::ranges::find(kOthers, std::string_view(key)) == kOthers.end()) input[key] = value;
  }
  return json::serialize(input);
}

}  // namespace

CodexItem ReadCodexItem(const json::object& item, std::string_view server) {
  CodexItem read;
  read.id = TextAt(item, "id");
  read.type = TextAt(item, "type");
  read.text = TextAt(item, "text");
  // assistant_message: of older versions.
  if (read.type == "agent_message" || read.type == "assistant_message") {
    read.kind = CodexItem::Kind::kText;
  } else if (read.type == "reasoning") {
    read.kind = CodexItem::Kind::kReasoning;
  } else if (read.type != "error" && read.type != "user_message") {
    // A type that is not known is a tool of a version to come.
    read.kind = CodexItem::Kind::kTool;
    const std::string_view status = TextAt(item, "status");
    read.refused = status == "declined";
    read.is_error = read.refused || status == "failed" || IntegerAt(item, "exit_code") != 0;
    if (read.type == "mcp_tool_call") {
      ReadMcpCall(item, server, read);
    } else {
      read.name = read.type;
      read.native = true;
      read.input = NativeInput(item);
      read.result = TextAt(item, "aggregated_output");
    }
  }
  return read;
}

AgentMessage UseMessage(const CodexItem& item) {
  MessageBlock block;
  block.type = "tool_use";
  block.text = item.input;
  block.name = item.name;
  block.call_id = item.id;
  block.native = item.tool.empty();
  block.tool = item.tool;
  return {MessageRole::kAssistant, {std::move(block)}};
}

AgentMessage ResultMessage(const CodexItem& item) {
  MessageBlock block;
  block.type = "tool_result";
  block.text = item.result;
  block.call_id = item.id;
  block.is_error = item.is_error;
  return {MessageRole::kUser, {std::move(block)}};
}

}  // namespace awf::agents
