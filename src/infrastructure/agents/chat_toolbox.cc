#include "infrastructure/agents/chat_toolbox.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

namespace awf::agents {
namespace {

constexpr std::size_t kParallelCalls = 8;

std::string ResultText(const ToolResult& result) {
  std::string text;
  for (const Content& content : result.content) {
    if (const auto* block = std::get_if<TextContent>(&content)) {
      if (!text.empty()) text += "\n";
      text += block->text;
    }
  }
  return result.is_error ? "Error: " + text : text;
}

}  // namespace

ChatToolbox::ChatToolbox(const AgentRequest& request, RunObserver& observer, bool content)
    : request_(request), reporter_(request.step, observer), router_(checker_, reporter_) {
  router_.CaptureContent(content);
}

std::optional<Error> ChatToolbox::Add(const std::vector<std::shared_ptr<ToolProvider>>& providers) {
  for (const auto& provider : providers) {
    if (auto added = router_.Add(provider); !added) return added.error();
  }
  return std::nullopt;
}

json::array ChatToolbox::Run(const std::vector<ChatCall>& calls) {
  std::vector<std::string> texts(calls.size());
  for (std::size_t begin = 0; begin < calls.size();) {
    std::size_t end = begin + 1;
    if (IsReadOnly(calls[begin].name)) {
      while (end < calls.size() && end - begin < kParallelCalls && IsReadOnly(calls[end].name)) ++end;
    }
    RunTogether(calls, begin, end, texts);
    begin = end;
  }
  json::array messages;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    messages.emplace_back(json::object{{"role", "tool"}, {"tool_call_id", calls[i].id}, {"content", texts[i]}});
  }
  return messages;
}

void ChatToolbox::RunTogether(const std::vector<ChatCall>& calls, std::size_t begin, std::size_t end,
                              std::vector<std::string>& texts) {
  std::vector<std::jthread> threads;
  for (std::size_t i = begin + 1; i < end; ++i) {
    try {
      threads.emplace_back([this, &calls, &texts, i] { texts[i] = RunOne(calls[i]); });
    } catch (const std::system_error&) {
      texts[i] = RunOne(calls[i]);  // no thread to be had
    }
  }
  texts[begin] = RunOne(calls[begin]);
}

bool ChatToolbox::IsReadOnly(const std::string& name) const {
  return std::ranges::any_of(router_.Definitions(), [&](const ToolDefinition& tool) {
    return tool.name == name && tool.annotations.read_only == true;
  });
}

std::string ChatToolbox::RunOne(const ChatCall& call) {
  const json::object none;
  const json::object& arguments = call.arguments ? *call.arguments : none;
  const IncomingCall incoming{call.name,         arguments,          {}, call.id, {},
                              request_.deadline, request_.cancelled, {}, call.raw};
  if (!call.arguments) {
    router_.Reject(incoming, call.arguments.error(), "invalid_arguments");
    return "Error: " + call.arguments.error();
  }
  const auto result = router_.Call(incoming);
  return result ? ResultText(*result) : "Error: " + result.error().message;
}

}  // namespace awf::agents
