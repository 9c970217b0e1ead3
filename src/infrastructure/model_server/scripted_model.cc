#include "infrastructure/model_server/scripted_model.h"

#include <cstddef>
#include <set>
#include <string_view>

namespace awf::model_server {
namespace {

const json::array* ArrayAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr ? value->if_array() : nullptr;
}

std::string_view StringAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::size_t CountAnswers(const json::array& messages) {
  std::size_t count = 0;
  for (const json::value& message : messages) {
    if (message.is_object() && StringAt(message.get_object(), "role") == "assistant") ++count;
  }
  return count;
}

std::set<std::string, std::less<>> OfferedTools(const json::object& request) {
  std::set<std::string, std::less<>> names;
  const json::array* tools = ArrayAt(request, "tools");
  if (tools == nullptr) return names;
  for (const json::value& tool : *tools) {
    const json::value* function = tool.is_object() ? tool.get_object().if_contains("function") : nullptr;
    if (function != nullptr && function->is_object()) names.emplace(StringAt(function->get_object(), "name"));
  }
  return names;
}

ModelReply Refuse(std::string_view why) {
  return {400, json::object{{"error", json::object{{"message", why}, {"type", "invalid_request_error"}}}}};
}

}  // namespace

ModelReply ChatCompletionsModel::Answer(const ModelRequest& request) {
  if (!request.target.ends_with("/chat/completions")) {
    return {404, json::object{{"error", json::object{{"message", "no such endpoint: " + request.target}}}}};
  }
  const json::object* body = request.body.if_object();
  const json::array* messages = body != nullptr ? ArrayAt(*body, "messages") : nullptr;
  if (messages == nullptr) return Refuse("the request has no messages");

  const std::size_t turn_number = CountAnswers(*messages);
  const ScriptedTurn over{"[the script is over]", {}};
  const ScriptedTurn& turn = turn_number < script_.size() ? script_[turn_number] : over;

  std::string text = turn.text;
  json::array calls;
  const auto offered = OfferedTools(*body);
  for (const ScriptedCall& call : turn.calls) {
    if (!offered.contains(call.tool)) {
      text += (text.empty() ? "" : "\n") + ("[tool " + call.tool + " is not offered]");
      continue;
    }
    const std::string id = "call_" + std::to_string(turn_number + 1) + "_" + std::to_string(calls.size() + 1);
    calls.push_back(
        json::object{{"id", id},
                     {"type", "function"},
                     {"function", json::object{{"name", call.tool}, {"arguments", json::serialize(call.arguments)}}}});
  }

  const bool wants_tools = !calls.empty();
  const std::size_t prompt_tokens = json::serialize(*messages).size() / 4;
  const std::size_t answer_tokens = (text.size() + json::serialize(calls).size()) / 4;
  json::object message{{"role", "assistant"}, {"content", text.empty() ? json::value(nullptr) : json::value(text)}};
  if (wants_tools) message["tool_calls"] = std::move(calls);
  return {200,
          json::object{{"id", "scripted-" + std::to_string(turn_number + 1)},
                       {"object", "chat.completion"},
                       {"model", StringAt(*body, "model")},
                       {"choices", json::array{json::object{{"index", 0},
                                                            {"message", std::move(message)},
                                                            {"finish_reason", wants_tools ? "tool_calls" : "stop"}}}},
                       {"usage", json::object{{"prompt_tokens", prompt_tokens},
                                              {"completion_tokens", answer_tokens},
                                              {"total_tokens", prompt_tokens + answer_tokens}}}}};
}

}  // namespace awf::model_server
