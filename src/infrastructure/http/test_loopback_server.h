// For tests: a loopback server that answers as a function says, and the texts it may send.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "infrastructure/http/http_client.h"

namespace awf::http {

// A loopback server: reads one request per connection, then lets `answer` write to the socket.
class LoopbackServer {
 public:
  using Answer = std::function<void(int socket, const std::string& request)>;

  explicit LoopbackServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
  }
  ~LoopbackServer() {
    thread_.request_stop();
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::string Url(const std::string& host = "127.0.0.1", const std::string& path = "/v1/x") const {
    return "http://" + host + ":" + std::to_string(port_) + path;
  }
  std::vector<std::string> Requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::atomic<bool> got_request{false};

 private:
  void Serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      const std::string request = ReadRequest(socket);
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      got_request = true;
      answer_(socket, request);
      ::close(socket);
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

  Answer answer_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::jthread thread_;
};

inline void Send(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

inline std::string Reply(int status, const std::string& body, const std::string& headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         headers + "\r\n" + body;
}

// Waits until the client closes its side.
inline void WaitForClose(int socket) {
  char byte;
  while (::recv(socket, &byte, 1, 0) > 0) {
  }
}

inline HttpRequest RequestTo(const std::string& url) {
  HttpRequest request;
  request.url = url;
  request.body = R"({"a":1})";
  request.bearer_token = "sk-secret-key";
  request.deadline = SteadyClock::now() + std::chrono::seconds(60);
  return request;
}

}  // namespace awf::http
