// The step channel: newline-delimited JSON over a unix stream socket between mcp-serve and awf run.
//
// mcp-serve (StepChannelClient) writes each event before the MCP answer goes out, so a killed server loses nothing.
// awf (StepChannelServer) accepts peers of its own uid that know the token and do not descend from a known mcp-serve.
#pragma once

#include <sys/types.h>

#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/error.h"
#include "domain/tool_observer.h"
#include "infrastructure/process/fd.h"

namespace awf::channel {

inline constexpr int kVersion = 1;

// mcp-serve → awf, after `hello` was answered by `welcome`.
struct Ready {
  std::string client, client_version, protocol_version;
};
struct ToolsListed {
  std::size_t count = 0;
  std::vector<std::string> names;  // in list order
  std::string digest_input;        // names, descriptions, schemas as JSON text
};
struct CallStarted {
  CallRecord call;
};
struct CallFinished {
  CallId call;
  CallEnd end;
};
// An operation of a plugin, to be run by awf on behalf of a call that was told as started.
struct PluginCall {
  CallId call;
  std::string plugin, operation;
  json::object arguments;  // checked
};
// Nobody waits for the result any more.
struct PluginCancel {
  CallId call;
};
struct Bye {};
using Message = std::variant<Ready, ToolsListed, CallStarted, CallFinished, PluginCall, PluginCancel, Bye>;

// awf → mcp-serve.
struct PluginResult {
  CallId call;
  ToolResult result;
};

// One line without the line feed, and back. Unknown types are an error of the peer.
std::string Encode(const Message& message);
std::expected<Message, std::string> Decode(std::string_view line);
std::string EncodeResult(const PluginResult& result);
std::expected<PluginResult, std::string> DecodeResult(std::string_view line);

// mcp-serve's side. Thread-safe; Send writes the whole line before it returns.
class StepChannelClient {
 public:
  // Connects, says hello, waits for welcome (5 s at most).
  static std::expected<std::unique_ptr<StepChannelClient>, Error> Connect(const std::filesystem::path& socket,
                                                                          std::string_view token);
  ~StepChannelClient();
  // False when the parent is gone: no further call may be accepted.
  bool Send(const Message& message);
  int fd() const;  // becomes readable (EOF) when the parent goes

 private:
  explicit StepChannelClient(Fd socket);
  struct State;
  std::unique_ptr<State> state_;
};

// A message, or the end of a connection, with the mcp-serve process that it came from.
struct ServerEvent {
  enum class Kind { kConnected, kMessage, kClosed, kRefused } kind = Kind::kMessage;
  pid_t pid = 0;                 // from SO_PEERCRED
  std::uint64_t connection = 0;  // counts welcomed connections of this channel from 1; 0 when refused
  std::optional<Message> message;
  bool said_bye = false;  // kClosed: bye came before the end
  std::string reason;     // kRefused: why; kClosed: the peer's fault for which it was dropped, else empty
};

// awf's side: a passive object for one poll loop and one thread.
class StepChannelServer {
 public:
  // Binds `socket` (in the private step folder) and listens.
  static std::expected<std::unique_ptr<StepChannelServer>, Error> Listen(const std::filesystem::path& socket,
                                                                         std::string token);
  ~StepChannelServer();
  // Descriptors to poll for readability; changes with every Handle().
  std::vector<int> Fds() const;
  // Accepts and reads whatever is there, without blocking, and returns what came of it in order.
  std::vector<ServerEvent> Handle();
  // Processes that said hello and whose connection is open.
  std::vector<pid_t> LivePeers() const;

 private:
  StepChannelServer();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace awf::channel
