// What a broken or hostile agent CLI may print: cut into lines, read as events, judged at every kind of end. The first
// byte chooses the CLI, the rest of the first line is its stderr.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/line_reader.h"

namespace {

class IgnoreEvents final : public awf::AgentEvents {
 public:
  void Announced(const std::vector<std::string>&, bool, std::string_view) override {}
  void ServerFailed(std::string_view) override {}
  void IsolationIs(awf::IsolationLevel, std::string_view) override {}
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
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t feed = bytes.find('\n');
  if (feed == std::string_view::npos || feed == 0) return 0;
  const auto providers = awf::agents::CliProviders();
  const auto& entry = providers[static_cast<unsigned char>(bytes[0] - '0') % providers.size()];
  const std::string errors(bytes.substr(1, feed - 1));
  bytes.remove_prefix(feed + 1);

  const auto provider = entry.make({.step_folder = "/nonexistent", .version = std::string(entry.verified.back())});
  awf::AgentRequest request;
  request.prompt = "hi";
  request.working_dir = "/nonexistent";
  request.proxy.emplace();
  request.proxy->enable = true;
  request.proxy->project_memory = false;
  const awf::ProxyEndpoint endpoint{"/awf", "/nonexistent/serve.json", "/nonexistent", {"Read", "Bash"}, 1000};
  (void)provider->Prepare(request, &endpoint);
  IgnoreEvents events;
  awf::agents::LineReader lines([&](std::string_view line) { provider->Read(line, events); }, 1 << 16);
  for (std::size_t at = 0, piece = 1; at < bytes.size(); at += piece, piece = piece % 89 + 1)
    lines.Append(bytes.substr(at, piece));
  lines.Finish();
  (void)provider->Judge({0, 0, errors});
  (void)provider->Judge({1, 0, errors});
  (void)provider->Judge({137, 9, errors});
  return 0;
}
