// ScriptedModel: a model that says what a script tells it to. Answers requests of one wire format without any network,
// key or cost; model_server.h serves it on loopback. Used by `awf demo` and by tests.
//
// A script is a list of turns. Which one is due is told by the request alone, by the number of answers of the model
// that it already holds, so a script needs no state and serves any number of conversations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/json.h"

namespace awf::model_server {

struct ModelRequest {
  std::string target;  // "/v1/chat/completions"
  json::value body;    // null when there is none
  std::string method = "POST";
};

struct ModelReply {
  int status = 200;
  json::value body;
  std::string events{};  // text/event-stream; unless empty it is sent in place of the body
};

// The wire formats that agent CLIs speak with their models: Anthropic Messages, OpenAI Responses, OpenAI Chat
// Completions, Gemini generateContent.
enum class WireFormat { kMessages, kResponses, kChatCompletions, kGemini };

// One wire format. Answer is called on the server's thread, one request at a time.
class ScriptedModel {
 public:
  virtual ~ScriptedModel() = default;
  virtual ModelReply Answer(const ModelRequest& request) = 0;
  // The names of the tools that a request offers its model, in its order; nothing when it does not ask for an answer
  // (a list of models, a count of tokens), and with models that look at no tools. Pure.
  virtual std::optional<std::vector<std::string>> Offered(const ModelRequest&) const { return std::nullopt; }
};

struct ScriptedCall {
  std::string tool;  // as offered; in the Responses format "NAMESPACE.NAME" for a tool in a namespace
  json::object arguments;
  bool unoffered = false;  // it is called also when the request does not offer it
};

// Text, tool calls, or both. A turn without calls ends the conversation.
struct ScriptedTurn {
  std::string text;
  std::vector<ScriptedCall> calls;
};

// What of a turn can be said to a request that offers these tools: calls of others, unless they are `unoffered`, become
// text. A request without any tools (a title) gets text alone.
ScriptedTurn TurnFor(const std::vector<std::string>& offered, const ScriptedTurn& turn);

// The Chat Completions format. A call of a tool that the request does not offer becomes the text
// "[tool NAME is not offered]"; a request beyond the last turn gets the text "[the script is over]". Usage is counted
// as bytes / 4. With `stream: true` the answer is an event stream: text word by word, arguments in two pieces.
class ChatCompletionsModel final : public ScriptedModel {
 public:
  explicit ChatCompletionsModel(std::vector<ScriptedTurn> script) : script_(std::move(script)) {}
  ModelReply Answer(const ModelRequest& request) override;
  std::optional<std::vector<std::string>> Offered(const ModelRequest& request) const override;

 private:
  std::vector<ScriptedTurn> script_;
};

// A model of that format with that script: turns as above, whatever the format. Endpoints that a client asks beside
// (lists of models, counts of tokens, titles: requests without tools) get a fitting answer.
std::unique_ptr<ScriptedModel> MakeScriptedModel(WireFormat format, std::vector<ScriptedTurn> script);

}  // namespace awf::model_server
