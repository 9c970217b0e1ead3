#include "infrastructure/operations/notify_operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

using Ending = OperationResult::Ending;
using http::LoopbackServer;
using http::Reply;
using http::Send;

class NotifyTest : public testing::Test {
 protected:
  std::shared_ptr<OperationProvider> Provider() const {
    BuiltinOperationSettings settings = user_.Settings();
    settings.notify = notify_;
    return MakeNotifyOperations(settings);
  }
  OperationResult Run(std::string_view operation, std::string_view inputs) const {
    return Execute(*Provider(), operation, Object(inputs));
  }
  std::string BodyOf(const LoopbackServer& server, std::size_t number = 0) const {
    const std::string request = server.Requests().at(number);
    return request.substr(request.find("\r\n\r\n") + 4);
  }
  std::vector<std::string> Inputs(std::string_view name) const {
    const auto provider = Provider();
    const auto operation = std::ranges::find(provider->Operations(), name, &Operation::name);
    std::vector<std::string> names;
    for (const OperationInput& input : operation->inputs) names.push_back(input.name + (input.required ? "*" : ""));
    return names;
  }

  TestUser user_;
  NotifySettings notify_;
};

constexpr const char* kRemember = "printf '[%s]' \"$@\" >> \"$HOME/log\"\n";

TEST_F(NotifyTest, DesktopRunsNotifySend) {
  user_.Install("notify-send", std::string(kRemember) + "echo shown\n");
  const OperationResult result =
      Run("send", R"({"backend":"desktop","message":"-x `id` $HOME","title":"T","priority":"high"
})");
  EXPECT_TRUE(result.success) << result.error;
  EXPECT_EQ(Text(result.data), R"({"backend":"desktop","status":"sent","response":"shown\n"})");
  EXPECT_EQ(user_.Log(), "[--app-name=awf][--urgency=critical][--][T][-x `id` $HOME]");
  notify_.default_backend = "desktop";
  EXPECT_TRUE(Run("send", R"({"message":"m"})").success);
  EXPECT_TRUE(user_.Log().ends_with("[--app-name=awf][--urgency=normal][--][deploy][m]")) << user_.Log();
  EXPECT_TRUE(Run("send", R"({"message":"m","priority":"low"})").success);
  EXPECT_TRUE(user_.Log().ends_with("[--urgency=low][--][deploy][m]")) << user_.Log();
}

TEST_F(NotifyTest, DesktopFailuresAreClear) {
  const char* inputs = R"({"backend":"desktop","message":"m"})";
  const OperationResult missing = Run("send", inputs);
  EXPECT_FALSE(missing.success);
  EXPECT_EQ(missing.error, "desktop: notify-send was not found on the PATH; install it (package libnotify-bin)");
  EXPECT_EQ(
      Text(missing.data),
      R"({"error_type":"desktop","backend":"desktop","status":"failed","response":"execve: No such file or directory"})");
  user_.Install("notify-send", "echo no display >&2\nexit 2\n");
  const OperationResult failed = Run("send", inputs);
  EXPECT_EQ(failed.error, "desktop: notify-send ended with exit code 2");
  EXPECT_EQ(failed.data.at("response"), "no display\n");
  EXPECT_EQ(Run("send", R"({"backend":"desktop","message":"a\u0000b"})").error,
            "invalid_field: message and title must not hold a NUL character");
}

TEST_F(NotifyTest, DesktopIsCancelled) {
  user_.Install("notify-send", "exec /bin/sleep 300\n");
  std::stop_source stop;
  stop.request_stop();
  const json::object inputs = Object(R"({"backend":"desktop","message":"m"})");
  EXPECT_EQ(Execute(*Provider(), "send", inputs, {}, stop.get_token()).ending, Ending::kCancelled);
  EXPECT_EQ(Execute(*Provider(), "send", inputs, SteadyClock::now()).ending, Ending::kTimeout);
}

TEST_F(NotifyTest, WebhookGetsJson) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(202, "taken")); });
  json::object inputs = Object(R"({"message":"m","title":"T","priority":"low"})");
  inputs["webhook_url"] = server.Url();
  const OperationResult result = Execute(*Provider(), "send_webhook", inputs);
  EXPECT_TRUE(result.success) << result.error;
  EXPECT_EQ(Text(result.data), R"({"backend":"webhook","status":"sent","response":"taken"})");
  const std::string expected = R"({"workflow":"deploy","status":"running","message":"m","title":"T","priority":"low"})";
  EXPECT_EQ(server.Requests().at(0), "POST /v1/x HTTP/1.1\r\nHost: " + server.Url("127.0.0.1", "").substr(7) +
                                         "\r\nUser-Agent: awf\r\nContent-Type: application/json\r\nAccept: */*\r\n"
                                         "Content-Length: " +
                                         std::to_string(expected.size()) + "\r\n\r\n" + expected);
  inputs["backend"] = "webhook";
  EXPECT_TRUE(Execute(*Provider(), "send", inputs).success);
  EXPECT_EQ(BodyOf(server, 1), expected);
}

TEST_F(NotifyTest, SlackGetsAText) {
  LoopbackServer server([](int socket, const std::string&) { Send(socket, Reply(200, "ok")); });
  json::object inputs = Object(R"({"message":"a\nb"})");
  inputs["webhook_url"] = server.Url();
  const OperationResult result = Execute(*Provider(), "send_slack", inputs);
  EXPECT_EQ(Text(result.data), R"({"backend":"slack","status":"sent","response":"ok"})");
  EXPECT_EQ(BodyOf(server), R"({"text":"a\nb"})");
  inputs["title"] = "T";
  EXPECT_TRUE(Execute(*Provider(), "send_slack", inputs).success);
  EXPECT_EQ(BodyOf(server, 1), R"({"text":"*T*\na\nb"})");
}

TEST_F(NotifyTest, OtherStatusesAreFailures) {
  LoopbackServer target([](int socket, const std::string&) { Send(socket, Reply(200, "")); });
  int status = 404;
  LoopbackServer server([&](int socket, const std::string&) {
    Send(socket, Reply(status, "no_service", "Location: " + target.Url() + "\r\n"));
  });
  json::object inputs = Object(R"({"message":"m"})");
  inputs["webhook_url"] = server.Url();
  const OperationResult result = Execute(*Provider(), "send_webhook", inputs);
  EXPECT_FALSE(result.success);
  EXPECT_EQ(result.error, "status: the server of the webhook answered with status 404");
  EXPECT_EQ(Text(result.data),
            R"({"error_type":"status","backend":"webhook","status":"failed","response":"no_service"})");
  status = 307;
  EXPECT_EQ(Execute(*Provider(), "send_webhook", inputs).error,
            "status: the server of the webhook answered with status 307");
  EXPECT_TRUE(target.Requests().empty());
}

TEST_F(NotifyTest, ConfiguredUrlsAreNotOffered) {
  EXPECT_EQ(Inputs("send_webhook"), (std::vector<std::string>{"message*", "title", "priority", "webhook_url*"}));
  EXPECT_EQ(Inputs("send_slack"), (std::vector<std::string>{"message*", "title", "priority", "webhook_url*"}));
  EXPECT_EQ(Inputs("send"), (std::vector<std::string>{"message*", "backend*", "webhook_url", "title", "priority"}));
  notify_ = {"webhook", "${HOOK}", "https://hooks.example/${KEY}"};
  EXPECT_EQ(Inputs("send_webhook"), (std::vector<std::string>{"message*", "title", "priority"}));
  EXPECT_EQ(Inputs("send_slack"), (std::vector<std::string>{"message*", "title", "priority"}));
  EXPECT_EQ(Inputs("send"), (std::vector<std::string>{"message*", "backend", "title", "priority"}));
}

TEST_F(NotifyTest, ConfiguredUrlsAreUsedAndKeptSecret) {
  std::string url;
  LoopbackServer server([&](int socket, const std::string&) { Send(socket, Reply(500, "at " + url)); });
  url = server.Url("127.0.0.1", "/hook/s3cr3t");
  user_.Set("HOOK", url);
  user_.Set("KEY", "s3cr3t");
  notify_ = {"webhook", "${HOOK}", server.Url("127.0.0.1", "/hook/${KEY}")};
  for (const char* operation : {"send", "send_webhook", "send_slack"}) {
    const OperationResult result = Run(operation, R"({"message":"m"})");
    EXPECT_FALSE(result.success);
    EXPECT_EQ(result.data.at("response"), "at ***");
    EXPECT_TRUE(server.Requests().back().starts_with("POST /hook/s3cr3t HTTP/1.1\r\n"));
  }
  const std::size_t before = server.Requests().size();
  EXPECT_EQ(Run("send_slack", R"({"message":"m","webhook_url":"https://evil.example/"})").error,
            "invalid_field: webhook_url is given by the configuration");
  EXPECT_EQ(server.Requests().size(), before);
}

TEST_F(NotifyTest, UnsetVariablesAreNamed) {
  notify_ = {"", "${HOOK}", "https://hooks.example/${SLACK_KEY}"};
  EXPECT_EQ(Run("send_webhook", R"({"message":"m"})").error,
            "invalid_field: notify.webhook_url: the environment variable HOOK is not set");
  EXPECT_EQ(Run("send_slack", R"({"message":"m"})").error,
            "invalid_field: notify.slack_webhook_url: the environment variable SLACK_KEY is not set");
  // A model has no business with variables of the user.
  notify_ = {};
  user_.Set("HOOK", "http://127.0.0.1:1/");
  EXPECT_EQ(Run("send_webhook", R"({"message":"m","webhook_url":"${HOOK}"})").error,
            "invalid_field: webhook_url: must be an http or https URL");
}

TEST_F(NotifyTest, BadInputsAreRefused) {
  EXPECT_EQ(Run("send", R"({"message":"m"})").error,
            "invalid_field: backend is required, as the configuration has no notify.default_backend");
  EXPECT_EQ(Run("send", R"({"message":"m","backend":"slack"})").error,
            "invalid_field: backend must be one of desktop, webhook");
  EXPECT_EQ(Run("send", R"({"message":"m","backend":"webhook"})").error, "invalid_field: webhook_url is required");
  EXPECT_EQ(Run("send_slack", R"({"webhook_url":"http://127.0.0.1:1/"})").error, "invalid_field: message is required");
  EXPECT_EQ(Run("send_fax", "{}").error, "invalid_field: notify has no operation 'send_fax'");
}

TEST_F(NotifyTest, WebhookIsCancelledAndTimedOut) {
  LoopbackServer server([](int socket, const std::string&) { http::WaitForClose(socket); });
  json::object inputs = Object(R"({"message":"m"})");
  inputs["webhook_url"] = server.Url();
  EXPECT_EQ(Execute(*Provider(), "send_slack", inputs, SteadyClock::now() + std::chrono::milliseconds(50)).ending,
            Ending::kTimeout);
  server.got_request = false;
  std::stop_source stop;
  const std::jthread canceller = CancelWhenAsked(server, stop);
  EXPECT_EQ(Execute(*Provider(), "send_slack", inputs, {}, stop.get_token()).ending, Ending::kCancelled);
}

}  // namespace
}  // namespace awf::operations
