#include "infrastructure/operations/send_email.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "domain/base64.h"
#include "infrastructure/operations/test_operations.h"
#include "infrastructure/operations/test_smtp_server.h"

namespace awf::operations {
namespace {

using Script = TestSmtpServer::Script;
using Ending = OperationResult::Ending;
using std::chrono::milliseconds;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr const char* kNoReply = TestSmtpServer::kSilence;
constexpr const char* kPassword = "s3cr3t pa:ss@1";
constexpr const char* kLogin = "user%40x:s3cr3t%20pa%3Ass%401@";

class SendEmailTest : public testing::Test {
 protected:
  OperationResult Call(const json::object& inputs, Deadline deadline = SteadyClock::now() + kHang,
                       std::stop_token cancelled = {}) const {
    BuiltinOperationSettings settings = user_.Settings();
    settings.notify.smtp_url = configured_;
    return Execute(*MakeBuiltinOperations("notify", settings), "send_email", inputs, deadline, std::move(cancelled));
  }
  static json::object Inputs(const std::string& url) {
    json::object inputs = Object(R"({"from":"ci@example.org","to":["a@x.example"],"message":"m"})");
    if (!url.empty()) inputs["smtp_url"] = url;
    return inputs;
  }
  OperationResult Send(const std::string& url) const { return Call(Inputs(url)); }
  OperationResult SendWith(std::string_view name, const json::value& value) const {
    json::object inputs = Inputs("smtp://127.0.0.1:1");
    inputs[name] = value;
    return Call(inputs);
  }
  // Cancels once the server hangs.
  OperationResult SendAndCancel(const TestSmtpServer& server) const {
    std::stop_source stop;
    const std::jthread canceller([&] {
      while (!server.hangs) std::this_thread::sleep_for(milliseconds(1));
      stop.request_stop();
    });
    return Call(Inputs(server.Url()), {}, stop.get_token());
  }

  TestUser user_;
  std::string configured_;
};

TEST_F(SendEmailTest, EnvelopeAndMessage) {
  TestSmtpServer server(Script{{"EHLO", "250-test\r\n250 SIZE 1000000"}});
  json::object inputs = Inputs(server.Url());
  inputs["to"] = json::array{"a@x.example", "b@y.example"};
  inputs["title"] = "Größe";
  inputs["message"] = "one\n.two";
  const OperationResult result = Call(inputs);
  EXPECT_TRUE(result.success) << result.error;
  EXPECT_EQ(Text(result.data), R"({"backend":"email","status":"sent","response":"250 2.0.0 queued"})");
  server.Close();
  const std::string data = server.Data();
  EXPECT_THAT(server.Lines(),
              ElementsAre(StartsWith("EHLO "), "MAIL FROM:<ci@example.org> SIZE=" + std::to_string(data.size()),
                          "RCPT TO:<a@x.example>", "RCPT TO:<b@y.example>", "DATA", ".", "QUIT"));
  EXPECT_THAT(data, MatchesRegex("Date: [A-Z][a-z][a-z], [0-9][0-9] [A-Z][a-z][a-z] 20[0-9][0-9] "
                                 "[0-9][0-9]:[0-9][0-9]:[0-9][0-9] \\+0000\r\n"
                                 "From: ci@example\\.org\r\n"
                                 "To: a@x\\.example,\r\n b@y\\.example\r\n"
                                 "Message-ID: <[0-9a-f]+@example\\.org>\r\n"
                                 "Subject: =\\?UTF-8\\?B\\?R3LDtsOfZQ==\\?=\r\n"
                                 "MIME-Version: 1\\.0\r\n"
                                 "Content-Type: text/plain; charset=utf-8\r\n"
                                 "Content-Transfer-Encoding: base64\r\n"
                                 "\r\n"
                                 "b25lDQoudHdv\r\n"));
}

TEST_F(SendEmailTest, BigTextsGoThroughWhole) {
  TestSmtpServer server;
  json::object inputs = Inputs(server.Url());
  inputs["message"] = std::string(570'000, 'x');
  EXPECT_TRUE(Call(inputs).success);
  server.Close();
  const std::string data = server.Data();
  EXPECT_EQ(data.size() - data.find("\r\n\r\n") - 4, 10'000U * 78);
}

TEST_F(SendEmailTest, TheSubjectIsTheWorkflowsNameUnlessGiven) {
  TestSmtpServer server;
  EXPECT_TRUE(Send(server.Url()).success);
  server.Close();
  EXPECT_THAT(server.Data(), HasSubstr("\r\nSubject: deploy\r\n"));
}

TEST_F(SendEmailTest, LogsInWithTheDecodedPassword) {
  const std::string login = Base64(std::string("\0user@x\0", 8) + kPassword);
  TestSmtpServer server(Script{{"EHLO", "250-test\r\n250 AUTH PLAIN"}, {"AUTH", "334 "}, {login, "235 welcome"}});
  const OperationResult result = Send(server.Url(kLogin));
  EXPECT_TRUE(result.success) << result.error;
  server.Close();
  EXPECT_THAT(server.Lines(), ElementsAre(StartsWith("EHLO "), "AUTH PLAIN", login, "MAIL FROM:<ci@example.org>",
                                          "RCPT TO:<a@x.example>", "DATA", ".", "QUIT"));
}

TEST_F(SendEmailTest, RefusedLoginsKeepThePassword) {
  const std::string login = Base64(std::string("\0user@x\0", 8) + kPassword);
  TestSmtpServer server(Script{{"EHLO", "250-test\r\n250 AUTH PLAIN"},
                               {"AUTH", "334 "},
                               {login, "535-no " + login + "\r\n535 " + kPassword + " is wrong"}});
  const OperationResult result = Send(server.Url(kLogin));
  EXPECT_FALSE(result.success);
  EXPECT_EQ(result.error, "auth: the mail server refused user or password: 535-no ***\n535 *** is wrong");
  EXPECT_EQ(Text(result.data),
            R"({"error_type":"auth","backend":"email","status":"failed","response":"535-no ***\n535 *** is wrong"})");
  server.Close();
  EXPECT_THAT(server.Lines(), Not(Contains(StartsWith("MAIL"))));
}

// 0.0.0.0 is this machine for the kernel, but no loopback address.
TEST_F(SendEmailTest, NoPasswordInTheClearToOtherMachines) {
  for (const char* proxy : {"smtp_proxy", "SMTP_PROXY", "all_proxy", "ALL_PROXY"}) ::unsetenv(proxy);
  for (const auto& [starttls, reply] :
       {std::pair{"250 AUTH PLAIN LOGIN", ""}, std::pair{"250-AUTH PLAIN LOGIN\r\n250 STARTTLS", "454 not now"}}) {
    TestSmtpServer server(Script{{"EHLO", std::string("250-test\r\n") + starttls}, {"STARTTLS", reply}});
    const OperationResult result = Send(server.Url(kLogin, "0.0.0.0"));
    EXPECT_EQ(result.error, "network: 0.0.0.0: the mail server offers no TLS, so the password was not sent");
    EXPECT_EQ(result.data.at("status"), "failed");
    server.Close();
    EXPECT_THAT(server.Lines(), Not(Contains(StartsWith("AUTH"))));
    EXPECT_THAT(server.Lines(), Not(Contains(StartsWith("MAIL"))));
  }
  TestSmtpServer server;
  EXPECT_TRUE(Send(server.Url("", "0.0.0.0")).success);
}

TEST_F(SendEmailTest, TakesOfferedTls) {
  TestSmtpServer server(Script{{"EHLO", "250-test\r\n250 STARTTLS"}, {"STARTTLS", "220 go\r\nno TLS at all"}});
  EXPECT_FALSE(Send(server.Url()).success);
  TestSmtpServer denying(Script{{"EHLO", "250-test\r\n250 STARTTLS"}, {"STARTTLS", "454 not now"}});
  EXPECT_TRUE(Send(denying.Url()).success);
  server.Close();
  ASSERT_GE(server.Lines().size(), 2U);
  EXPECT_EQ(server.Lines()[1], "STARTTLS");
  EXPECT_THAT(server.Lines(), Not(Contains(StartsWith("MAIL"))));
}

TEST_F(SendEmailTest, OneRefusedRecipientRefusesTheMail) {
  TestSmtpServer server(Script{{"RCPT TO:<b@y.example>", "550 5.1.1 <b@y.example>: no such user"}});
  json::object inputs = Inputs(server.Url());
  inputs["to"] = json::array{"a@x.example", "b@y.example"};
  const OperationResult result = Call(inputs);
  EXPECT_EQ(result.error,
            "status: the mail server refused a recipient, so the mail went to nobody: 550 5.1.1 <b@y.example>: no such "
            "user");
  EXPECT_EQ(
      Text(result.data),
      R"({"error_type":"status","backend":"email","status":"failed","response":"550 5.1.1 <b@y.example>: no such user"})");
  server.Close();
  EXPECT_THAT(server.Lines(), Not(Contains("DATA")));
}

TEST_F(SendEmailTest, OtherRefusalsTellWhatTheServerSaid) {
  for (const char* command : {"greeting", "MAIL", "DATA", "."}) {
    TestSmtpServer server(Script{{command, "451-later\r\n451 please \xff"}});
    const OperationResult result = Send(server.Url());
    EXPECT_EQ(result.error, "status: the mail server refused the mail: 451-later\n451 please \xef\xbf\xbd") << command;
  }
}

TEST_F(SendEmailTest, ServersThatAreNotThere) {
  const OperationResult result = Send("smtp://user:hunter2@127.0.0.1:1");
  EXPECT_THAT(result.error, StartsWith("network: 127.0.0.1: "));
  EXPECT_THAT(result.error, Not(HasSubstr("hunter2")));
  EXPECT_EQ(result.ending, Ending::kAnswered);
  EXPECT_EQ(result.data.at("status"), "failed");
  TestSmtpServer plain;
  EXPECT_THAT(Send("smtps" + plain.Url().substr(4)).error, StartsWith("network: 127.0.0.1: "));
}

TEST_F(SendEmailTest, HangingServersAreLeft) {
  for (const char* command : {"greeting", "EHLO", "MAIL", "RCPT", "DATA", "."}) {
    TestSmtpServer server(Script{{command, kNoReply}});
    EXPECT_EQ(SendAndCancel(server).ending, Ending::kCancelled) << command;
    server.Close();
    // Not the end of a mail that was not given: a server would deliver it.
    EXPECT_THAT(server.Lines().back(), AnyOf("", "QUIT\r\n")) << command;
  }
  for (const char* command : {"greeting", "RCPT", "."}) {
    TestSmtpServer server(Script{{command, kNoReply}});
    const OperationResult result = Call(Inputs(server.Url()), SteadyClock::now() + milliseconds(300));
    EXPECT_EQ(result.ending, Ending::kTimeout) << command;
    EXPECT_EQ(result.error, "no answer before the time was up");
    server.Close();
    if (command != std::string_view(".")) {
      EXPECT_THAT(server.Lines(), Not(Contains(EndsWith(".\r\n")))) << command;
    }
  }
}

// What became of the mail is known, whatever comes of the goodbye.
TEST_F(SendEmailTest, GoodbyesDoNotCount) {
  TestSmtpServer hanging(Script{{"QUIT", kNoReply}});
  EXPECT_EQ(Text(Send(hanging.Url()).data), R"({"backend":"email","status":"sent","response":"250 2.0.0 queued"})");
  TestSmtpServer refusing(Script{{"QUIT", "500 no"}});
  EXPECT_TRUE(Send(refusing.Url()).success);
  TestSmtpServer both(Script{{"RCPT", "550 no"}, {"QUIT", kNoReply}});
  EXPECT_EQ(SendAndCancel(both).error,
            "status: the mail server refused a recipient, so the mail went to nobody: 550 no");
}

TEST_F(SendEmailTest, NoTextBecomesAHeaderOrACommand) {
  const std::string no_breaks = " must not hold a line break or a NUL character";
  for (const std::string& tail :
       {std::string("\r\nBcc: e@evil.example"), std::string("\n"), std::string("\r"), std::string("\0x", 2)}) {
    EXPECT_EQ(SendWith("from", json::value("a@b" + tail)).error, "invalid_field: from" + no_breaks);
    EXPECT_EQ(SendWith("to", json::array{"a@b", "c@d" + tail}).error, "invalid_field: to" + no_breaks);
    EXPECT_EQ(SendWith("title", json::value("t" + tail)).error, "invalid_field: title" + no_breaks);
    EXPECT_THAT(Send("smtp://127.0.0.1:1/" + tail).error, StartsWith("invalid_field: smtp_url: must be smtp://"));
  }
  EXPECT_EQ(SendWith("title", "t\n").data.at("error_type"), "invalid_field");
}

TEST_F(SendEmailTest, BadInputsAreRefused) {
  const std::string form = " must be written like name@example.org, in ASCII and without a display name";
  EXPECT_EQ(SendWith("from", "CI <ci@example.org>").error, "invalid_field: from" + form);
  EXPECT_EQ(SendWith("to", json::array{"a@b", "ü@b"}).error, "invalid_field: to" + form);
  EXPECT_EQ(SendWith("to", json::array{}).error, "invalid_field: to is empty");
  EXPECT_EQ(SendWith("to", "a@b").error, "invalid_field: to must be an array");
  EXPECT_EQ(SendWith("to", nullptr).error, "invalid_field: to is required");
  EXPECT_EQ(SendWith("from", nullptr).error, "invalid_field: from is required");
  EXPECT_EQ(SendWith("message", "").error, "invalid_field: message is empty");
  EXPECT_EQ(SendWith("smtp_url", nullptr).error, "invalid_field: smtp_url is required");
}

TEST_F(SendEmailTest, BadUrlsAreRefusedAndNotRepeated) {
  for (const char* url : {"http://u:hunter2@h/", "u:hunter2@h", "smtp://u:hunter2@", "smtp://u:hunter2@h/path",
                          "smtp://u:hunter2@h?q", "smtp://u:hunter2@h#f", "smtp://u;AUTH=PLAIN:hunter2@h",
                          "smtp://hunter2@h", "smtp://:hunter2@h", "smtp://u:@h", "smtp://u:hunter2%0D%0Ax@h",
                          "smtp://u%00:hunter2@h", "smtp://u:hunter2@h:99999999", "smtp://u:hunter2 @h o", "${HOOK}"}) {
    EXPECT_EQ(Send(url).error,
              "invalid_field: smtp_url: must be smtp://[user:password@]host[:port] or smtps://…, special characters of "
              "user and password as %XX")
        << url;
  }
}

TEST_F(SendEmailTest, AConfiguredUrlIsUsedAndNotOffered) {
  TestSmtpServer server(Script{{".", "554 no"}});
  configured_ = "${MAIL}";
  EXPECT_EQ(Send("").error, "invalid_field: notify.smtp_url: the environment variable MAIL is not set");
  user_.Set("MAIL", "http://h");
  EXPECT_THAT(Send("").error, StartsWith("invalid_field: notify.smtp_url: must be smtp://"));
  user_.Set("MAIL", server.Url());
  EXPECT_EQ(Send("").error, "status: the mail server refused the mail: 554 no");
  EXPECT_EQ(Send("smtp://evil.example").error, "invalid_field: smtp_url is given by the configuration");
  NotifySettings settings;
  settings.smtp_url = configured_;
  EXPECT_EQ(DeclareSendEmail(settings).inputs.front().name, "from");
  EXPECT_EQ(DeclareSendEmail({}).inputs.front().name, "smtp_url");
}

}  // namespace
}  // namespace awf::operations
