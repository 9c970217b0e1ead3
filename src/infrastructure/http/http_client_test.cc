#include "infrastructure/http/http_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "infrastructure/http/curl_library.h"
#include "infrastructure/http/http_transfer.h"
#include "infrastructure/http/test_loopback_server.h"

namespace awf::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(HttpClientTest, PostsBodyAndHeadersAndReturnsTheAnswer) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(200, R"({"ok":true})")); });
  const auto response = HttpClient().Post(RequestTo(server.Url()));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, R"({"ok":true})");
  EXPECT_FALSE(response->retry_after);
  const std::string request = server.Requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /v1/x HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("\r\nAuthorization: Bearer sk-secret-key\r\n"), std::string::npos);
  EXPECT_NE(request.find("\r\nContent-Type: application/json\r\n"), std::string::npos);
  EXPECT_EQ(request.find("Expect:"), std::string::npos);
  EXPECT_TRUE(request.ends_with("\r\n\r\n{\"a\":1}"));
}

TEST(HttpClientTest, ErrorStatusIsAnAnswerWithItsRetryAfter) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(429, "slow", "Retry-After: 7\r\n")); });
  const auto response = HttpClient().Post(RequestTo(server.Url()));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 429);
  EXPECT_EQ(response->body, "slow");
  EXPECT_EQ(response->retry_after, seconds(7));
}

TEST(HttpClientTest, BigBodyGoesThroughWhole) {
  LoopbackServer server([](int socket, const std::string& request) {
    Send(socket, Reply(200, std::to_string(request.size() - request.find("\r\n\r\n") - 4)));
  });
  HttpRequest request = RequestTo(server.Url());
  request.body.assign(3'000'000, 'x');
  const auto response = HttpClient().Post(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "3000000");
}

TEST(HttpClientTest, KeyFollowsARedirectToTheSameHostButNotToAnother) {
  LoopbackServer target([](int socket, const std::string&) { Send(socket, Reply(200, "there")); });
  // "localhost" and "127.0.0.1" are different hosts to curl, although both lead here.
  LoopbackServer source([&](int socket, const std::string& request) {
    if (request.starts_with("POST /same ")) return Send(socket, Reply(200, "same"));
    const bool same = request.starts_with("POST /v1/first ");
    Send(socket, Reply(307, "", "Location: " + (same ? "/same" : target.Url("localhost")) + "\r\n"));
  });
  const auto other = HttpClient().Post(RequestTo(source.Url()));
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->body, "there");
  EXPECT_NE(source.Requests().at(0).find("sk-secret-key"), std::string::npos);
  const std::string second = target.Requests().at(0);
  EXPECT_EQ(second.find("sk-secret-key"), std::string::npos) << second;
  EXPECT_TRUE(second.starts_with("POST "));
  EXPECT_TRUE(second.ends_with("{\"a\":1}"));

  std::string url = source.Url();
  url.replace(url.rfind('/') + 1, std::string::npos, "first");
  const auto same = HttpClient().Post(RequestTo(url));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->body, "same");
  EXPECT_NE(source.Requests().at(2).find("sk-secret-key"), std::string::npos);
}

TEST(HttpClientTest, RefusedConnection) {
  int port = 0;
  {
    // A port that was free a moment ago and is closed now.
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port = ntohs(address.sin_port);
    ::close(socket);
  }
  const auto response = HttpClient().Post(RequestTo("http://127.0.0.1:" + std::to_string(port)));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, HttpFailure::Kind::kNoConnection);
  EXPECT_TRUE(response.error().message.starts_with("127.0.0.1: ")) << response.error().message;
}

TEST(HttpClientTest, CutAndEmptyAnswersAreBroken) {
  LoopbackServer cut(
      [](int socket, const std::string&) { Send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"); });
  const auto half = HttpClient().Post(RequestTo(cut.Url()));
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().kind, HttpFailure::Kind::kBroken);
  LoopbackServer silent([](int, const std::string&) {});
  const auto nothing = HttpClient().Post(RequestTo(silent.Url()));
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, HttpFailure::Kind::kBroken);
}

TEST(HttpClientTest, AnswerAboveTheLimitIsRefused) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(200, std::string(1001, 'x'))); });
  const auto over = HttpClient({.answer = 1000}).Post(RequestTo(server.Url()));
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().kind, HttpFailure::Kind::kTooLarge);
  EXPECT_TRUE(HttpClient({.answer = 1001}).Post(RequestTo(server.Url())));
}

TEST(HttpClientTest, SilenceIsStalled) {
  LoopbackServer server([](int socket, const std::string&) { WaitForClose(socket); });
  const auto response = HttpClient({.idle = milliseconds(50)}).Post(RequestTo(server.Url()));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, HttpFailure::Kind::kStalled);
  EXPECT_EQ(response.error().message, "127.0.0.1: no byte for 50 ms");
}

// The rule is 100 ms; without the wake-up it would be the poll's second, every time. A busy machine may need longer,
// but not every time.
TEST(HttpClientTest, CancelEndsAWaitingRequestAtOnce) {
  auto shortest = SteadyClock::duration::max();
  for (int i = 0; i < 10 && shortest >= milliseconds(900); ++i) {
    LoopbackServer server([](int socket, const std::string&) { WaitForClose(socket); });
    std::stop_source stop;
    HttpRequest request = RequestTo(server.Url());
    request.cancelled = stop.get_token();
    std::atomic<SteadyClock::rep> requested{0};
    std::jthread canceller([&] {
      while (!server.got_request) std::this_thread::sleep_for(milliseconds(1));
      requested = SteadyClock::now().time_since_epoch().count();
      stop.request_stop();
    });
    const auto response = HttpClient().Post(request);
    shortest = std::min(shortest, SteadyClock::now().time_since_epoch() - SteadyClock::duration(requested.load()));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, HttpFailure::Kind::kCancelled);
  }
  EXPECT_LT(shortest, milliseconds(900));
}

TEST(HttpClientTest, DeadlineEndsARequest) {
  LoopbackServer server([](int socket, const std::string&) { WaitForClose(socket); });
  HttpRequest request = RequestTo(server.Url());
  request.deadline = SteadyClock::now() + milliseconds(50);
  const auto response = HttpClient().Post(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, HttpFailure::Kind::kDeadline);
}

TEST(HttpClientTest, OtherSchemesAndGarbageAreBadUrls) {
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/x", "not a url", ""}) {
    const auto response = HttpClient().Post(RequestTo(url));
    ASSERT_FALSE(response) << url;
    EXPECT_EQ(response.error().kind, HttpFailure::Kind::kBadUrl) << url;
  }
}

TEST(HttpClientTest, RedirectToAFileIsRefused) {
  LoopbackServer server(
      [](int socket, const std::string&) { Send(socket, Reply(302, "", "Location: file:///etc/hostname\r\n")); });
  EXPECT_FALSE(HttpClient().Post(RequestTo(server.Url())));
}

using Kind = HttpFailure::Kind;

TEST(HttpClientTest, OwnHeadersContentTypeAndAccept) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(200, "")); });
  HttpRequest request = RequestTo(server.Url());
  request.content_type = "application/x-protobuf";
  request.accept.clear();
  request.headers = {{"x-key", "a b: c"}, {"x-empty", ""}};
  ASSERT_TRUE(HttpClient().Post(request));
  const std::string sent = server.Requests().at(0);
  EXPECT_NE(sent.find("\r\nContent-Type: application/x-protobuf\r\n"), std::string::npos) << sent;
  EXPECT_NE(sent.find("\r\nx-key: a b: c\r\n"), std::string::npos) << sent;
  EXPECT_NE(sent.find("\r\nx-empty:\r\n"), std::string::npos) << sent;
  EXPECT_EQ(sent.find("Accept:"), std::string::npos) << sent;
}

TEST(HttpClientTest, MalformedHeadersAreRefusedBeforeAnythingIsSent) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(200, "")); });
  struct Case {
    HttpHeader header;
    std::string message;
  };
  const std::string bad_name = "127.0.0.1: a header has a name that HTTP does not allow";
  const std::string bad_value = "127.0.0.1: the value of header x-key has a control character";
  for (const Case& c : {Case{{"x-key", "secret\r\nx-more: 1"}, bad_value}, Case{{"x-key", "secret\n"}, bad_value},
                        Case{{"x-key", std::string("sec\0ret", 7)}, bad_value}, Case{{"", "secret"}, bad_name},
                        Case{{"x-key: a\r\nx", "secret"}, bad_name}, Case{{"x key", "secret"}, bad_name}}) {
    HttpRequest request = RequestTo(server.Url());
    request.headers = {c.header};
    const auto response = HttpClient().Post(request);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, Kind::kBadHeader);
    EXPECT_EQ(response.error().message, c.message);
  }
  HttpRequest request = RequestTo(server.Url());
  request.bearer_token = "secret\n";
  const auto response = HttpClient().Post(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "127.0.0.1: the key has a control character, maybe a line feed at its end");
  EXPECT_TRUE(server.Requests().empty());
}

TEST(HttpClientTest, AnswerHasTheHeadersOfTheLastAnswerAndTheTrailers) {
  LoopbackServer server([](int socket, const std::string& request) {
    if (request.starts_with("POST /v1/x")) {
      return Send(socket, Reply(307, "first", "Location: /there\r\nX-First: 1\r\n"));
    }
    Send(socket,
         "HTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nX-Last:  two words \r\n"
         "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: 3\r\n\r\n");
  });
  const auto response = HttpClient().Post(RequestTo(server.Url()));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "ok");
  const std::vector<HttpHeader> headers{{"x-last", "two words"}, {"transfer-encoding", "chunked"}};
  EXPECT_EQ(response->headers, headers);
  EXPECT_EQ(response->trailers, (std::vector<HttpHeader>{{"x-trailer", "3"}}));
}

TEST(HttpClientTest, RedirectIsAnAnswerWhenNotFollowed) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(307, "no", "Location: /x\r\n")); });
  HttpRequest request = RequestTo(server.Url());
  request.follow_redirects = false;
  const auto response = HttpClient().Post(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 307);
  EXPECT_EQ(response->body, "no");
  EXPECT_EQ(server.Requests().size(), 1U);
}

TEST(HttpClientTest, EndlessHeadersAreTooLarge) {
  LoopbackServer server([](int socket, const std::string&) {
    Send(socket, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 300; ++i) Send(socket, "x: " + std::string(1000, 'x') + "\r\n");
    Send(socket, "Content-Length: 0\r\n\r\n");
  });
  const auto response = HttpClient().Post(RequestTo(server.Url()));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Kind::kTooLarge);
  EXPECT_EQ(response.error().message, "127.0.0.1: the headers of the answer are larger than 262144 bytes");
}

TEST(CurlLibraryTest, LibraryWithoutHttp2NamesThePackage) {
  const auto library = CurlLibrary::Get();
  ASSERT_TRUE(library);
  EXPECT_TRUE(CheckLibrary(HttpVersion::kHttp2));
  CurlLibrary without = **library;
  without.http2 = false;
  CurlHandles handles(without);
  HttpRequest request = RequestTo("http://127.0.0.1:1/");
  request.version = HttpVersion::kHttp2;
  const auto response = Transfer(handles, {}, request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Kind::kNoLibrary);
  EXPECT_NE(response.error().hint.find("libcurl4"), std::string::npos);
}

TEST(CurlLibraryTest, AbsentLibraryNamesThePackage) {
  const auto library = CurlLibrary::Load("libcurl-that-is-not-there.so.4");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, "EXECUTION.AGENT.FAILED");
  EXPECT_NE(library.error().hint.find("libcurl4"), std::string::npos);
}

}  // namespace
}  // namespace awf::http
