#include "infrastructure/model_server/gemini_model.h"
#include "infrastructure/model_server/messages_model.h"
#include "infrastructure/model_server/responses_model.h"
#include "infrastructure/model_server/scripted_model.h"

namespace awf::model_server {

std::unique_ptr<ScriptedModel> MakeScriptedModel(WireFormat format, std::vector<ScriptedTurn> script) {
  switch (format) {
    case WireFormat::kMessages:
      return std::make_unique<MessagesModel>(std::move(script));
    case WireFormat::kChatCompletions:
      return std::make_unique<ChatCompletionsModel>(std::move(script));
    case WireFormat::kResponses:
      return std::make_unique<ResponsesModel>(std::move(script));
    case WireFormat::kGemini:
      return std::make_unique<GeminiModel>(std::move(script));
  }
  return nullptr;
}

}  // namespace awf::model_server
