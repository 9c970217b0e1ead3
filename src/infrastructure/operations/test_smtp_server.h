// For tests: a mail server on this machine that answers as a script says.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "infrastructure/http/test_loopback_server.h"

namespace awf::operations {

// Serves one connection after the other. What it gets is kept line by line, without CR LF; the lines between DATA and
// "." as one text, as they came.
class TestSmtpServer {
 public:
  // Replies by a whole line, else by its first word; "greeting" and "." are two more of them. What is not there is
  // answered with "250 ok", or as a server usually does. kSilence: no reply, and all that comes then is kept as one
  // line.
  using Script = std::map<std::string, std::string>;
  static constexpr const char* kSilence = "silence";

  explicit TestSmtpServer(Script script = {}) : script_(std::move(script)) {
    script_.insert({{"greeting", "220 test"}, {"DATA", "354 go on"}, {"QUIT", "221 bye"}, {".", "250 2.0.0 queued"}});
    thread_ = std::jthread([this] { Serve(); });
  }
  ~TestSmtpServer() { Close(); }

  TestSmtpServer(const TestSmtpServer&) = delete;
  TestSmtpServer& operator=(const TestSmtpServer&) = delete;

  std::string Url(const std::string& login = {}, const std::string& host = "127.0.0.1") const {
    return "smtp://" + login + host + ":" + std::to_string(listener_.port());
  }
  // Takes no more, and waits until the last connection was closed: then Lines and Data are whole.
  void Close() {
    if (!thread_.joinable()) return;
    listener_.Stop();
    thread_.join();
  }
  std::vector<std::string> Lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::string Data() const {
    const std::lock_guard lock(mutex_);
    return data_;
  }
  std::atomic<bool> hangs{false};

 private:
  class Connection {
   public:
    explicit Connection(int socket) : socket_(socket) {}
    ~Connection() { ::close(socket_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void Say(const std::string& reply) const { http::Send(socket_, reply + "\r\n"); }
    std::optional<std::string> Line() {
      for (;;) {
        if (const std::size_t end = buffer_.find("\r\n"); end != std::string::npos) {
          std::string line = buffer_.substr(0, end);
          buffer_.erase(0, end + 2);
          return line;
        }
        if (!Read()) return std::nullopt;
      }
    }
    std::string Rest() {
      while (Read()) {
      }
      return buffer_;
    }

   private:
    bool Read() {
      char bytes[4096];
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count > 0) buffer_.append(bytes, static_cast<std::size_t>(count));
      return count > 0;
    }

    const int socket_;
    std::string buffer_;
  };

  void Serve() {
    for (;;) {
      const int socket = listener_.Accept();
      if (socket < 0) return;
      Connection connection(socket);
      Talk(connection);
    }
  }

  void Talk(Connection& connection) {
    if (!Reply(connection, "greeting")) return;
    bool in_data = false;
    while (const std::optional<std::string> line = connection.Line()) {
      if (in_data && *line != ".") {
        const std::lock_guard lock(mutex_);
        data_ += *line + "\r\n";
        continue;
      }
      Keep(*line);
      if (!Reply(connection, *line)) return;
      in_data = ReplyTo(*line).starts_with("354");
    }
  }

  // False: the rest was kept until the client closed.
  bool Reply(Connection& connection, const std::string& line) {
    const std::string reply = ReplyTo(line);
    if (reply != kSilence) {
      connection.Say(reply);
      return true;
    }
    hangs = true;
    Keep(connection.Rest());
    return false;
  }

  std::string ReplyTo(const std::string& line) const {
    auto found = script_.find(line);
    if (found == script_.end()) found = script_.find(line.substr(0, line.find(' ')));
    return found == script_.end() ? "250 ok" : found->second;
  }

  void Keep(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }

  Script script_;
  http::LoopbackListener listener_;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::string data_;
  std::jthread thread_;
};

}  // namespace awf::operations
