#include "domain/masker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace awf {
namespace {

TEST(Masker, MasksValuesAnywhereInText) {
  Masker masker;
  masker.AddSecret("hunter2hunter2");
  masker.AddSecret("short");
  EXPECT_EQ(masker.MaskText("a hunter2hunter2 b hunter2hunter2hunter2"), "a *** b ***");
  EXPECT_EQ(masker.MaskText("short hunter2hunter."), "short hunter2hunter.");
  EXPECT_EQ(masker.MaskText(""), "");
}

TEST(Masker, PrefersTheLongestSecret) {
  Masker masker;
  masker.AddSecret("abcdefgh");
  masker.AddSecret("abcdefghij");
  EXPECT_EQ(masker.MaskText("abcdefghij abcdefghi."), "*** ***i.");
}

TEST(Masker, HidesWhatLiesSideBySideAsOne) {
  Masker masker;
  masker.AddSecret("abcdefgh");
  masker.AddSecret("fghijklmno");
  EXPECT_EQ(masker.MaskText("xabcdefghijklmnoy"), "x***y");
  EXPECT_EQ(masker.MaskText("abcdefghabcdefgh"), "***");
}

// A sink may get a text that was cut to its first or last part.
TEST(Masker, KnowsSecretsThatTheEndsOfATextCut) {
  Masker masker;
  masker.AddSecret("abcdefghijklmnopqrst");
  masker.AddSecret("/home/me/keys/token.txt");
  EXPECT_EQ(masker.MaskText("x abcdefghij"), "x ***");
  EXPECT_EQ(masker.MaskText("x abcdefghi"), "x abcdefghi");
  EXPECT_EQ(masker.MaskText("klmnopqrst y"), "*** y");
  EXPECT_EQ(masker.MaskText("lmnopqrst y"), "lmnopqrst y");
  EXPECT_EQ(masker.MaskText("klmnopqrst y", TextBegin::kWhole), "klmnopqrst y");
  EXPECT_EQ(masker.MaskText("YWJjZGVmZ2hpamts"), "***");         // base64 of abcdefghijkl
  EXPECT_EQ(masker.MaskText("/home/me/keys"), "/home/me/keys");  // a folder is no part of a secret
}

TEST(Masker, KnowsTheMarksOfACut) {
  Masker masker;
  masker.AddSecret("abcdefghijklmnopqrst");
  EXPECT_EQ(masker.MaskText("x abcd…"), "x ***…");
  EXPECT_EQ(masker.MaskText("x abc…"), "x abc…");
  EXPECT_EQ(masker.MaskText("x https://me:passw…"), "x https://me***…");
  EXPECT_EQ(masker.MaskText("loading…"), "loading…");
  EXPECT_EQ(masker.MaskText("ghp\n[... 9 bytes cut ...]\n_0123456789abcdefghij x"),
            "ghp\n[... 9 bytes cut ...]\n*** x");
  EXPECT_EQ(masker.MaskText("x abcdef\n[... 99 bytes cut ...]\nqrst y"), "x ***\n[... 99 bytes cut ...]\n*** y");
  EXPECT_EQ(
      masker.MaskText("-----BEGIN PRIVATE KEY-----\nMIIE\n[... 9 bytes cut ...]\nabcd\n-----END PRIVATE KEY-----\ny"),
      "***\n[... 9 bytes cut ...]\n***-----END PRIVATE KEY-----\ny");
}

TEST(Masker, FindsLongLinesOfMultiLineSecrets) {
  Masker masker;
  masker.AddSecret("-----BEGIN-----\n0123456789abcdef01\nshort\n");
  EXPECT_EQ(masker.MaskText("x 0123456789abcdef01 y short"), "x *** y short");
  EXPECT_EQ(masker.MaskText("-----BEGIN-----\n0123456789abcdef01\nshort"), "***");
}

TEST(Masker, TakesSecretsFromTheEnvironment) {
  std::string token = "GITHUB_TOKEN=gh-0123456789", path = "PATH=/usr/bin:/bin", odd = "SECRET";
  char* environment[] = {token.data(), path.data(), odd.data(), nullptr};
  Masker masker;
  masker.AddEnvironment(environment);
  EXPECT_EQ(masker.MaskText("gh-0123456789 /usr/bin:/bin"), "*** /usr/bin:/bin");
}

TEST(Masker, TakesNamesOfTheUsersAndPasswordsOfUrlsFromTheEnvironment) {
  std::string pin = "DOOR_PIN=12345678", url = "DB=postgres://me:correcthorse@db/x?y=1";
  char* environment[] = {pin.data(), url.data(), nullptr};
  Masker masker;
  EXPECT_TRUE(masker.AddName("pin"));
  masker.AddEnvironment(environment);
  EXPECT_EQ(masker.MaskText("12345678 me correcthorse db"), "*** me *** db");
  EXPECT_EQ(json::serialize(masker.MaskJson({{"doorPin", "1"}, {"opinion", "2"}})),
            R"({"doorPin":"***","opinion":"2"})");
}

TEST(Masker, DoesNotCountWhiteSpaceAtTheEndsOfAValue) {
  Masker masker;
  masker.AddSecret(" hunter2hunter2\r\n");
  EXPECT_EQ(masker.MaskText("[hunter2hunter2]"), "[***]");
}

TEST(Masker, MasksJsonByKeyAndByValue) {
  Masker masker;
  masker.AddSecret("hunter2hunter2");
  const json::value value = json::parse(
      R"({"token":"x","max_tokens":100,"list":["hunter2hunter2",true],"auth_tokens":{"a":["b",1]},"k hunter2hunter2":null})");
  EXPECT_EQ(json::serialize(masker.MaskJson(value)),
            R"({"token":"***","max_tokens":100,"list":["***",true],"auth_tokens":{"a":["***",1]},"k ***":null})");
}

TEST(StreamMasker, FindsSecretsAcrossPiecesAndDelaysNothingElse) {
  Masker masker;
  masker.AddSecret("hunter2hunter2");
  StreamMasker stream(masker);
  EXPECT_EQ(stream.Feed("say hunter2"), "say ");
  EXPECT_EQ(stream.Feed("hunter2 and h"), "*** and ");
  EXPECT_EQ(stream.Feed("ello\n"), "hello\n");
  EXPECT_EQ(stream.Feed("hunter2"), "");
  EXPECT_EQ(stream.Flush(), "hunter2");
  EXPECT_EQ(stream.Flush(), "");
}

TEST(StreamMasker, EqualsMaskTextForEverySplit) {
  Masker masker;
  masker.AddSecret("aabaabaa");
  masker.AddSecret("aabaabaaX1");
  const std::string text = "aaabaabaabaaX1aabaabaaaabaabaaX";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    StreamMasker stream(masker);
    std::string got = stream.Feed(text.substr(0, cut));
    got += stream.Feed(text.substr(cut));
    got += stream.Flush();
    EXPECT_EQ(got, masker.MaskText(text, TextBegin::kWhole)) << cut;
  }
}

TEST(StreamMasker, DelaysOnlyWhatMayBecomeASecret) {
  Masker masker;
  masker.AddSecret("hunter2hunter2");
  for (const char* prompt : {"Password: ", "Continue? [y/N] ", "see https://example.com/x ", "100 % done", "C:\\dir\\",
                             "it's ", "[2/7] ", "> "}) {
    StreamMasker stream(masker);
    EXPECT_EQ(stream.Feed(prompt), prompt);
  }
  StreamMasker stream(masker);
  EXPECT_EQ(stream.Feed("https://me:pass"), "https://me");
  EXPECT_EQ(stream.Feed("word@host ghp_01234567890123"), ":***@host ");
  EXPECT_EQ(stream.Feed("45678901234567"), "***");
  EXPECT_EQ(stream.Feed("89 -----BEGIN PRIVATE KEY"), " ");
  EXPECT_EQ(stream.Feed("-----\nMIIE\n"), "***");
  EXPECT_EQ(stream.Feed("abc\n-----END PRIVATE"), "");
  EXPECT_EQ(stream.Feed(" KEY-----\nbye"), "\nbye");
  EXPECT_EQ(stream.Feed("-----BEGIN PRIVATE KEY-----x"), "***");
  EXPECT_EQ(stream.Flush(), "");
  EXPECT_EQ(stream.Feed("another text\n"), "another text\n");
}

// Random texts with secrets and shapes planted, in random pieces.
TEST(StreamMasker, EqualsMaskTextForRandomTextsAndSplits) {
  Masker masker;
  for (const char* secret :
       {"hunter2hunter2", "a b%c+d'e\\f\"g", "sk-overlap", "aXbXaXbXaX", "lines of\nmore than one"})
    masker.AddSecret(secret);
  const std::vector<std::string> parts = {"hunter2hunter2",
                                          "hunter2",
                                          "a+b%25c%2Bd%27e%5cf%22g",
                                          "a b%c+d'\\''e\\\\f\\\"g",
                                          "aXbX",
                                          "lines of\\nmore than one",
                                          "sk-",
                                          "sk-overlap",
                                          "0123456789abcdef",
                                          "ghp_",
                                          "github_pat_",
                                          "eyJhbGciOiJIUzI1NiJ9.",
                                          "eyJzdWIiOiIxIn0",
                                          ".sig",
                                          "Bearer ",
                                          "bearer",
                                          "https://",
                                          "u:",
                                          "pw",
                                          "@",
                                          "/",
                                          "-----BEGIN RSA PRIVATE KEY-----",
                                          "-----END RSA PRIVATE KEY-----",
                                          "-----BEGIN ",
                                          "PRIVATE KEY",
                                          "-----",
                                          "xoxb-",
                                          "AKIA",
                                          "ABCDEFGHIJKLMNOP",
                                          " ",
                                          "\n",
                                          "\\n",
                                          "%3D",
                                          "x",
                                          "'",
                                          "\\",
                                          "%",
                                          "aHVudGVyMmh1bnRlcjI",
                                          "YUh1bnRlcjJo"};
  std::mt19937 random(20261103);
  const auto pick = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  for (int round = 0; round < 4000; ++round) {
    std::string text = "|";
    for (std::size_t n = pick(14) + 1; n > 0; --n) text += parts[pick(parts.size())];
    std::string got;
    StreamMasker stream(masker);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = std::min(text.size() - at, pick(pick(2) == 0 ? 3 : 40) + 1);
      got += stream.Feed(text.substr(at, length));
      at += length;
    }
    got += stream.Flush();
    ASSERT_EQ(got, masker.MaskText(text, TextBegin::kWhole)) << round << ": " << text;
  }
}

}  // namespace
}  // namespace awf
