// What a request to a model tells of tools, whatever its wire format: Anthropic Messages, OpenAI Responses, OpenAI Chat
// Completions, Gemini. Pure; nothing throws.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"

namespace awf::probe {

// What the client answered to a call of the model.
struct ToolAnswer {
  std::string call;  // id of the call; Gemini: name of the tool
  std::string text;
};

// The answers to all calls so far, in the order of the conversation.
std::vector<ToolAnswer> ToolAnswers(const json::value& body);

// Every name in a member "tools", also of a request of unknown kind. Sorted, each once.
std::vector<std::string> NamesOfTools(const json::value& body);

// True when an answer says that there is no such tool, in the words of one of the known CLIs.
bool IsRefusal(std::string_view text, std::string_view tool);

}  // namespace awf::probe
