// What a Chat Completions server may stream, cut anywhere. The answer must not depend on where the cuts are, the text
// that was told must be that of the answer, and ids handed out must be unique.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "infrastructure/agents/chat_stream.h"

namespace {

struct Read {
  std::string live, outcome;
  bool operator==(const Read&) const = default;
};

Read ReadIn(std::string_view body, std::size_t piece) {
  Read read;
  awf::agents::ChatStream stream([&](std::string_view text) { read.live += text; });
  for (std::size_t at = 0; at < body.size(); at += piece) {
    if (!stream.Append(body.substr(at, piece))) break;
  }
  std::set<std::string> used_ids;
  const auto answer = stream.Finish(used_ids);
  if (!answer) {
    read.outcome = "fault: " + answer.error().message;
    return read;
  }
  if (stream.told() && read.live != answer->text) std::abort();
  std::set<std::string> ids;
  for (const awf::agents::ChatCall& call : answer->calls) {
    if (call.id.empty() || !ids.insert(call.id).second) std::abort();
  }
  read.outcome = answer->finish_reason + awf::json::serialize(answer->message);
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Read whole = ReadIn(body, body.size() + 1);
  if (ReadIn(body, 1) != whole || ReadIn(body, 1 + data[0]) != whole) std::abort();
  return 0;
}
