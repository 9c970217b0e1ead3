#include "infrastructure/probe/request_reader.h"

#include <algorithm>
#include <set>

#include "application/language/characters.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::probe {
namespace {

using agents::ArrayAt;
using agents::ObjectAt;
using agents::TextAt;

// All strings of a value, in order: results are texts, lists of parts, or objects.
void AppendTexts(const json::value& value, std::string& text) {
  if (value.is_string()) {
    text.append(text.empty() ? "" : "\n").append(value.get_string());
  } else if (value.is_array()) {
    for (const json::value& item : value.get_array()) AppendTexts(item, text);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.get_object()) {
      if (key != "type") AppendTexts(member, text);
    }
  }
}

ToolAnswer AnswerOf(std::string_view call, const json::object& holder, std::string_view key) {
  ToolAnswer answer{std::string(call), {}};
  if (const json::value* value = holder.if_contains(key)) AppendTexts(*value, answer.text);
  return answer;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), ToLower);
  return lower;
}

// One element of "messages", "input" or "contents", or one of its parts.
void ReadItem(const json::object& item, std::vector<ToolAnswer>& answers) {
  const std::string_view type = TextAt(item, "type");
  if (TextAt(item, "role") == "tool") {
    answers.push_back(AnswerOf(TextAt(item, "tool_call_id"), item, "content"));
  } else if (type == "tool_result") {
    answers.push_back(AnswerOf(TextAt(item, "tool_use_id"), item, "content"));
  } else if (type.ends_with("_call_output")) {
    answers.push_back(AnswerOf(TextAt(item, "call_id"), item, "output"));
  } else if (const json::object* response = ObjectAt(item, "functionResponse")) {
    answers.push_back(AnswerOf(TextAt(*response, "name"), *response, "response"));
  } else {
    for (const char* list : {"content", "parts"}) {
      const json::array* parts = ArrayAt(item, list);
      if (parts == nullptr) continue;
      for (const json::value& part : *parts) {
        if (part.is_object()) ReadItem(part.get_object(), answers);
      }
    }
  }
}

void AddNames(const json::object& tool, std::set<std::string>& names) {
  bool group = false;
  for (const char* list : {"functionDeclarations", "function_declarations", "tools"}) {
    const json::array* members = ArrayAt(tool, list);
    if (members == nullptr) continue;
    group = true;
    for (const json::value& member : *members) {
      if (member.is_object()) AddNames(member.get_object(), names);
    }
  }
  if (group) return;
  const json::object* function = ObjectAt(tool, "function");
  const std::string_view name = TextAt(function != nullptr ? *function : tool, "name");
  names.emplace(name.empty() ? TextAt(tool, "type") : name);
}

}  // namespace

std::vector<ToolAnswer> ToolAnswers(const json::value& body) {
  std::vector<ToolAnswer> answers;
  if (!body.is_object()) return answers;
  for (const char* list : {"messages", "input", "contents"}) {
    const json::array* items = ArrayAt(body.get_object(), list);
    if (items == nullptr) continue;
    for (const json::value& item : *items) {
      if (item.is_object()) ReadItem(item.get_object(), answers);
    }
  }
  return answers;
}

std::vector<std::string> NamesOfTools(const json::value& body) {
  std::set<std::string> names;
  const json::array* tools = body.is_object() ? ArrayAt(body.get_object(), "tools") : nullptr;
  if (tools != nullptr) {
    for (const json::value& tool : *tools) {
      if (tool.is_object()) AddNames(tool.get_object(), names);
    }
  }
  return {names.begin(), names.end()};
}

bool IsRefusal(std::string_view text, std::string_view tool) {
  const std::string lower = Lower(text.substr(0, 1000));
  const auto says = [&](std::string_view words) { return lower.find(words) != std::string::npos; };
  // OpenCode names another tool than the one that was called.
  for (const char* words :
       {"no such tool", "unavailable tool", "unsupported call", "unsupported custom tool call", "unknown tool"}) {
    if (says(words)) return true;
  }
  const std::string name = Lower(tool);
  for (const char quote : {'"', '\'', '`'}) {
    const std::string named = std::string("tool ") + quote + name + quote;
    if (says(named + " not found") || says(named + " does not exist") || says(named + " is not available")) return true;
  }
  return false;
}

}  // namespace awf::probe
