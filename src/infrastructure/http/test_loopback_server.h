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

// A socket that listens on a free port of this machine.
class LoopbackListener {
 public:
  LoopbackListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~LoopbackListener() { ::close(socket_); }
  LoopbackListener(const LoopbackListener&) = delete;
  LoopbackListener& operator=(const LoopbackListener&) = delete;

  int port() const { return port_; }
  // The next connection, which the caller closes; below 0 after Stop.
  int Accept() const { return ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC); }
  void Stop() const { ::shutdown(socket_, SHUT_RDWR); }

 private:
  const int socket_;
  int port_ = 0;
};

// A loopback server: reads one request per connection, then lets `answer` write to the socket.
class LoopbackServer {
 public:
  using Answer = std::function<void(int socket, const std::string& request)>;

  explicit LoopbackServer(Answer answer) : answer_(std::move(answer)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
  }
  ~LoopbackServer() {
    thread_.request_stop();
    listener_.Stop();
    thread_.join();
  }

  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::string Url(const std::string& host = "127.0.0.1", const std::string& path = "/v1/x") const {
    return "http://" + host + ":" + std::to_string(listener_.port()) + path;
  }
  std::vector<std::string> Requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::atomic<bool> got_request{false};

 private:
  void Serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const int socket = listener_.Accept();
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
  LoopbackListener listener_;
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
