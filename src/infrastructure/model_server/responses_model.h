// ResponsesModel: a ScriptedModel that speaks the OpenAI Responses API, as JSON or as an event stream.
//
// Turns as in scripted_model.h; a tool in a namespace is "NAMESPACE.NAME", in calls and in what is offered. Tools are
// looked for in `tools` and in input items of type `additional_tools`. A free-form ("custom") tool takes raw text: its
// call has the one argument `input`, and so has an unoffered one that shall be of that kind. `unoffered` calls are made
// where the request offers tools at all. Lists of models are answered, an upgrade to WebSocket is refused with 426:
// clients then go on with requests. Counts of tokens are bytes / 4.
#pragma once

#include <vector>

#include "infrastructure/model_server/scripted_model.h"

namespace awf::model_server {

class ResponsesModel final : public ScriptedModel {
 public:
  explicit ResponsesModel(std::vector<ScriptedTurn> script) : script_(std::move(script)) {}
  ModelReply Answer(const ModelRequest& request) override;
  std::optional<std::vector<std::string>> Offered(const ModelRequest& request) const override;

 private:
  std::vector<ScriptedTurn> script_;
};

}  // namespace awf::model_server
