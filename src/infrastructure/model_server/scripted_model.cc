#include "infrastructure/model_server/scripted_model.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "infrastructure/model_server/json_access.h"

namespace awf::model_server {
namespace {

std::size_t CountAnswers(const json::array& messages) {
  std::size_t count = 0;
  for (const json::value& message : messages) {
    if (message.is_object() && StringAt(message.get_object(), "role") == "assistant") ++count;
  }
  return count;
}

std::vector<std::string> OfferedTools(const json::object& request) {
  std::vector<std::string> names;
  const json::array* tools = ArrayAt(request, "tools");
  if (tools == nullptr) return names;
  for (const json::value& tool : *tools) {
    const json::value* function = tool.is_object() ? tool.get_object().if_contains("function") : nullptr;
    if (function != nullptr && function->is_object()) names.emplace_back(StringAt(function->get_object(), "name"));
  }
  return names;
}

ModelReply Refuse(std::string_view why) {
  return {400, json::object{{"error", json::object{{"message", why}, {"type", "invalid_request_error"}}}}};
}

// The answer in pieces, as events of which each holds a delta.
class EventStream {
 public:
  explicit EventStream(const json::object& whole) : whole_(whole) {}

  std::string Text(bool with_usage) {
    const json::object& choice = whole_.at("choices").at(0).as_object();
    const json::object& message = choice.at("message").as_object();
    Delta({{"role", "assistant"}, {"content", ""}});
    if (message.at("content").is_string()) Words(message.at("content").get_string());
    if (const json::array* calls = ArrayAt(message, "tool_calls")) {
      for (std::size_t i = 0; i < calls->size(); ++i) Call(i, (*calls)[i].as_object());
    }
    Chunk(json::array{
        json::object{{"index", 0}, {"delta", json::object()}, {"finish_reason", choice.at("finish_reason")}}});
    if (with_usage) {
      Event({{"id", whole_.at("id")}, {"choices", json::array()}, {"usage", whole_.at("usage")}});
    }
    return text_ + "data: [DONE]\n\n";
  }

 private:
  void Event(const json::object& data) { text_ += "data: " + json::serialize(data) + "\n\n"; }
  void Chunk(json::array choices) {
    Event({{"id", whole_.at("id")},
           {"object", "chat.completion.chunk"},
           {"model", whole_.at("model")},
           {"choices", std::move(choices)}});
  }
  void Delta(json::object delta) {
    Chunk(json::array{json::object{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", nullptr}}});
  }
  void Words(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size() - 1) + 1;
      Delta({{"content", text.substr(0, end)}});
      text.remove_prefix(end);
    }
  }
  void Call(std::size_t index, const json::object& call) {
    const json::object& function = call.at("function").as_object();
    const std::string_view arguments = function.at("arguments").as_string();
    const auto add = [&](json::object piece) {
      piece["index"] = index;
      Delta({{"tool_calls", json::array{std::move(piece)}}});
    };
    add({{"id", call.at("id")},
         {"type", "function"},
         {"function", json::object{{"name", function.at("name")}, {"arguments", ""}}}});
    // Between two bytes that are no part of a longer character: the first is always a brace.
    add({{"function", json::object{{"arguments", arguments.substr(0, 1)}}}});
    add({{"function", json::object{{"arguments", arguments.substr(1)}}}});
  }

  const json::object& whole_;
  std::string text_;
};

bool AsksForUsage(const json::object& request) {
  const json::value* options = request.if_contains("stream_options");
  return options != nullptr && options->is_object() && IsTrue(options->get_object(), "include_usage");
}

}  // namespace

ScriptedTurn TurnFor(const std::vector<std::string>& offered, const ScriptedTurn& turn) {
  ScriptedTurn spoken{turn.text, {}};
  for (const ScriptedCall& call : turn.calls) {
    const bool known = std::ranges::find(offered, call.tool) != offered.end();
    if (known || (call.unoffered && !offered.empty())) {
      spoken.calls.push_back(call);
    } else {
      spoken.text += (spoken.text.empty() ? "[tool " : "\n[tool ") + call.tool + " is not offered]";
    }
  }
  return spoken;
}

std::optional<std::vector<std::string>> ChatCompletionsModel::Offered(const ModelRequest& request) const {
  const json::object* body = request.body.if_object();
  if (!request.target.ends_with("/chat/completions") || body == nullptr) return std::nullopt;
  return OfferedTools(*body);
}

ModelReply ChatCompletionsModel::Answer(const ModelRequest& request) {
  if (request.method == "HEAD") return {};
  if (request.method == "GET" && request.target.ends_with("/models")) {
    const json::object model{{"id", "scripted"}, {"object", "model"}, {"created", 0}, {"owned_by", "awf"}};
    return {200, json::object{{"object", "list"}, {"data", json::array{model}}}};
  }
  if (!request.target.ends_with("/chat/completions")) {
    return {404, json::object{{"error", json::object{{"message", "no such endpoint: " + request.target}}}}};
  }
  const json::object* body = request.body.if_object();
  const json::array* messages = body != nullptr ? ArrayAt(*body, "messages") : nullptr;
  if (messages == nullptr) return Refuse("the request has no messages");

  const std::size_t turn_number = CountAnswers(*messages);
  const ScriptedTurn over{"[the script is over]", {}};
  const ScriptedTurn& turn = turn_number < script_.size() ? script_[turn_number] : over;

  const auto [text, spoken] = TurnFor(OfferedTools(*body), turn);
  json::array calls;
  for (const ScriptedCall& call : spoken) {
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
  json::object whole{{"id", "scripted-" + std::to_string(turn_number + 1)},
                     {"object", "chat.completion"},
                     {"model", StringAt(*body, "model")},
                     {"choices", json::array{json::object{{"index", 0},
                                                          {"message", std::move(message)},
                                                          {"finish_reason", wants_tools ? "tool_calls" : "stop"}}}},
                     {"usage", json::object{{"prompt_tokens", prompt_tokens},
                                            {"completion_tokens", answer_tokens},
                                            {"total_tokens", prompt_tokens + answer_tokens}}}};
  if (!IsTrue(*body, "stream")) return {200, std::move(whole)};
  return {200, {}, EventStream(whole).Text(AsksForUsage(*body))};
}

}  // namespace awf::model_server
