// The step channel: newline-delimited JSON over a unix stream socket between mcp-serve and awf run.
//
// mcp-serve (StepChannelClient) writes each event before the MCP answer goes out, so a killed server loses nothing.
// awf (StepChannelServer) accepts peers of its own uid that know the token and do not descend from a known mcp-serve.
// What awf sends back are the results of plugin calls, one for each call that was sent.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/time.h"
#include "domain/tool.h"
#include "domain/tool_observer.h"
#include "infrastructure/process/fd.h"

namespace awf::channel {

inline constexpr int kVersion = 1;

// Results that one peer may leave unread.
inline constexpr std::size_t kMaxUnsent = std::size_t{256} << 20;

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
  Deadline deadline;       // awf's own may come sooner
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

// mcp-serve's side. Send is thread-safe and writes the whole line before it returns.
class StepChannelClient {
 public:
  // Connects, says hello, waits for welcome (5 s at most).
  static std::expected<std::unique_ptr<StepChannelClient>, Error> Connect(const std::filesystem::path& socket,
                                                                          std::string_view token);
  ~StepChannelClient();
  // False when the parent is gone: no further call may be accepted.
  bool Send(const Message& message);
  // The same for a line that Encode made, of at most kMaxLine bytes.
  bool SendLine(std::string line);
  // Starts the thread that reads results. Without it nothing is read, and the fd becomes readable (EOF) when the parent
  // goes. `lost` is called once, last, when the parent goes or sends what it should not; neither when this is
  // destroyed, which ends the thread. Both run on that thread and must not throw. False: no thread to be had.
  bool ReadResults(std::function<void(PluginResult)> result, std::function<void()> lost);
  int fd() const;

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
  // What to poll for; changes with every Handle() and Send().
  void AddFds(std::vector<pollfd>& fds) const;
  // Accepts, reads whatever is there and writes as much as fits, without blocking; returns what came of it in order.
  std::vector<ServerEvent> Handle();
  // A line that EncodeResult made, at most kMaxLine bytes, for a connection that was welcomed. It goes out as its peer
  // reads, behind what was sent before; one that leaves more than kMaxUnsent bytes unread is dropped by the next
  // Handle(). False when the connection has ended.
  bool Send(std::uint64_t connection, std::string line);
  // Ends a connection whose peer did what it must not. The event of its end, or nothing when it has ended already.
  std::optional<ServerEvent> Drop(std::uint64_t connection, std::string reason);
  // Processes that said hello and whose connection is open.
  std::vector<pid_t> LivePeers() const;

 private:
  StepChannelServer();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace awf::channel
