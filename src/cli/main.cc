// Entry point. What a run starts itself is recognised first: it must answer within milliseconds.
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/standard_streams.h"

int main(int argc, char** argv) {
  if (!awf::cli::OpenStandardStreams()) return 4;
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto after = [&](std::size_t count) {
    return std::vector<std::string>(arguments.begin() + static_cast<std::ptrdiff_t>(count), arguments.end());
  };
  if (!arguments.empty() && arguments[0] == "mcp-serve") return awf::cli::McpServeCommand(after(1));
  if (!arguments.empty() && arguments[0] == "keeper") return awf::cli::KeeperCommand(after(1));
  return awf::cli::CommandLineMain(argc, argv);
}
