#include "infrastructure/model_server/gemini_model.h"

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

bool IsStream(std::string_view path) { return path.ends_with(":streamGenerateContent"); }

bool AsksForAnswer(const ModelRequest& request) {
  const std::string_view path = PathOf(request);
  return request.method == "POST" && (IsStream(path) || path.ends_with(":generateContent"));
}

// Of ".../models/NAME:METHOD".
std::string_view ModelOf(std::string_view path) {
  path = path.substr(0, path.rfind(':'));
  return path.substr(path.rfind('/') + 1);
}

ModelReply Refuse(int status, std::string_view name, const std::string& why) {
  return {status, json::object{{"error", json::object{{"code", status}, {"message", why}, {"status", name}}}}};
}

std::vector<std::string> OfferedTools(const json::object& body) {
  std::vector<std::string> names;
  const json::array* tools = ArrayAt(body, "tools");
  if (tools == nullptr) return names;
  for (const json::value& tool : *tools) {
    if (!tool.is_object()) continue;
    for (const auto& [key, value] : tool.get_object()) {
      if (key != "functionDeclarations" || !value.is_array()) {
        names.emplace_back(key);  // a tool that the API itself runs: googleSearch, codeExecution
        continue;
      }
      for (const json::value& function : value.get_array()) {
        if (function.is_object()) names.emplace_back(StringAt(function.get_object(), "name"));
      }
    }
  }
  return names;
}

std::size_t CountAnswers(const json::array& contents) {
  return static_cast<std::size_t>(std::ranges::count_if(contents, [](const json::value& content) {
    return content.is_object() && StringAt(content.get_object(), "role") == "model";
  }));
}

bool WantsJson(const json::object& body) {
  const json::value* config = body.if_contains("generationConfig");
  return config != nullptr && config->is_object() &&
         StringAt(config->get_object(), "responseMimeType") == "application/json";
}

// The parts of a turn's answer: a text, then calls.
json::array Parts(const ScriptedTurn& turn, const std::vector<std::string>& offered) {
  const auto [text, spoken] = TurnFor(offered, turn);
  json::array calls;
  for (const ScriptedCall& call : spoken) {
    // Newer clients send a call back only with the signature that came with it.
    calls.push_back(json::object{{"functionCall", json::object{{"name", call.tool}, {"args", call.arguments}}},
                                 {"thoughtSignature", "c2NyaXB0ZWQ="}});
  }
  json::array parts;
  if (!text.empty() || calls.empty()) parts.push_back(json::object{{"text", text}});
  for (json::value& call : calls) parts.push_back(std::move(call));
  return parts;
}

json::object Chunk(json::array parts, std::string_view model, const json::object& usage, bool last) {
  json::object candidate{{"content", json::object{{"role", "model"}, {"parts", std::move(parts)}}}, {"index", 0}};
  if (last) candidate["finishReason"] = "STOP";
  return json::object{{"candidates", json::array{std::move(candidate)}},
                      {"usageMetadata", usage},
                      {"modelVersion", model},
                      {"responseId", "scripted"}};
}

// Text word by word, each call as a whole: that is how the API sends them.
std::string EventStream(const json::array& parts, std::string_view model, const json::object& usage) {
  json::array pieces;
  for (const json::value& part : parts) {
    std::string_view text = StringAt(part.get_object(), "text");
    if (text.empty()) pieces.push_back(part);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size() - 1) + 1;
      pieces.push_back(json::object{{"text", text.substr(0, end)}});
      text.remove_prefix(end);
    }
  }
  std::string events;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool last = i + 1 == pieces.size();
    events += "data: " + json::serialize(Chunk(json::array{std::move(pieces[i])}, model, usage, last)) + "\r\n\r\n";
  }
  return events;
}

}  // namespace

ModelReply GeminiModel::Answer(const ModelRequest& request) {
  const std::string_view path = PathOf(request);
  if (request.method == "GET" && path.ends_with("/models")) {
    const json::object model{{"name", "models/scripted"},
                             {"displayName", "scripted"},
                             {"supportedGenerationMethods", json::array{"generateContent", "countTokens"}}};
    return {200, json::object{{"models", json::array{model}}}};
  }
  const bool counts = request.method == "POST" && path.ends_with(":countTokens");
  if (!AsksForAnswer(request) && !counts) return Refuse(404, "NOT_FOUND", "no such endpoint: " + request.target);
  const json::object* body = request.body.if_object();
  const json::array* contents = body != nullptr ? ArrayAt(*body, "contents") : nullptr;
  if (contents == nullptr) return Refuse(400, "INVALID_ARGUMENT", "the request has no contents");
  const std::size_t asked = json::serialize(*contents).size() / 4;
  if (counts) return {200, json::object{{"totalTokens", asked}}};

  const std::vector<std::string> offered = OfferedTools(*body);
  const std::size_t number = CountAnswers(*contents);
  const ScriptedTurn over{"[the script is over]", {}};
  const ScriptedTurn nothing{"{}", {}};
  const ScriptedTurn& due = number < script_.size() ? script_[number] : over;
  const json::array parts = Parts(offered.empty() && WantsJson(*body) ? nothing : due, offered);
  const std::size_t said = json::serialize(parts).size() / 4;
  const json::object usage{
      {"promptTokenCount", asked}, {"candidatesTokenCount", said}, {"totalTokenCount", asked + said}};
  const std::string_view model = ModelOf(path);
  if (!IsStream(path)) return {200, Chunk(parts, model, usage, true)};
  return {200, {}, EventStream(parts, model, usage)};
}

std::optional<std::vector<std::string>> GeminiModel::Offered(const ModelRequest& request) const {
  const json::object* body = request.body.if_object();
  if (!AsksForAnswer(request) || body == nullptr) return std::nullopt;
  return OfferedTools(*body);
}

}  // namespace awf::model_server
