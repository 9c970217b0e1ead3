// GeminiModel: a ScriptedModel that speaks the Gemini API: generateContent as JSON, streamGenerateContent as an event
// stream, countTokens and lists of models.
//
// Turns as in scripted_model.h. `unoffered` calls are made where the request offers tools at all: a request without any
// is a side request, which gets text, or an empty object where it asks for JSON (routers that choose a model). Counts
// of tokens are bytes / 4.
#pragma once

#include <vector>

#include "infrastructure/model_server/scripted_model.h"

namespace awf::model_server {

class GeminiModel final : public ScriptedModel {
 public:
  explicit GeminiModel(std::vector<ScriptedTurn> script) : script_(std::move(script)) {}
  ModelReply Answer(const ModelRequest& request) override;
  std::optional<std::vector<std::string>> Offered(const ModelRequest& request) const override;

 private:
  std::vector<ScriptedTurn> script_;
};

}  // namespace awf::model_server
