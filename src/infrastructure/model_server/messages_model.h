// MessagesModel: a ScriptedModel that speaks the Anthropic Messages API, as JSON or as an event stream.
//
// Turns as in scripted_model.h. `unoffered` calls are made where the request offers tools at all: a request without any
// is a side request (a title), which gets text. Counts of tokens are bytes / 4.
#pragma once

#include <vector>

#include "infrastructure/model_server/scripted_model.h"

namespace awf::model_server {

class MessagesModel final : public ScriptedModel {
 public:
  explicit MessagesModel(std::vector<ScriptedTurn> script) : script_(std::move(script)) {}
  ModelReply Answer(const ModelRequest& request) override;
  std::optional<std::vector<std::string>> Offered(const ModelRequest& request) const override;

 private:
  std::vector<ScriptedTurn> script_;
};

}  // namespace awf::model_server
