// What a Chat Completions server may answer. Ids handed out must be unique, and error texts stay short.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "infrastructure/agents/chat_completions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  std::set<std::string> used_ids;
  const auto answer = awf::agents::ParseChatAnswer(body, used_ids);
  if (answer) {
    (void)awf::agents::ToAgentMessage(*answer);
    std::set<std::string> ids;
    for (const awf::agents::ChatCall& call : answer->calls) {
      if (call.id.empty() || !ids.insert(call.id).second) std::abort();
    }
  }
  const awf::agents::ChatFault fault = awf::agents::ParseChatFault(body);
  if (awf::agents::ShownChatFault(fault, awf::Masker()).size() > 500 * 4) std::abort();
  return 0;
}
