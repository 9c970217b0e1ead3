#include "infrastructure/model_server/responses_model.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "infrastructure/model_server/json_access.h"

namespace awf::model_server {
namespace {

// A tool as a request offers it, or as a call names it.
struct Tool {
  std::string scope, name;  // scope: its namespace; may be empty
  bool custom = false;      // takes raw text

  std::string Full() const { return scope.empty() ? name : scope + "." + name; }
};

std::string_view PathOf(const ModelRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

ModelReply Refuse(int status, const std::string& why) {
  const json::object error{{"message", why}, {"type", "invalid_request_error"}, {"code", nullptr}, {"param", nullptr}};
  return {status, json::object{{"error", error}}};
}

void AddTools(const json::object& holder, const std::string& scope, std::vector<Tool>& tools) {
  const json::array* list = ArrayAt(holder, "tools");
  if (list == nullptr) return;
  for (const json::value& entry : *list) {
    const json::object* tool = entry.if_object();
    if (tool == nullptr) continue;
    const std::string_view type = StringAt(*tool, "type");
    // Tools that the API itself runs have but a type.
    const std::string name(StringAt(*tool, tool->contains("name") ? "name" : "type"));
    if (type == "namespace") {
      AddTools(*tool, name, tools);
    } else {
      tools.push_back({scope, name, type == "custom"});
    }
  }
}

std::vector<Tool> OfferedTools(const json::object& body) {
  std::vector<Tool> tools;
  AddTools(body, {}, tools);
  if (const json::array* input = ArrayAt(body, "input")) {
    for (const json::value& item : *input) {
      if (item.is_object() && StringAt(item.get_object(), "type") == "additional_tools") {
        AddTools(item.get_object(), {}, tools);
      }
    }
  }
  return tools;
}

// Answers of the model in a request's input: each is a row of items, as a text and the calls beside it.
std::size_t CountAnswers(const json::object& body) {
  constexpr std::array<std::string_view, 3> kCalls = {"function_call", "custom_tool_call", "reasoning"};
  const json::array* input = ArrayAt(body, "input");
  if (input == nullptr) return 0;
  std::size_t count = 0;
  bool within = false;
  for (const json::value& entry : *input) {
    const json::object* item = entry.if_object();
    const bool of_model = item != nullptr && (std::ranges::find(kCalls, StringAt(*item, "type")) != kCalls.end() ||
                                              (StringAt(*item, "role") == "assistant" && !item->contains("tools")));
    if (of_model && !within) ++count;
    within = of_model;
  }
  return count;
}

// The tool that a call means.
Tool ToolOf(const ScriptedCall& call, const std::vector<Tool>& offered) {
  const auto found = std::ranges::find(offered, call.tool, &Tool::Full);
  if (found != offered.end()) return *found;
  const json::value* input = call.arguments.if_contains("input");
  Tool tool{{}, call.tool, call.arguments.size() == 1 && input != nullptr && input->is_string()};
  if (const std::size_t dot = call.tool.find('.'); dot != std::string::npos) {
    tool.scope = call.tool.substr(0, dot);
    tool.name = call.tool.substr(dot + 1);
  }
  return tool;
}

json::object TextItem(std::string_view text, const std::string& number) {
  const json::object part{{"type", "output_text"}, {"text", text}, {"annotations", json::array()}};
  return {{"type", "message"},
          {"id", "msg_" + number},
          {"role", "assistant"},
          {"status", "completed"},
          {"content", json::array{part}}};
}

json::object CallItem(const Tool& tool, const json::object& arguments, const std::string& id) {
  json::object item{{"type", tool.custom ? "custom_tool_call" : "function_call"},
                    {"id", (tool.custom ? "ctc_" : "fc_") + id},
                    {"call_id", "call_" + id},
                    {"name", tool.name},
                    {"status", "completed"}};
  if (!tool.scope.empty()) item["namespace"] = tool.scope;
  if (tool.custom) {
    item["input"] = StringAt(arguments, "input");
  } else {
    item["arguments"] = json::serialize(arguments);
  }
  return item;
}

// The items of a turn's answer; `number` counts turns from 1.
json::array Items(const ScriptedTurn& turn, std::size_t number, const std::vector<Tool>& offered) {
  std::vector<std::string> names;
  names.reserve(offered.size());
  for (const Tool& tool : offered) names.push_back(tool.Full());
  const auto [text, spoken] = TurnFor(names, turn);
  json::array calls;
  for (const ScriptedCall& call : spoken) {
    calls.push_back(CallItem(ToolOf(call, offered), call.arguments,
                             std::to_string(number) + "_" + std::to_string(calls.size() + 1)));
  }
  json::array items;
  if (!text.empty() || calls.empty()) items.push_back(TextItem(text, std::to_string(number)));
  for (json::value& call : calls) items.push_back(std::move(call));
  return items;
}

// An answer as the events of which clients put it together again.
class EventStream {
 public:
  explicit EventStream(const json::object& response) : response_(response) {}

  std::string Text() {
    json::object start = response_;
    start["status"] = "in_progress";
    start["output"] = json::array();
    start["usage"] = nullptr;
    Event("response.created", {{"response", std::move(start)}});
    const json::array& items = response_.at("output").as_array();
    for (std::size_t i = 0; i < items.size(); ++i) Item(i, items[i].as_object());
    Event("response.completed", {{"response", response_}});
    return std::move(text_);
  }

 private:
  void Event(std::string_view type, json::object data) {
    data["type"] = type;
    data["sequence_number"] = sequence_++;
    text_.append("event: ").append(type).append("\ndata: ").append(json::serialize(data)).append("\n\n");
  }

  void Item(std::size_t index, const json::object& item) {
    const std::string_view type = StringAt(item, "type");
    json::object start = item;
    start["status"] = "in_progress";
    if (type == "message") {
      start["content"] = json::array();
    } else {
      start[type == "function_call" ? "arguments" : "input"] = "";
    }
    Event("response.output_item.added", {{"output_index", index}, {"item", std::move(start)}});
    if (type == "message") {
      Part(index, item);
    } else if (type == "function_call") {
      Whole("response.function_call_arguments", "arguments", index, item);
    } else {
      Whole("response.custom_tool_call_input", "input", index, item);
    }
    Event("response.output_item.done", {{"output_index", index}, {"item", item}});
  }

  // A call's arguments or input.
  void Whole(const std::string& event, std::string_view key, std::size_t index, const json::object& item) {
    const json::object place{{"item_id", item.at("id")}, {"output_index", index}};
    json::object delta = place;
    delta["delta"] = item.at(key);
    Event(event + ".delta", std::move(delta));
    json::object done = place;
    done[key] = item.at(key);
    Event(event + ".done", std::move(done));
  }

  void Part(std::size_t index, const json::object& item) {
    const json::object& part = item.at("content").at(0).as_object();
    const json::object place{{"item_id", item.at("id")}, {"output_index", index}, {"content_index", 0}};
    const auto event = [&](std::string_view type, std::string_view key, json::value value) {
      json::object data = place;
      data[key] = std::move(value);
      Event(type, std::move(data));
    };
    json::object empty = part;
    empty["text"] = "";
    event("response.content_part.added", "part", std::move(empty));
    std::string_view text = part.at("text").as_string();
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size() - 1) + 1;
      event("response.output_text.delta", "delta", json::value(text.substr(0, end)));
      text.remove_prefix(end);
    }
    event("response.output_text.done", "text", part.at("text"));
    event("response.content_part.done", "part", part);
  }

  const json::object& response_;
  std::string text_;
  std::int64_t sequence_ = 0;
};

}  // namespace

std::optional<std::vector<std::string>> ResponsesModel::Offered(const ModelRequest& request) const {
  const json::object* body = request.body.if_object();
  if (request.method != "POST" || !PathOf(request).ends_with("/responses") || body == nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const Tool& tool : OfferedTools(*body)) names.push_back(tool.Full());
  return names;
}

ModelReply ResponsesModel::Answer(const ModelRequest& request) {
  const std::string_view path = PathOf(request);
  if (request.method == "GET" && path.ends_with("/models")) {
    const json::object model{{"id", "scripted"}, {"object", "model"}, {"created", 0}, {"owned_by", "scripted"}};
    return {200, json::object{{"object", "list"}, {"data", json::array{model}}}};
  }
  if (!path.ends_with("/responses")) return Refuse(404, "no such endpoint: " + request.target);
  // A GET there is an upgrade to WebSocket.
  if (request.method == "GET") return Refuse(426, "there is no WebSocket here");
  const json::object* body = request.body.if_object();
  if (request.method != "POST" || body == nullptr || !body->contains("input")) {
    return Refuse(400, "the request has no input");
  }
  const std::size_t number = CountAnswers(*body) + 1;
  const ScriptedTurn over{"[the script is over]", {}};
  json::array items = Items(number <= script_.size() ? script_[number - 1] : over, number, OfferedTools(*body));
  const std::size_t asked = json::serialize(body->at("input")).size() / 4;
  const std::size_t said = json::serialize(items).size() / 4;
  json::object usage{{"input_tokens", asked},
                     {"input_tokens_details", json::object{{"cached_tokens", 0}}},
                     {"output_tokens", said},
                     {"output_tokens_details", json::object{{"reasoning_tokens", 0}}},
                     {"total_tokens", asked + said}};
  json::object response{{"id", "resp_" + std::to_string(number)},
                        {"object", "response"},
                        {"created_at", 0},
                        {"status", "completed"},
                        {"model", StringAt(*body, "model")},
                        {"output", std::move(items)},
                        {"error", nullptr},
                        {"incomplete_details", nullptr},
                        {"usage", std::move(usage)}};
  if (!IsTrue(*body, "stream")) return {200, std::move(response)};
  return {200, {}, EventStream(response).Text()};
}

}  // namespace awf::model_server
