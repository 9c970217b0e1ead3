#include "infrastructure/agents/kept_messages.h"

#include <string>

namespace awf::agents {

json::value KeptMessages(json::value messages, const AgentRequest& request, RunObserver& observer) {
  if (messages.is_null() || request.conversation.empty()) return nullptr;
  const std::size_t bytes = json::serialize(messages).size();
  if (bytes <= kMaxKeptMessages) return messages;
  observer.Logged(&request.step, LogLevel::kWarn,
                  "the conversation is too large to be kept (" + std::to_string(bytes) + " bytes, at most " +
                      std::to_string(kMaxKeptMessages) + "): no step can go on with it",
                  json::object{{"provider", request.provider_as_written}});
  return nullptr;
}

}  // namespace awf::agents
