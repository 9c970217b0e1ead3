// What a broken or hostile `claude` may print: cut into lines, read as events, judged at every kind of end.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "infrastructure/agents/claude.h"
#include "infrastructure/agents/line_reader.h"

namespace {

class IgnoreEvents final : public awf::AgentEvents {
 public:
  void Announced(const std::vector<std::string>&, bool, std::string_view) override {}
  void Text(std::string_view) override {}
  void Message(const awf::AgentMessage&) override {}
  void ToolUse(std::string_view, std::string_view, bool, std::string_view) override {}
  void ToolEnded(std::string_view, bool, bool) override {}
  void PermissionDenied(std::string_view) override {}
  void Tokens(const awf::TokenUsage&) override {}
  void Session(std::string_view) override {}
  void HopelessRetry(const awf::Error&) override {}
  void FinalEvent() override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  awf::agents::ClaudeProvider provider({.step_folder = "/nonexistent", .version = "2.1.332"});
  IgnoreEvents events;
  awf::agents::LineReader lines([&](std::string_view line) { provider.Read(line, events); }, 1 << 16);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (std::size_t at = 0, piece = 1; at < bytes.size(); at += piece, piece = piece % 89 + 1)
    lines.Append(bytes.substr(at, piece));
  lines.Finish();
  (void)provider.Judge({0, 0, ""});
  (void)provider.Judge({1, 0, "some text"});
  (void)provider.Judge({137, 9, ""});
  return 0;
}
