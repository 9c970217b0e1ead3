// Requests of other methods than POST, and answers that are cut.
#include <gtest/gtest.h>

#include <string>

#include "infrastructure/http/http_client.h"
#include "infrastructure/http/test_loopback_server.h"

namespace awf::http {
namespace {

HttpRequest Plain(const LoopbackServer& server, const std::string& body = {}) {
  HttpRequest request = RequestTo(server.Url());
  request.bearer_token.clear();
  request.accept.clear();
  request.content_type = body.empty() ? "" : "text/plain";
  request.body = body;
  return request;
}

TEST(HttpMethodTest, EachIsSentAsItIsCalled) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(200, "x")); });
  const std::string host = server.Url("127.0.0.1", "").substr(7);
  const std::string head = " /v1/x HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: awf\r\n";
  struct Case {
    std::string method, body, sent;
  };
  const std::string with_body = head + "Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc";
  const std::string none = head + "\r\n", empty = head + "Content-Length: 0\r\n\r\n";
  std::size_t count = 0;
  for (const Case& c :
       {Case{"GET", "", "GET" + none}, Case{"GET", "abc", "GET" + with_body}, Case{"DELETE", "", "DELETE" + none},
        Case{"DELETE", "abc", "DELETE" + with_body}, Case{"PUT", "", "PUT" + empty},
        Case{"PUT", "abc", "PUT" + with_body}, Case{"PATCH", "abc", "PATCH" + with_body},
        Case{"POST", "", "POST" + empty}, Case{"POST", "abc", "POST" + with_body}}) {
    const auto response = HttpClient().Send(c.method, Plain(server, c.body));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "x");
    EXPECT_EQ(server.Requests().at(count++), c.sent);
  }
}

TEST(HttpMethodTest, HeadHasHeadersAndNoBody) {
  LoopbackServer server([](int socket, const std::string&) {
    Send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nX-A: b\r\n\r\n");
  });
  const auto response = HttpClient().Send("HEAD", Plain(server));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "");
  EXPECT_EQ(response->headers.at(1), (HttpHeader{"x-a", "b"}));
  EXPECT_TRUE(server.Requests().at(0).starts_with("HEAD /v1/x HTTP/1.1\r\n"));
}

TEST(HttpMethodTest, AnswerIsCutAtTheLimitWhereThatIsAskedFor) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(503, std::string(1001, 'x'))); });
  const auto cut = HttpClient({.answer = 1000, .cut_answer = true}).Send("GET", Plain(server));
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->status, 503);
  EXPECT_EQ(cut->body, std::string(1000, 'x'));
  EXPECT_TRUE(cut->cut);
  const auto whole = HttpClient({.answer = 1001, .cut_answer = true}).Send("GET", Plain(server));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body.size(), 1001U);
  EXPECT_FALSE(whole->cut);
}

}  // namespace
}  // namespace awf::http
