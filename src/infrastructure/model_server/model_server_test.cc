#include "infrastructure/model_server/model_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <string>
#include <thread>

namespace awf::model_server {
namespace {

json::value Parse(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

int Port(const std::string& base_url) {
  const std::size_t colon = base_url.rfind(':');
  int port = 0;
  std::from_chars(base_url.data() + colon + 1, base_url.data() + base_url.size(), port);
  return port;
}

// Asks with a plain socket and returns all that the server sends until it closes.
std::string Ask(const std::string& base_url, const std::string& method, const std::string& target,
                const std::string& body) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(Port(base_url)));
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::string length = body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
  const std::string request =
      method + " " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + length + "\r\n" + body;
  EXPECT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  std::string answer;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = ::recv(socket, buffer, sizeof buffer, 0)) > 0) answer.append(buffer, static_cast<std::size_t>(count));
  ::close(socket);
  return answer;
}

std::string Post(const std::string& base_url, const std::string& target, const std::string& body) {
  return Ask(base_url, "POST", target, body);
}

std::unique_ptr<ModelServer> Serve(std::vector<ScriptedTurn> script) {
  auto server = ModelServer::Start(std::make_unique<ChatCompletionsModel>(std::move(script)));
  EXPECT_TRUE(server);
  return std::move(*server);
}

json::value BodyOf(const std::string& answer) {
  return Parse(std::string_view(answer).substr(answer.find("\r\n\r\n") + 4));
}

TEST(ModelServerTest, AnswersAndRecords) {
  const auto server = Serve({{"hello", {}}});
  EXPECT_TRUE(server->base_url().starts_with("http://127.0.0.1:"));
  EXPECT_TRUE(server->base_url().ends_with("/v1"));
  const std::string body = R"({"model":"m","messages":[{"role":"user","content":"hi"}]})";
  const std::string answer = Post(server->base_url(), "/v1/chat/completions", body);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
  const json::value reply = BodyOf(answer);
  EXPECT_EQ(reply.at("choices").at(0).at("message").at("content"), json::value("hello"));
  EXPECT_EQ(reply.at("choices").at(0).at("finish_reason"), json::value("stop"));
  EXPECT_EQ(reply.at("model"), json::value("m"));
  ASSERT_EQ(server->requests().size(), 1U);
  EXPECT_EQ(server->requests()[0].target, "/v1/chat/completions");
  EXPECT_EQ(server->requests()[0].body, Parse(body));
}

TEST(ModelServerTest, ServesOtherMethodsAndEmptyBodies) {
  const auto server = Serve({{"hello", {}}});
  EXPECT_EQ(server->origin() + "/v1", server->base_url());
  const std::string models = Ask(server->base_url(), "GET", "/v1/models", "");
  EXPECT_TRUE(models.starts_with("HTTP/1.1 200 ")) << models;
  EXPECT_EQ(BodyOf(models).at("data").at(0).at("id"), json::value("scripted"));
  const std::string head = Ask(server->base_url(), "HEAD", "/", "");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 ")) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
  EXPECT_TRUE(Post(server->base_url(), "/v1/chat/completions", "").starts_with("HTTP/1.1 400 "));
  const auto requests = server->requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].method, "GET");
  EXPECT_TRUE(requests[0].body.is_null());
  EXPECT_EQ(requests[1].method, "HEAD");
  EXPECT_EQ(requests[2].method, "POST");
  EXPECT_EQ(server->unreadable(), 0);
}

TEST(ModelServerTest, EventStreamsHaveTheirOwnContentType) {
  const auto server = Serve({{"hello", {}}});
  const std::string answer = Post(server->base_url(), "/v1/chat/completions", R"({"stream":true,"messages":[]})");
  EXPECT_NE(answer.find("\r\nContent-Type: text/event-stream\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("data: [DONE]\n\n")) << answer;
}

TEST(ModelServerTest, BadRequestsGetAnErrorAndTheServerGoesOn) {
  const auto server = Serve({{"hello", {}}});
  EXPECT_TRUE(Post(server->base_url(), "/v1/chat/completions", "{").starts_with("HTTP/1.1 400 "));
  EXPECT_EQ(server->unreadable(), 1);
  EXPECT_TRUE(Post(server->base_url(), "/v1/chat/completions", "[]").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(Post(server->base_url(), "/v1/models", "{}").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(Post(server->base_url(), "/v1/chat/completions", R"({"messages":[]})").starts_with("HTTP/1.1 200 "));
}

TEST(ModelServerTest, ServesSeveralClientsAtOnceAndEndsWithAnOpenConnection) {
  const auto server = Serve({{"hello", {}}});
  // A client that connects and says nothing must not block the others, nor the end.
  const int idle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(Port(server->base_url())));
  ASSERT_EQ(::connect(idle, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::vector<std::jthread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      EXPECT_TRUE(Post(server->base_url(), "/v1/chat/completions", R"({"messages":[]})").starts_with("HTTP/1.1 200 "));
    });
  }
  clients.clear();
  EXPECT_EQ(server->requests().size(), 4U);
  ::close(idle);
}

TEST(ChatCompletionsModelTest, TurnIsChosenByTheAnswersInTheRequest) {
  ChatCompletionsModel model({{"", {{"Read", {{"path", "a"}}}, {"Grep", {{"pattern", "x"}}}}}, {"done", {}}});
  const std::string tools = R"("tools":[{"type":"function","function":{"name":"Read"}},
                                        {"type":"function","function":{"name":"Grep"}}])";
  const ModelReply first =
      model.Answer({"/v1/chat/completions", Parse("{" + tools + R"(,"messages":[{"role":"user","content":"go"}]})")});
  const json::object& message = first.body.at("choices").at(0).at("message").as_object();
  EXPECT_TRUE(message.at("content").is_null());
  ASSERT_EQ(message.at("tool_calls").as_array().size(), 2U);
  EXPECT_EQ(message.at("tool_calls").at(1).at("id"), json::value("call_1_2"));
  EXPECT_EQ(message.at("tool_calls").at(1).at("function").at("name"), json::value("Grep"));
  EXPECT_EQ(message.at("tool_calls").at(1).at("function").at("arguments"), json::value(R"({"pattern":"x"})"));
  EXPECT_EQ(first.body.at("choices").at(0).at("finish_reason"), json::value("tool_calls"));

  const ModelReply second = model.Answer(
      {"/v1/chat/completions", Parse("{" + tools + R"(,"messages":[{"role":"user"},{"role":"assistant"}]})")});
  EXPECT_EQ(second.body.at("choices").at(0).at("message").at("content"), json::value("done"));
  const ModelReply third =
      model.Answer({"/v1/chat/completions", Parse(R"({"messages":[{"role":"assistant"},{"role":"assistant"}]})")});
  EXPECT_EQ(third.body.at("choices").at(0).at("message").at("content"), json::value("[the script is over]"));
}

TEST(ChatCompletionsModelTest, ToolThatIsNotOfferedBecomesText) {
  ChatCompletionsModel model({{"look", {{"Read", {}}}}});
  const ModelReply reply = model.Answer({"/v1/chat/completions", Parse(R"({"messages":[]})")});
  const json::object& message = reply.body.at("choices").at(0).at("message").as_object();
  EXPECT_EQ(message.at("content"), json::value("look\n[tool Read is not offered]"));
  EXPECT_FALSE(message.contains("tool_calls"));
  EXPECT_EQ(reply.body.at("choices").at(0).at("finish_reason"), json::value("stop"));
}

TEST(ChatCompletionsModelTest, WhatIsOfferedAndWhatIsCalledInSpiteOfIt) {
  ChatCompletionsModel model({{"", {{"bash", {{"command", "id"}}, true}}}});
  const ModelRequest tools{"/v1/chat/completions",
                           Parse(R"({"messages":[],"tools":[{"type":"function","function":{"name":"Read"}}]})")};
  EXPECT_EQ(model.Offered(tools), std::vector<std::string>{"Read"});
  EXPECT_EQ(model.Answer(tools).body.at("choices").at(0).at("message").at("tool_calls").at(0).at("function").at("name"),
            json::value("bash"));
  // A side request.
  const ModelRequest none{"/v1/chat/completions", Parse(R"({"messages":[]})")};
  EXPECT_EQ(model.Offered(none), std::vector<std::string>());
  EXPECT_EQ(model.Answer(none).body.at("choices").at(0).at("message").at("content"),
            json::value("[tool bash is not offered]"));
  EXPECT_EQ(model.Offered({"/v1/models", nullptr, "GET"}), std::nullopt);
}

TEST(ChatCompletionsModelTest, ListsAModel) {
  ChatCompletionsModel model({});
  const ModelReply list = model.Answer({"/v1/models", nullptr, "GET"});
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.body.at("data").at(0).at("id"), json::value("scripted"));
  EXPECT_EQ(model.Answer({"/v1/nothing", nullptr, "GET"}).status, 404);
}

TEST(ChatCompletionsModelTest, StreamsInPieces) {
  ChatCompletionsModel model({{"let me look", {{"Read", {{"path", "a"}}}}}});
  const std::string request = R"("stream":true,"tools":[{"type":"function","function":{"name":"Read"}}],"messages":[])";
  const ModelReply reply =
      model.Answer({"/v1/chat/completions", Parse("{" + request + R"(,"stream_options":{"include_usage":true}})")});
  EXPECT_EQ(reply.status, 200);
  const auto delta = [](std::string_view text, std::string_view finish_reason = "null") {
    return R"(data: {"id":"scripted-1","object":"chat.completion.chunk","model":"","choices":[{"index":0,"delta":{)" +
           std::string(text) + R"(},"finish_reason":)" + std::string(finish_reason) + "}]}\n\n";
  };
  const std::string usage =
      R"(data: {"id":"scripted-1","choices":[],"usage":{"prompt_tokens":0,"completion_tokens":26,"total_tokens":26}})"
      "\n\n";
  const std::string pieces =
      delta(R"("role":"assistant","content":"")") + delta(R"("content":"let ")") + delta(R"("content":"me ")") +
      delta(R"("content":"look")") +
      delta(
          R"("tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"Read","arguments":""},"index":0}])") +
      delta(R"("tool_calls":[{"function":{"arguments":"{"},"index":0}])") +
      delta(R"("tool_calls":[{"function":{"arguments":"\"path\":\"a\"}"},"index":0}])") + delta("", R"("tool_calls")");
  EXPECT_EQ(reply.events, pieces + usage + "data: [DONE]\n\n");
  // Usage comes only where it was asked for.
  EXPECT_EQ(model.Answer({"/v1/chat/completions", Parse("{" + request + "}")}).events, pieces + "data: [DONE]\n\n");
}

}  // namespace
}  // namespace awf::model_server
