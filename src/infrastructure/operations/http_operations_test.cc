#include "infrastructure/operations/http_operations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

using Ending = OperationResult::Ending;
using http::LoopbackServer;
using http::Reply;
using http::Send;
using std::chrono::milliseconds;

OperationResult Request(const std::string& url, std::string_view others = "{}",
                        Deadline deadline = SteadyClock::now() + kHang, std::stop_token cancelled = {}) {
  json::object inputs = Object(others);
  inputs["url"] = url;
  return Execute(*MakeHttpOperations(), "request", inputs, deadline, std::move(cancelled));
}

std::string HostOf(const LoopbackServer& server) { return server.Url("127.0.0.1", "").substr(7); }

TEST(HttpOperationsTest, GetIsTheDefault) {
  LoopbackServer server([](int socket, const std::string&) {
    Send(socket, Reply(200, "hello", "X-One: 1\r\nX-Two: a\r\nx-two: b\r\n"));
  });
  const OperationResult result = Request(server.Url());
  EXPECT_TRUE(result.success);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(Text(result.data),
            R"({"status_code":200,"body":"hello","headers":{"content-length":"5","x-one":"1","x-two":"a, b"},)"
            R"("body_truncated":false})");
  EXPECT_EQ(server.Requests().at(0),
            "GET /v1/x HTTP/1.1\r\nHost: " + HostOf(server) + "\r\nUser-Agent: awf\r\nAccept: */*\r\n\r\n");
}

TEST(HttpOperationsTest, MethodHeadersAndBodyAreSent) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(201, "")); });
  EXPECT_TRUE(
      Request(server.Url(), R"({"method":"PUT","body":"{\"a\":1}","headers":{"X-N":7,"Accept":"text/x"}})").success);
  EXPECT_TRUE(Request(server.Url(), R"({"method":"PATCH","body":"plain"})").success);
  EXPECT_TRUE(Request(server.Url(), R"({"method":"POST","body":"a","headers":{"content-type":"x/y"}})").success);
  EXPECT_TRUE(Request(server.Url(), R"({"method":"DELETE","headers":{"User-Agent":"me"}})").success);
  const std::string host = " /v1/x HTTP/1.1\r\nHost: " + HostOf(server) + "\r\n", agent = "User-Agent: awf\r\n";
  EXPECT_EQ(server.Requests(),
            (std::vector<std::string>{
                "PUT" + host + agent +
                    "Content-Type: application/json\r\nAccept: text/x\r\nX-N: 7\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
                "PATCH" + host + agent +
                    "Content-Type: text/plain; charset=utf-8\r\nAccept: */*\r\nContent-Length: 5\r\n\r\nplain",
                "POST" + host + agent + "Content-Type: x/y\r\nAccept: */*\r\nContent-Length: 1\r\n\r\na",
                "DELETE" + host + "Accept: */*\r\nUser-Agent: me\r\n\r\n"}));
}

TEST(HttpOperationsTest, HeadHasNoBody) {
  LoopbackServer server(
      [](int socket, const std::string&) { Send(socket, "HTTP/1.1 204 X\r\nContent-Length: 9\r\n\r\n"); });
  const OperationResult result = Request(server.Url(), R"({"method":"HEAD"})");
  EXPECT_TRUE(result.success);
  EXPECT_EQ(Text(result.data),
            R"({"status_code":204,"body":"","headers":{"content-length":"9"},"body_truncated":false})");
}

TEST(HttpOperationsTest, EveryStatusIsASuccessButThoseToRetry) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(503, "busy")); });
  const OperationResult plain = Request(server.Url());
  EXPECT_TRUE(plain.success);
  EXPECT_EQ(plain.data.at("status_code"), 503);
  EXPECT_TRUE(Request(server.Url(), R"({"retryable_status_codes":[500,502]})").success);
  for (const char* codes : {R"([502,503])", R"([503.0])", R"(["503"])"}) {
    const OperationResult again = Request(server.Url(), std::string(R"({"retryable_status_codes":)") + codes + "}");
    EXPECT_FALSE(again.success);
    EXPECT_EQ(again.ending, Ending::kAnswered);
    EXPECT_EQ(again.error, "retryable_status: 127.0.0.1 answered with status 503");
    EXPECT_EQ(Text(again.data),
              R"({"status_code":503,"body":"busy","headers":{"content-length":"4"},"body_truncated":false,)"
              R"("error_type":"retryable_status"})");
  }
}

TEST(HttpOperationsTest, BodyIsCutAtOneMebibyteBetweenCharacters) {
  const std::size_t limit = std::size_t{1} << 20;
  std::string body;
  LoopbackServer server([&](int socket, const std::string&) { Send(socket, Reply(200, body)); });
  const auto fetched = [&](const std::string& text) {
    body = text;
    const OperationResult result = Request(server.Url());
    EXPECT_TRUE(result.success) << result.error;
    return std::pair(std::string(result.data.at("body").as_string()), result.data.at("body_truncated").as_bool());
  };
  const std::string x(limit - 1, 'x'), umlaut = "\xC3\xA4", question = "\xEF\xBF\xBD";
  EXPECT_EQ(fetched(x + "y"), std::pair(x + "y", false));
  EXPECT_EQ(fetched(x + "yz"), std::pair(x + "y", true));
  EXPECT_EQ(fetched(x + umlaut), std::pair(x, true));
  EXPECT_EQ(fetched("a\xFF\xC3(b"), std::pair("a" + question + question + "(b", false));
  const auto [repaired, cut] = fetched(std::string(limit, '\xFF'));
  EXPECT_EQ(repaired.size(), limit - limit % 3);
  EXPECT_TRUE(cut);
}

TEST(HttpOperationsTest, RedirectsWithinAHostKeepTheHeaders) {
  LoopbackServer server([](int socket, const std::string& request) {
    if (request.starts_with("GET /end ")) return Send(socket, Reply(200, "end"));
    Send(socket, Reply(request.starts_with("POST /v1/x ") ? 307 : 303, "",
                       "Location: " + std::string(request.starts_with("POST /v1/x ") ? "y" : "/end") + "\r\n"));
  });
  const OperationResult result =
      Request(server.Url(), R"({"method":"POST","body":"b","headers":{"Authorization":"Basic x","X-A":"1"}})");
  EXPECT_TRUE(result.success) << result.error;
  EXPECT_EQ(result.data.at("body"), "end");
  const std::string head = "Host: " + HostOf(server) + "\r\nUser-Agent: awf\r\n";
  const std::string own = "Accept: */*\r\nAuthorization: Basic x\r\nX-A: 1\r\n";
  const std::string sent = head + "Content-Type: text/plain; charset=utf-8\r\n" + own + "Content-Length: 1\r\n\r\nb";
  EXPECT_EQ(server.Requests(),
            (std::vector<std::string>{"POST /v1/x HTTP/1.1\r\n" + sent, "POST /v1/y HTTP/1.1\r\n" + sent,
                                      "GET /end HTTP/1.1\r\n" + head + own + "\r\n"}));
}

TEST(HttpOperationsTest, SecretsStayWithTheirHost) {
  LoopbackServer target([](int socket, const std::string&) { Send(socket, Reply(200, "there")); });
  LoopbackServer source([&](int socket, const std::string&) {
    Send(socket, Reply(302, "", "Location: " + target.Url("127.0.0.1", "/t") + "\r\n"));
  });
  std::string url = source.Url();
  url.insert(7, "user:pass@");
  const OperationResult result = Request(url, R"({"headers":{"Authorization":"Basic x","Cookie":"c=1",
      "X-Api-Key":"k","X-Auth-Token":"t","Host":"virtual","X-Plain":"p"}})");
  EXPECT_TRUE(result.success) << result.error;
  EXPECT_EQ(result.data.at("body"), "there");
  EXPECT_NE(source.Requests().at(0).find("\r\nX-Api-Key: k\r\n"), std::string::npos);
  EXPECT_EQ(target.Requests().at(0),
            "GET /t HTTP/1.1\r\nHost: " + HostOf(target) + "\r\nUser-Agent: awf\r\nAccept: */*\r\nX-Plain: p\r\n\r\n");
}

TEST(HttpOperationsTest, RedirectsElsewhereAreTheAnswer) {
  std::string location;
  LoopbackServer server([&](int socket, const std::string&) { Send(socket, Reply(302, "no", location)); });
  for (const char* other : {"Location: file:///etc/passwd\r\n", "Location: ftp://127.0.0.1/\r\n", "X-None: 1\r\n"}) {
    location = other;
    const OperationResult result = Request(server.Url());
    EXPECT_TRUE(result.success) << result.error;
    EXPECT_EQ(result.data.at("status_code"), 302);
    EXPECT_EQ(result.data.at("body"), "no");
  }
}

TEST(HttpOperationsTest, EndlessRedirectsAreRefused) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(301, "", "Location: /again\r\n")); });
  const OperationResult result = Request(server.Url());
  EXPECT_FALSE(result.success);
  EXPECT_EQ(result.error, "network: more than 5 redirects");
  EXPECT_EQ(server.Requests().size(), 6U);
}

TEST(HttpOperationsTest, BadInputsAreRefusedBeforeAnythingIsSent) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(200, "")); });
  const auto error = [&](std::string_view others) {
    const OperationResult result = Request(server.Url(), others);
    EXPECT_FALSE(result.success);
    EXPECT_EQ(result.data.at("error_type"), "invalid_field");
    return result.error;
  };
  EXPECT_EQ(error(R"({"method":"TRACE"})"), "invalid_field: method must be one of GET, POST, PUT, DELETE, PATCH, HEAD");
  EXPECT_EQ(error(R"({"timeout":0})"), "invalid_field: timeout must be above 0 and at most 86400");
  EXPECT_EQ(error(R"({"method":"HEAD","body":"x"})"), "invalid_field: body has no place in HEAD");
  EXPECT_EQ(error(R"({"headers":{"Content-Length":"3"}})"),
            "invalid_field: headers must not hold content-length, which follows from the body");
  EXPECT_EQ(error(R"({"headers":{"X":["3"]}})"), "invalid_field: headers must hold texts");
  EXPECT_EQ(error(R"({"headers":{"X":"secret\r\nY: 1"}})"),
            "invalid_field: 127.0.0.1: the value of header X has a control character");
  EXPECT_EQ(error(R"({"retryable_status_codes":["5xx"]})"),
            "invalid_field: retryable_status_codes must hold integers from 100 to 599");
  EXPECT_EQ(Execute(*MakeHttpOperations(), "request", {}).error, "invalid_field: url is required");
  EXPECT_EQ(Execute(*MakeHttpOperations(), "get", {}).error, "invalid_field: http has no operation 'get'");
  EXPECT_TRUE(server.Requests().empty());
}

TEST(HttpOperationsTest, ErrorsDoNotRepeatTheUrl) {
  for (const char* url : {"ftp://u:secret@127.0.0.1/x", "secret", "file:///etc/passwd?secret"}) {
    EXPECT_EQ(Request(url).error, "invalid_field: url must be an http or https URL");
  }
  LoopbackServer silent([](int, const std::string&) {});
  std::string url = silent.Url("127.0.0.1", "/?key=secret");
  url.insert(7, "user:secret@");
  const OperationResult broken = Request(url);
  EXPECT_EQ(broken.error, "network: 127.0.0.1: Empty reply from server");
  EXPECT_EQ(Text(broken.data), R"({"error_type":"network"})");
  EXPECT_NE(silent.Requests().at(0).find("\r\nAuthorization: Basic "), std::string::npos);
}

TEST(HttpOperationsTest, TimeIsUpByTheInputOrByTheCall) {
  LoopbackServer server([](int socket, const std::string&) { http::WaitForClose(socket); });
  const OperationResult own = Request(server.Url(), R"({"timeout":0.05})");
  EXPECT_EQ(own.ending, Ending::kAnswered);
  EXPECT_FALSE(own.success);
  EXPECT_EQ(own.error, "network: no answer within 0.05 s");
  const OperationResult call = Request(server.Url(), "{}", SteadyClock::now() + milliseconds(50));
  EXPECT_EQ(call.ending, Ending::kTimeout);
  EXPECT_EQ(call.error, "no answer before the time was up");
}

TEST(HttpOperationsTest, CancelEndsIt) {
  LoopbackServer server([](int socket, const std::string&) { http::WaitForClose(socket); });
  std::stop_source stop;
  const std::jthread canceller = CancelWhenAsked(server, stop);
  const OperationResult result = Request(server.Url(), "{}", {}, stop.get_token());
  EXPECT_EQ(result.ending, Ending::kCancelled);
  EXPECT_FALSE(result.success);
}

}  // namespace
}  // namespace awf::operations
