#include "infrastructure/operations/mail_message.h"

#include <gtest/gtest.h>

#include <string>

#include "domain/base64.h"
#include "domain/test_time.h"

namespace awf::operations {
namespace {

std::string SubjectOf(const std::string& subject) {
  const std::string message = MailMessage({"a@b", {"c@d"}, subject, "m", At(0), "1"});
  const std::size_t begin = message.find("Subject: ") + 9, end = message.find("\r\nMIME-Version");
  return message.substr(begin, end - begin);
}

std::string BodyOf(const std::string& text) {
  const std::string message = MailMessage({"a@b", {"c@d"}, "s", text, At(0), "1"});
  return message.substr(message.find("\r\n\r\n") + 4);
}

TEST(MailMessageTest, EveryByte) {
  EXPECT_EQ(
      MailMessage(
          {"ci@example.org", {"a@x.example", "b@y.example"}, "Build", "one\ntwo\n", At(1'762'164'909'125), "0123abcd"}),
      "Date: Mon, 03 Nov 2025 10:15:09 +0000\r\n"
      "From: ci@example.org\r\n"
      "To: a@x.example,\r\n b@y.example\r\n"
      "Message-ID: <0123abcd@example.org>\r\n"
      "Subject: Build\r\n"
      "MIME-Version: 1.0\r\n"
      "Content-Type: text/plain; charset=utf-8\r\n"
      "Content-Transfer-Encoding: base64\r\n"
      "\r\n" +
          Base64("one\r\ntwo\r\n") + "\r\n");
}

TEST(MailMessageTest, DatesOfOneDigitHaveTwo) {
  const std::string message = MailMessage({"a@b", {"c@d"}, "s", "m", At(951'782'399'999), "1"});
  EXPECT_TRUE(message.starts_with("Date: Mon, 28 Feb 2000 23:59:59 +0000\r\n")) << message;
  EXPECT_TRUE(MailMessage({"a@b", {"c@d"}, "s", "m", At(0), "1"}).starts_with("Date: Thu, 01 Jan 1970 00:00:00 +0000"));
}

TEST(MailMessageTest, OnlyPlainSubjectsStandAsTheyAre) {
  EXPECT_EQ(SubjectOf("a b: c <d>"), "a b: c <d>");
  EXPECT_EQ(SubjectOf(std::string(67, 'x')), std::string(67, 'x'));
  EXPECT_EQ(SubjectOf("Größe"), "=?UTF-8?B?R3LDtsOfZQ==?=");
  EXPECT_EQ(SubjectOf("=?UTF-8?B?eA==?="), "=?UTF-8?B?PT9VVEYtOD9CP2VBPT0/PQ==?=");
  for (const char* subject : {" a", "a ", "a\tb", "a\x1b[0m", "a\r\nBcc: x@y", "a\nb", "\xff"})
    EXPECT_TRUE(SubjectOf(subject).starts_with("=?UTF-8?B?")) << subject;
  EXPECT_EQ(SubjectOf("a\r\nBcc: x@y"), "=?UTF-8?B?" + Base64("a\r\nBcc: x@y") + "?=");
  EXPECT_EQ(SubjectOf("\xff"), "=?UTF-8?B?77+9?=");
}

TEST(MailMessageTest, LongSubjectsAreWordsOfWholeCharacters) {
  EXPECT_EQ(SubjectOf(std::string(68, 'x')),
            "=?UTF-8?B?" + Base64(std::string(39, 'x')) + "?=\r\n =?UTF-8?B?" + Base64(std::string(29, 'x')) + "?=");
  std::string umlauts;
  for (int i = 0; i < 20; ++i) umlauts += "ü";  // 2 bytes each: 39 is within one
  EXPECT_EQ(SubjectOf(umlauts),
            "=?UTF-8?B?" + Base64(umlauts.substr(0, 38)) + "?=\r\n =?UTF-8?B?" + Base64("ü") + "?=");
}

TEST(MailMessageTest, TextIsBase64InLinesOf76) {
  EXPECT_EQ(BodyOf("a\rb\nc\r\nd\n\n"), Base64("a\r\nb\r\nc\r\nd\r\n\r\n") + "\r\n");
  EXPECT_EQ(BodyOf("\xffü"), Base64("\xef\xbf\xbdü") + "\r\n");
  EXPECT_EQ(BodyOf(std::string(57, 'x')), Base64(std::string(57, 'x')) + "\r\n");
  EXPECT_EQ(BodyOf(std::string(58, 'x')), Base64(std::string(57, 'x')) + "\r\neA==\r\n");
}

TEST(MailMessageTest, Addresses) {
  for (const char* address : {"a@b", "first.last+tag@sub.example.org", "-x=y@localhost", "o'neil@a-b.example", "1@1.1"})
    EXPECT_TRUE(IsMailAddress(address)) << address;
  for (const char* address : {"",
                              "a",
                              "@b",
                              "a@",
                              "a@b@c",
                              "a b@c",
                              "a@b c",
                              "A <a@b>",
                              "<a@b>",
                              "a@b>",
                              "a@b\r\nRCPT TO:<c@d>",
                              "a@b\n",
                              "a,b@c",
                              "a@b,c@d",
                              "\"a\"@b",
                              "a(x)@b",
                              ".a@b",
                              "a.@b",
                              "a..b@c",
                              "a@.b",
                              "a@b.",
                              "a@b..c",
                              "ü@b",
                              "a@ü",
                              "a@[127.0.0.1]",
                              "a@b/c",
                              "a\\@b",
                              "a:b@c"})
    EXPECT_FALSE(IsMailAddress(address)) << address;
  EXPECT_FALSE(IsMailAddress(std::string("a@b\0", 4)));
  EXPECT_TRUE(IsMailAddress("a@" + std::string(252, 'x')));
  EXPECT_FALSE(IsMailAddress("a@" + std::string(253, 'x')));
}

}  // namespace
}  // namespace awf::operations
