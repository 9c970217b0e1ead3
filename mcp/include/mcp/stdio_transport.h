// StdioTransport: frames over a pair of descriptors, usually the process's stdin and stdout.
//
// Owns the descriptors. They stay in blocking mode, since O_NONBLOCK would reach other processes that share them; every
// wait is a poll. Pipes, socket pairs, files and terminals will do. Threads: as transport.h says; Watch before Serve.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>

#include "mcp/error.h"
#include "mcp/transport.h"

namespace mcp {

class StdioTransport final : public Transport {
 public:
  static constexpr std::size_t kDefaultMaxFrame = std::size_t{64} << 20;

  // Takes the protocol away from fds 0 and 1, so that neither a library nor a child process can read or write it: they
  // move above 2 with CLOEXEC, fd 0 becomes /dev/null, fd 1 a copy of fd 2 (which becomes /dev/null if it is closed).
  // Also ignores SIGPIPE for the process (programs that are started must get it back), and makes malloc return blocks
  // over 1 MiB to the system, so that a large message leaves no trace.
  // Call it first thing in main, before other threads and descriptors.
  static std::expected<std::unique_ptr<StdioTransport>, Error> TakeOver(std::size_t max_frame = kDefaultMaxFrame);
  // Owns the two descriptors from now on (also on failure), which may be the same one. SIGPIPE is the caller's to
  // ignore.
  static std::expected<std::unique_ptr<StdioTransport>, Error> Over(int in, int out,
                                                                    std::size_t max_frame = kDefaultMaxFrame);
  ~StdioTransport() override;
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  // Polls fd, which is not owned, together with the input: when it is readable or its other side is gone, on_ready runs
  // on the thread inside Serve, reads what is there, and says whether to go on watching. It may call Server::Stop.
  // This is where signals (signals.h) and a parent's connection go.
  void Watch(int fd, std::function<bool()> on_ready);

  ReadOutcome ReadFrame(std::string& frame) override;
  ReadOutcome TakeReceived(std::string& frame) override;
  ReadOutcome WaitForEnd() override;
  bool WriteFrame(std::string_view frame) override;
  void Wake() override;
  void AbandonWrites() override;

 private:
  struct State;
  explicit StdioTransport(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace mcp
