// The smallest useful server: one tool that says back what it is told. Try it:
//   printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}' |
//     mcp_example_echo
#include <csignal>
#include <cstdio>
#include <string>

#include "mcp/server.h"
#include "mcp/signals.h"
#include "mcp/stdio_transport.h"

int main() {
  auto transport = mcp::StdioTransport::TakeOver();
  auto signals = mcp::SignalSource::Block({SIGTERM, SIGINT, SIGHUP});
  if (!transport || !signals) return 1;

  auto call = [](mcp::CallContext&, std::string_view tool,
                 const mcp::json::object& arguments) -> std::expected<mcp::CallResult, mcp::CallError> {
    if (tool != "echo") return std::unexpected(mcp::CallError{.message = "unknown tool; available: echo"});
    const mcp::json::value* text = arguments.if_contains("text");
    if (text == nullptr || !text->is_string())
      return mcp::CallResult{{mcp::TextContent{"text: expected a string"}}, true, {}};
    return mcp::CallResult{{mcp::TextContent{mcp::json::value_to<std::string>(*text)}}, false, {}};
  };
  mcp::Server server({"echo", "1.0", "Echo"}, call);
  const auto schema =
      mcp::json::parse(R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})");
  if (!server.Register({"echo", "Echo", "Says back the text.", schema.as_object(), {.read_only = true}, {}})) return 1;

  (*transport)->Watch((*signals)->fd(), [&] {
    while ((*signals)->Take()) server.Stop(mcp::EndReason::kSignal);
    return true;
  });
  return server.Serve(**transport) ? 0 : 1;
}
