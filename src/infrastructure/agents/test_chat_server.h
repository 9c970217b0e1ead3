// For tests: a loopback server that answers each request with chosen bytes, in chosen pieces.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace awf::agents {

struct RawAnswer {
  std::string head;                 // status line and headers, without the empty line after them; "": nothing is sent
  std::vector<std::string> pieces;  // of the body; sent one by one
  bool hold = false;                // then the connection stays open until the client closes it
};

inline RawAnswer StreamAnswer(std::vector<std::string> pieces) {
  return {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n", std::move(pieces)};
}
inline RawAnswer JsonAnswer(int status, const std::string& body, const std::string& headers = {}) {
  return {"HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\n" + headers +
              "Content-Length: " + std::to_string(body.size()) + "\r\n",
          {body}};
}

// One request per connection, one connection after another; the last answer is given for ever.
class TestChatServer {
 public:
  explicit TestChatServer(std::vector<RawAnswer> answers) : answers_(std::move(answers)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { Serve(); });
  }
  TestChatServer(const TestChatServer&) = delete;
  TestChatServer& operator=(const TestChatServer&) = delete;
  ~TestChatServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  std::string base_url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  std::vector<std::string> Requests() const {  // whole: head and body
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void Serve() {
    for (std::size_t next = 0;; ++next) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      std::string request = ReadRequest(socket);
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
      }
      const RawAnswer& answer = answers_[std::min(next, answers_.size() - 1)];
      if (!answer.head.empty()) Send(socket, answer.head + "\r\n");
      for (const std::string& piece : answer.pieces) Send(socket, piece);
      char byte = 0;
      while (answer.hold && ::recv(socket, &byte, 1, 0) > 0) {
      }
      ::close(socket);
    }
  }

  static void Send(int socket, std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  static std::string ReadRequest(int socket) {
    std::string text;
    for (;;) {
      const std::size_t head = text.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t at = text.find("Content-Length: ");
        const std::size_t length = at == std::string::npos ? 0 : std::stoul(text.substr(at + 16));
        if (text.size() >= head + 4 + length) return text;
      }
      char buffer[4096];
      const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
      if (count <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(count));
    }
  }

  const std::vector<RawAnswer> answers_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::jthread thread_;
};

}  // namespace awf::agents
