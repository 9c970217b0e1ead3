// Answers that are read as they come, and the way to the server.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "infrastructure/http/http_client.h"
#include "infrastructure/http/test_loopback_server.h"

namespace awf::http {
namespace {

using std::chrono::seconds;
using Kind = HttpFailure::Kind;

TEST(HttpStreamTest, PiecesComeAsTheyAreSentAndTheBodyStaysEmpty) {
  std::mutex mutex;
  std::condition_variable came;
  bool first = false;
  LoopbackServer server([&](int socket, const std::string&) {
    Send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none");
    std::unique_lock lock(mutex);
    came.wait_for(lock, seconds(30), [&] { return first; });  // the second half goes out after the first came
    Send(socket, "two");
  });
  HttpRequest request = RequestTo(server.Url());
  std::vector<std::string> pieces;
  const auto caller = std::this_thread::get_id();
  request.on_data = [&](std::string_view piece) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    pieces.emplace_back(piece);
    const std::lock_guard lock(mutex);
    first = true;
    came.notify_all();
    return true;
  };
  const auto response = HttpClient().Post(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "");
  EXPECT_EQ(pieces, (std::vector<std::string>{"one", "two"}));
}

TEST(HttpStreamTest, ErrorBodyIsNoStream) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(401, "who?")); });
  HttpRequest request = RequestTo(server.Url());
  request.on_data = [](std::string_view) {
    ADD_FAILURE() << "an error body went to on_data";
    return true;
  };
  const auto response = HttpClient().Post(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 401);
  EXPECT_EQ(response->body, "who?");
}

TEST(HttpStreamTest, ReaderThatSaysFalseEndsTheRequest) {
  LoopbackServer server([](int socket, const std::string&) {
    Send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    WaitForClose(socket);
  });
  HttpRequest request = RequestTo(server.Url());
  request.on_data = [](std::string_view) { return false; };
  const auto response = HttpClient().Post(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Kind::kCancelled);
}

TEST(HttpStreamTest, EnoughEndsARequestThatStandsStill) {
  LoopbackServer server([](int socket, const std::string&) {
    Send(socket, "HTTP/1.1 200 OK\r\n\r\nhello");
    WaitForClose(socket);
  });
  std::size_t bytes = 0;
  HttpRequest request = RequestTo(server.Url());
  request.on_data = [&](std::string_view piece) {
    bytes += piece.size();
    return true;
  };
  request.enough = [&] { return bytes == 5; };
  const auto response = HttpClient().Post(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Kind::kCancelled);
}

TEST(HttpStreamTest, LimitOfTheAnswerCountsForStreams) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(200, std::string(1001, 'x'))); });
  std::size_t bytes = 0;
  HttpRequest request = RequestTo(server.Url());
  request.on_data = [&](std::string_view piece) {
    bytes += piece.size();
    return true;
  };
  const auto over = HttpClient({.answer = 1000}).Post(request);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().kind, Kind::kTooLarge);
  EXPECT_LE(bytes, 1000U);
  bytes = 0;
  EXPECT_TRUE(HttpClient({.answer = 1001}).Post(request));
  EXPECT_EQ(bytes, 1001U);
}

// A variable of the environment for the time of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(HttpProxyTest, LoopbackGoesPastTheProxyOfTheEnvironment) {
  LoopbackServer proxy([](int socket, const std::string&) { Send(socket, Reply(200, "proxy")); });
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(200, "server")); });
  std::string url = proxy.Url();
  url.resize(url.find("/v1"));
  const Variable variable("http_proxy", url.c_str());
  for (const char* host : {"127.0.0.1", "localhost"}) {
    const auto response = HttpClient().Post(RequestTo(server.Url(host)));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "server");
  }
  const auto other = HttpClient().Post(RequestTo("http://collector.invalid/x"));
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->body, "proxy");
  const Variable exception("no_proxy", "collector.invalid");
  EXPECT_FALSE(HttpClient().Post(RequestTo("http://collector.invalid/x")));
}

}  // namespace
}  // namespace awf::http
