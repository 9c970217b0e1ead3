#include "infrastructure/agents/chat_completions.h"

#include "domain/utf8.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

// A string, null, or parts of which the text ones count.
std::string ContentText(const json::value* content) {
  if (content == nullptr) return {};
  if (content->is_string()) return std::string(content->get_string());
  std::string text;
  if (const json::array* parts = content->if_array()) {
    for (const json::value& part : *parts) {
      if (part.is_object()) text += TextAt(part.get_object(), "text");
    }
  }
  return text;
}

std::expected<json::object, std::string> ParseArguments(const json::value* value) {
  if (value == nullptr || value->is_null()) return json::object();
  if (value->is_object()) return value->get_object();
  if (!value->is_string()) return std::unexpected("invalid arguments: not a JSON object");
  const std::string_view text = value->get_string();
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return json::object();
  auto parsed = ParseRepairedJson(text);
  if (!parsed) return std::unexpected("invalid arguments: not valid JSON");
  if (!parsed->is_object()) return std::unexpected("invalid arguments: not a JSON object");
  return std::move(parsed->get_object());
}

std::string UniqueId(std::string_view wanted, std::set<std::string>& used) {
  std::string id(wanted);
  for (std::size_t number = used.size() + 1; id.empty() || used.contains(id); ++number) {
    id = (wanted.empty() ? "call" : std::string(wanted)) + "_" + std::to_string(number);
  }
  used.insert(id);
  return id;
}

TokenUsage UsageOf(const json::object& usage) {
  TokenUsage tokens;
  tokens.input = IntegerAt(usage, "prompt_tokens");
  tokens.output = IntegerAt(usage, "completion_tokens");
  tokens.total = IntegerAt(usage, "total_tokens");
  if (tokens.total == 0) tokens.total = tokens.input + tokens.output;
  return tokens;
}

void TakeCalls(const json::array& calls, std::set<std::string>& used_ids, ChatAnswer& answer) {
  json::array sent_back;
  for (const json::value& item : calls) {
    if (!item.is_object()) continue;
    json::object call = item.get_object();
    const json::object* function = ObjectAt(call, "function");
    if (function == nullptr) continue;
    ChatCall taken{UniqueId(TextAt(call, "id"), used_ids), std::string(TextAt(*function, "name")),
                   ParseArguments(function->if_contains("arguments"))};
    call["id"] = taken.id;
    sent_back.emplace_back(std::move(call));
    answer.calls.push_back(std::move(taken));
  }
  if (!sent_back.empty()) answer.message["tool_calls"] = std::move(sent_back);
}

}  // namespace

std::expected<ChatAnswer, std::string> ParseChatAnswer(std::string_view body, std::set<std::string>& used_ids) {
  const auto parsed = ParseRepairedJson(body);
  if (!parsed || !parsed->is_object()) return std::unexpected("the answer is not a JSON object");
  const json::object& root = parsed->get_object();
  const json::value* error = root.if_contains("error");
  if (error != nullptr && !error->is_null()) return std::unexpected(ChatErrorText(body));
  const json::array* choices = ArrayAt(root, "choices");
  const json::object* choice = choices != nullptr && !choices->empty() ? (*choices)[0].if_object() : nullptr;
  const json::object* message = choice != nullptr ? ObjectAt(*choice, "message") : nullptr;
  if (message == nullptr) return std::unexpected("the answer has no choices with a message");

  ChatAnswer answer;
  answer.finish_reason = TextAt(*choice, "finish_reason");
  answer.text = ContentText(message->if_contains("content"));
  const json::value* content = message->if_contains("content");
  answer.message = {{"role", "assistant"}, {"content", content != nullptr ? *content : json::value()}};
  if (const json::array* calls = ArrayAt(*message, "tool_calls")) TakeCalls(*calls, used_ids, answer);
  if (answer.calls.empty() && ObjectAt(*message, "function_call") != nullptr) {
    return std::unexpected("the server uses the legacy function_call; awf needs tool_calls");
  }
  if (const json::object* usage = ObjectAt(root, "usage")) answer.usage = UsageOf(*usage);
  return answer;
}

std::string ChatErrorText(std::string_view body) {
  constexpr std::size_t kMost = 500;  // characters
  std::string text;
  if (const auto parsed = ParseRepairedJson(body); parsed && parsed->is_object()) {
    const json::object& root = parsed->get_object();
    if (const json::object* error = ObjectAt(root, "error")) text = TextAt(*error, "message");
    if (text.empty()) text = TextAt(root, "error");
    if (text.empty()) text = TextAt(root, "message");
  }
  if (text.empty()) text = RepairUtf8(body.substr(0, 4 * kMost));
  text.resize(FirstCharacters(text, kMost).size());
  return text;
}

json::array ChatTools(const std::vector<ToolDefinition>& tools) {
  json::array list;
  for (const ToolDefinition& tool : tools) {
    list.emplace_back(json::object{
        {"type", "function"},
        {"function",
         json::object{{"name", tool.name}, {"description", tool.description}, {"parameters", tool.input_schema}}}});
  }
  return list;
}

}  // namespace awf::agents
