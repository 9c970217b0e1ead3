// For tests: a server in a thread, and the client's side of its pipes or sockets.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "mcp/server.h"
#include "mcp/stdio_transport.h"

namespace mcp {

// Only to catch hangs.
inline constexpr std::chrono::seconds kPatience{60};

// The client's two descriptors.
class TestClient {
 public:
  TestClient(int read_fd, int write_fd) : read_(read_fd), write_(write_fd) {}
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;
  ~TestClient() {
    CloseWrite();
    CloseRead();
  }

  // Writes all of it, waiting for the server where it must.
  void Write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(write_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      ASSERT_GT(written, 0);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void Send(std::string line) const { Write(line.append("\n")); }

  // The next line; nothing at the end of output.
  std::optional<std::string> Line() {
    std::size_t scanned = 0;
    for (;;) {
      const std::size_t end = bytes_.find('\n', scanned);
      if (end != std::string::npos) {
        std::string line = bytes_.substr(0, end);
        bytes_.erase(0, end + 1);
        return line;
      }
      scanned = bytes_.size();
      pollfd descriptor{read_, POLLIN, 0};
      const int ready = ::poll(&descriptor, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count()));
      if (ready < 0 && errno == EINTR) continue;
      if (ready != 1) {
        ADD_FAILURE() << "no line in time";
        return std::nullopt;
      }
      char chunk[65536];
      const ssize_t got = ::read(read_, chunk, sizeof chunk);
      if (got <= 0) return std::nullopt;
      bytes_.append(chunk, static_cast<std::size_t>(got));
    }
  }

  void CloseWrite() { Close(write_); }
  void CloseRead() { Close(read_); }
  // For a socket: no more is written, but still read.
  void ShutWrite() const { ::shutdown(write_, SHUT_WR); }

 private:
  static void Close(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }

  int read_;
  int write_;
  std::string bytes_;
};

struct Ends {
  int server_in = -1, server_out = -1, client_in = -1, client_out = -1;
};

inline Ends MakePipes() {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
  return {in[0], out[1], out[0], in[1]};
}

// As Node clients do: one socket pair for each direction.
inline Ends MakeSockets() {
  int in[2], out[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 ||
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out) != 0) {
    std::abort();
  }
  return {in[0], out[0], out[1], in[1]};
}

// Serves in its own thread from Start to the end of the object.
class TestServer {
 public:
  TestServer(CallHandler handler, Options options = {}, Ends ends = MakePipes())
      : client(ends.client_in, ends.client_out),
        transport(std::move(*StdioTransport::Over(ends.server_in, ends.server_out, options.max_frame))),
        server(Implementation{"srv", "1", ""}, std::move(handler), std::move(options)) {
    std::signal(SIGPIPE, SIG_IGN);
  }
  ~TestServer() {
    if (thread_.joinable()) {
      server.Stop(EndReason::kStopped);
      thread_.join();
    }
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  void Start() {
    thread_ = std::thread([this] { result_ = server.Serve(*transport); });
  }
  // Waits for the end of Serve.
  EndReason Join() {
    thread_.join();
    EXPECT_TRUE(result_.has_value());
    return result_.value_or(EndReason::kStopped);
  }

  TestClient client;
  std::unique_ptr<StdioTransport> transport;
  Server server;

 private:
  std::expected<EndReason, Error> result_;
  std::thread thread_;
};

inline std::string PingText(std::string_view id) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})";
}
inline std::string CallText(std::string_view id, std::string_view tool, std::string_view arguments = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"tools/call","params":{"name":")" +
         std::string(tool) + R"(","arguments":)" + std::string(arguments) + "}}";
}
inline std::string CancelText(std::string_view id) {
  return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + std::string(id) + "}}";
}
inline std::string Pong(std::string_view id) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":{}})";
}
inline std::string TextAnswer(std::string_view id, std::string_view text) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":{"content":[{"type":"text","text":")" +
         std::string(text) + R"("}],"isError":false}})";
}

}  // namespace mcp
