// For tests: a loopback server that answers each request with chosen bytes, in chosen pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "infrastructure/http/test_loopback_server.h"

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
  explicit TestChatServer(std::vector<RawAnswer> answers) : answers_(std::move(answers)) {}

  std::string base_url() const { return server_.Url("127.0.0.1", "/v1"); }
  std::vector<std::string> Requests() const { return server_.Requests(); }  // whole: head and body

 private:
  void Answer(int socket) {
    const RawAnswer& answer = answers_[std::min(next_, answers_.size() - 1)];
    ++next_;
    if (!answer.head.empty()) http::Send(socket, answer.head + "\r\n");
    for (const std::string& piece : answer.pieces) http::Send(socket, piece);
    if (answer.hold) http::WaitForClose(socket);
  }

  const std::vector<RawAnswer> answers_;
  std::size_t next_ = 0;  // of the server's thread
  http::LoopbackServer server_{[this](int socket, const std::string&) { Answer(socket); }};
};

}  // namespace awf::agents
