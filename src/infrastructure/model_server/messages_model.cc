#include "infrastructure/model_server/messages_model.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "infrastructure/model_server/json_access.h"

namespace awf::model_server {
namespace {

std::string_view PathOf(const ModelRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

ModelReply Refuse(int status, std::string_view type, const std::string& why) {
  return {status, json::object{{"type", "error"}, {"error", json::object{{"type", type}, {"message", why}}}}};
}

std::vector<std::string> OfferedTools(const json::object& body) {
  std::vector<std::string> names;
  const json::array* tools = ArrayAt(body, "tools");
  if (tools == nullptr) return names;
  for (const json::value& tool : *tools) {
    if (!tool.is_object()) continue;
    // Tools that the API itself runs may have but a type.
    const std::string_view name = StringAt(tool.get_object(), "name");
    names.emplace_back(name.empty() ? StringAt(tool.get_object(), "type") : name);
  }
  return names;
}

std::size_t CountAnswers(const json::array& messages) {
  return static_cast<std::size_t>(std::ranges::count_if(messages, [](const json::value& message) {
    return message.is_object() && StringAt(message.get_object(), "role") == "assistant";
  }));
}

// The blocks of a turn's answer; `number` counts turns from 1.
json::array Content(const ScriptedTurn& turn, std::size_t number, const std::vector<std::string>& offered) {
  const auto [text, spoken] = TurnFor(offered, turn);
  json::array calls;
  for (const ScriptedCall& call : spoken) {
    calls.push_back(json::object{{"type", "tool_use"},
                                 {"id", "toolu_" + std::to_string(number) + "_" + std::to_string(calls.size() + 1)},
                                 {"name", call.tool},
                                 {"input", call.arguments}});
  }
  json::array content;
  if (!text.empty() || calls.empty()) content.push_back(json::object{{"type", "text"}, {"text", text}});
  for (json::value& call : calls) content.push_back(std::move(call));
  return content;
}

// An answer as the events of which clients put it together again.
class EventStream {
 public:
  explicit EventStream(const json::object& message) : message_(message) {}

  std::string Text() {
    json::object start = message_;
    start["content"] = json::array();
    start["stop_reason"] = nullptr;
    Event("message_start", {{"message", std::move(start)}});
    const json::array& content = message_.at("content").as_array();
    for (std::size_t i = 0; i < content.size(); ++i) Block(i, content[i].as_object());
    Event("message_delta",
          {{"delta", json::object{{"stop_reason", message_.at("stop_reason")}, {"stop_sequence", nullptr}}},
           {"usage", json::object{{"output_tokens", message_.at("usage").at("output_tokens")}}}});
    Event("message_stop", {});
    return std::move(text_);
  }

 private:
  void Event(std::string_view type, json::object data) {
    data["type"] = type;
    text_.append("event: ").append(type).append("\ndata: ").append(json::serialize(data)).append("\n\n");
  }
  void Delta(std::size_t index, json::object delta) {
    Event("content_block_delta", {{"index", index}, {"delta", std::move(delta)}});
  }
  void Block(std::size_t index, const json::object& block) {
    json::object start = block;
    const bool is_text = block.contains("text");
    (is_text ? start["text"] : start["input"]) = is_text ? json::value("") : json::value(json::object());
    Event("content_block_start", {{"index", index}, {"content_block", std::move(start)}});
    if (is_text) {
      Delta(index, {{"type", "text_delta"}, {"text", block.at("text")}});
    } else {
      // Between two bytes that are no part of a longer character: the first is always a brace.
      const std::string input = json::serialize(block.at("input"));
      Delta(index, {{"type", "input_json_delta"}, {"partial_json", input.substr(0, 1)}});
      Delta(index, {{"type", "input_json_delta"}, {"partial_json", input.substr(1)}});
    }
    Event("content_block_stop", {{"index", index}});
  }

  const json::object& message_;
  std::string text_;
};

}  // namespace

std::optional<std::vector<std::string>> MessagesModel::Offered(const ModelRequest& request) const {
  const json::object* body = request.body.if_object();
  if (request.method != "POST" || !PathOf(request).ends_with("/messages") || body == nullptr) return std::nullopt;
  return OfferedTools(*body);
}

ModelReply MessagesModel::Answer(const ModelRequest& request) {
  const std::string_view path = PathOf(request);
  if (request.method == "HEAD") return {};
  if (request.method == "GET" && path.ends_with("/models")) {
    const json::object model{{"type", "model"}, {"id", "scripted"}, {"display_name", "scripted"}};
    return {200, json::object{{"data", json::array{model}}, {"has_more", false}}};
  }
  const bool counts = path.ends_with("/messages/count_tokens");
  if (request.method != "POST" || (!path.ends_with("/messages") && !counts)) {
    return Refuse(404, "not_found_error", "no such endpoint: " + request.target);
  }
  const json::object* body = request.body.if_object();
  const json::array* messages = body != nullptr ? ArrayAt(*body, "messages") : nullptr;
  if (messages == nullptr) return Refuse(400, "invalid_request_error", "the request has no messages");
  const std::size_t asked = json::serialize(*messages).size() / 4;
  if (counts) return {200, json::object{{"input_tokens", asked}}};

  const std::size_t number = CountAnswers(*messages) + 1;
  const ScriptedTurn over{"[the script is over]", {}};
  json::array content = Content(number <= script_.size() ? script_[number - 1] : over, number, OfferedTools(*body));
  const bool calls = content.back().at("type") == json::value("tool_use");
  const std::size_t said = json::serialize(content).size() / 4;
  json::object message{{"id", "msg_" + std::to_string(number)},
                       {"type", "message"},
                       {"role", "assistant"},
                       {"model", StringAt(*body, "model")},
                       {"content", std::move(content)},
                       {"stop_reason", calls ? "tool_use" : "end_turn"},
                       {"stop_sequence", nullptr},
                       {"usage", json::object{{"input_tokens", asked},
                                              {"cache_creation_input_tokens", 0},
                                              {"cache_read_input_tokens", 0},
                                              {"output_tokens", said}}}};
  if (!IsTrue(*body, "stream")) return {200, std::move(message)};
  return {200, {}, EventStream(message).Text()};
}

}  // namespace awf::model_server
