// awf mcp-serve --config FILE: the server that an agent CLI starts in a step. Hidden.
#include <sys/eventfd.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/server_process.h"
#include "cli/short_options.h"
#include "infrastructure/mcp/channel_reporter.h"
#include "infrastructure/mcp/forwarded_tools.h"
#include "infrastructure/mcp/serve_config.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf::cli {
namespace {

constexpr int kBadConfiguration = 1;
constexpr int kNoChannel = 3;

constexpr std::string_view kHelp =
    R"(awf mcp-serve --config FILE

The MCP server of an agent step, started by the agent's CLI on behalf of `awf run`, which writes FILE and watches over
the server through a socket. Of no use by hand: `awf mcp serve` serves the same tools to any MCP client.

Exit codes: 0 the client ended it, 1 FILE is missing or wrong, 3 `awf run` is gone.
)";

int Fail(int code, const Error& error) {
  std::string line = "awf mcp-serve: ";
  if (error.position.known()) {
    line += error.position.file + ":" + std::to_string(error.position.line) + ":" +
            std::to_string(error.position.column) + ": ";
  }
  line += error.message;
  if (!error.hint.empty()) line += " (" + error.hint + ")";
  mcp::LogToStderr(line);
  return code;
}

// The tools of plugins, and the thread that reads what their calls came to; from then on `lost` becomes readable when
// the parent is gone.
std::expected<std::shared_ptr<ForwardedTools>, Error> ForwardTools(channel::StepChannelClient& channel,
                                                                   const std::vector<ForwardedTool>& tools,
                                                                   const Fd& lost) {
  auto forwarded = std::make_shared<ForwardedTools>(channel, tools);
  const bool reading =
      channel.ReadResults([forwarded](channel::PluginResult result) { forwarded->Answer(std::move(result)); },
                          [forwarded, fd = lost.get()] {
                            forwarded->Lose();
                            const std::uint64_t one = 1;
                            static_cast<void>(::write(fd, &one, sizeof one));
                          });
  if (!reading || !lost) return awf::Fail("SYSTEM.IO.READ_FAILED", "no thread to read the results of plugin calls");
  return forwarded;
}

int ServeStep(ServerProcess& process, const ServeConfig& config) {
  if (auto started = process.StartCommandChild(config.tools); !started) return Fail(kBadConfiguration, started.error());
  Fd lost;  // outlives the channel, whose thread tells it
  auto channel = channel::StepChannelClient::Connect(config.socket, config.token);
  if (!channel) return Fail(kNoChannel, channel.error());
  ChannelReporter reporter(**channel);
  Service service{config.tools, config.intercept_builtins, config.instructions,
                  reporter,     (*channel)->fd(),          config.content};
  if (!config.plugin_tools.empty()) {
    lost = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    auto forwarded = ForwardTools(**channel, config.plugin_tools, lost);
    if (!forwarded) return Fail(kBadConfiguration, forwarded.error());
    service.more_tools = std::move(*forwarded);
    service.parent_fd = lost.get();
  }
  const auto end = process.Serve(service);
  if (!end) return Fail(kBadConfiguration, end.error());
  if (*end == ServerProcess::End::kParentLost) return kNoChannel;
  reporter.Bye();
  process.EndCommands();
  return 0;
}

}  // namespace

int McpServeCommand(const std::vector<std::string>& arguments) {
  const auto options = ParseShortOptions(arguments, {"config"});
  if (!options) {
    std::cerr << "awf mcp-serve: " << options.error() << "\n";
    return kBadConfiguration;
  }
  if (options->contains("help")) {
    std::cout << kHelp;
    return 0;
  }
  if (!options->contains("config")) {
    std::cerr << "awf mcp-serve: --config FILE is missing. See --help.\n";
    return kBadConfiguration;
  }
  const auto process = ServerProcess::Begin();
  if (!process) return Fail(kBadConfiguration, process.error());
  const auto config = LoadServeConfig(options->at("config"));
  if (!config) return Fail(kBadConfiguration, config.error());
  return ServeStep(**process, *config);
}

}  // namespace awf::cli
