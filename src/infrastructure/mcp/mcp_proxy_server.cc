#include "infrastructure/mcp/mcp_proxy_server.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "application/tools/tool_proxy_service.h"

namespace awf {
namespace {

// Clients cap what this may ask for (docs: mcp, section 9).
constexpr std::size_t kMaxResultSize = 500'000;

mcp::CallResult ToMcp(ToolResult result) {
  mcp::CallResult converted;
  converted.is_error = result.is_error;
  converted.content.reserve(result.content.size());
  for (Content& content : result.content) {
    if (auto* text = std::get_if<TextContent>(&content)) {
      converted.content.emplace_back(mcp::TextContent{std::move(text->text)});
    } else if (auto* image = std::get_if<ImageContent>(&content)) {
      converted.content.emplace_back(mcp::ImageContent{std::move(image->data), std::move(image->mime_type)});
    }
  }
  return converted;
}

mcp::Tool ToMcp(const ToolDefinition& definition, std::size_t result_size) {
  mcp::Tool tool;
  tool.name = definition.name;
  tool.description = definition.description;
  tool.input_schema = definition.input_schema;
  const Annotations& hints = definition.annotations;
  tool.annotations = {hints.read_only, hints.destructive, hints.idempotent, hints.open_world};
  if (result_size > 0) tool.meta["anthropic/maxResultSizeChars"] = std::min(result_size, kMaxResultSize);
  return tool;
}

Error ServerFault(const mcp::Error& error) {
  return Error{"SYSTEM.INTERNAL.UNMAPPED", "MCP server: " + error.message, {}, {}, {}, {}};
}

}  // namespace

struct McpProxyServer::State : mcp::Observer {
  State(const ArgumentChecker& the_checker, ProxyObserver& the_observer, McpProxyOptions the_options)
      : checker(the_checker), observer(the_observer), options(std::move(the_options)) {}

  void ClientConnected(const mcp::Implementation& client, std::string_view version) override {
    observer.Connected(client, version);
  }
  void ToolsListed(std::size_t) override { observer.Listed(router->Definitions()); }
  void FrameRejected(const mcp::Rejection& rejection) override;

  std::expected<mcp::CallResult, mcp::CallError> Call(mcp::CallContext& context, std::string_view tool,
                                                      const json::object& arguments);
  mcp::Options LibraryOptions();
  std::expected<void, Error> SetUp();

  const ArgumentChecker& checker;
  ProxyObserver& observer;
  McpProxyOptions options;
  std::vector<std::shared_ptr<ToolProvider>> providers;
  std::unique_ptr<ToolRouter> router;

  std::mutex stopping;
  std::optional<mcp::EndReason> stop;  // under `stopping`, as is the server's existence
  std::unique_ptr<mcp::Server> server;
};

// A tools/call that never became one has its record all the same.
void McpProxyServer::State::FrameRejected(const mcp::Rejection& rejection) {
  if (rejection.method != "tools/call") return;
  static const json::object kNone;
  router->Reject({rejection.tool,
                  kNone,
                  rejection.id.empty() ? "null" : rejection.id,
                  rejection.client_call_id,
                  rejection.traceparent,
                  {},
                  {},
                  rejection.tracestate},
                 rejection.reason, std::to_string(rejection.code));
}

std::expected<mcp::CallResult, mcp::CallError> McpProxyServer::State::Call(mcp::CallContext& context,
                                                                           std::string_view tool,
                                                                           const json::object& arguments) {
  auto result = router->Call({tool, arguments, std::string(context.request_id()), std::string(context.client_call_id()),
                              std::string(context.traceparent()), options.deadline, context.cancelled(),
                              std::string(context.tracestate())});
  if (!result) return std::unexpected(mcp::CallError{mcp::CallError::kUnknownTool, std::move(result.error().message)});
  return ToMcp(std::move(*result));
}

mcp::Options McpProxyServer::State::LibraryOptions() {
  mcp::Options library;
  library.instructions = options.instructions;
  library.observer = this;
  library.on_cancel_running = options.on_cancel_running;
  library.on_kill_running = options.on_kill_running;
  library.on_overdue = options.on_overdue;
  return library;
}

std::expected<void, Error> McpProxyServer::State::SetUp() {
  auto assembled = ToolProxyService(checker, observer).Assemble(providers);
  if (!assembled) return std::unexpected(std::move(assembled).error());
  router = std::move(*assembled);
  router->CaptureContent(options.capture_content);
  auto fresh = std::make_unique<mcp::Server>(
      mcp::Implementation{"awf-proxy", options.version, "awf tool proxy"},
      [this](mcp::CallContext& context, std::string_view tool, const json::object& arguments) {
        return Call(context, tool, arguments);
      },
      LibraryOptions());
  for (const ToolDefinition& definition : router->Definitions()) {
    if (auto added = fresh->Register(ToMcp(definition, options.result_size)); !added) {
      return std::unexpected(ServerFault(added.error()));
    }
  }
  const std::lock_guard lock(stopping);
  server = std::move(fresh);
  if (stop) server->Stop(*stop);
  return {};
}

McpProxyServer::McpProxyServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

McpProxyServer::~McpProxyServer() = default;

void McpProxyServer::RegisterProvider(std::shared_ptr<ToolProvider> provider) {
  state_->providers.push_back(std::move(provider));
}

std::expected<mcp::EndReason, Error> McpProxyServer::ServeStdio(mcp::Transport& transport) {
  if (auto ready = state_->SetUp(); !ready) return std::unexpected(std::move(ready).error());
  auto end = state_->server->Serve(transport);
  if (!end) return std::unexpected(ServerFault(end.error()));
  return *end;
}

void McpProxyServer::Stop(mcp::EndReason reason) {
  const std::lock_guard lock(state_->stopping);
  if (!state_->stop) state_->stop = reason;
  if (state_->server) state_->server->Stop(*state_->stop);
}

std::unique_ptr<McpProxyServer> NewServer(const ArgumentChecker& checker, ProxyObserver& observer,
                                          McpProxyOptions options) {
  return std::unique_ptr<McpProxyServer>(
      new McpProxyServer(std::make_unique<McpProxyServer::State>(checker, observer, std::move(options))));
}

}  // namespace awf
