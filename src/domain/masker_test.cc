#include "domain/masker.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

TEST(Masker, KnowsSecretNames) {
  for (const char* name :
       {"secret",     "GITHUB_TOKEN",    "githubToken",  "db.password",     "PGPASSWORD",        "passwd",
        "passphrase", "aws-credentials", "credential",   "apikey",          "API_KEY",           "apiKey",
        "APIKey",     "OPENAI_API_KEY",  "privateKey",   "private_ssh_key", "AWS_ACCESS_KEY_ID", "Authorization",
        "set-cookie", "max_tokens",      "npm_authtoken"})
    EXPECT_TRUE(IsSecretName(name)) << name;
  for (const char* name : {"", "key", "api", "monkey", "tokenizer", "secretary", "keyboard", "author", "path",
                           "public_key", "TOKENIZERS_PARALLELISM", "bypass"})
    EXPECT_FALSE(IsSecretName(name)) << name;
}

TEST(Masker, MasksValuesAnywhereInText) {
  Masker masker;
  masker.AddSecret("hunter2hunter2");
  masker.AddSecret("short");
  EXPECT_EQ(masker.MaskText("a hunter2hunter2 b hunter2hunter2hunter2"), "a *** b ***");
  EXPECT_EQ(masker.MaskText("short hunter2hunter"), "short hunter2hunter");
  EXPECT_EQ(masker.MaskText(""), "");
}

TEST(Masker, PrefersTheLongestSecret) {
  Masker masker;
  masker.AddSecret("abcdefgh");
  masker.AddSecret("abcdefghij");
  EXPECT_EQ(masker.MaskText("abcdefghij abcdefghi"), "*** ***i");
}

TEST(Masker, HidesOverlappingSecretsAsOne) {
  Masker masker;
  masker.AddSecret("abcdefgh");
  masker.AddSecret("fghijklmno");
  EXPECT_EQ(masker.MaskText("xabcdefghijklmnoy"), "x***y");
  EXPECT_EQ(masker.MaskText("abcdefghabcdefgh"), "******");
}

TEST(Masker, FindsEncodings) {
  Masker masker;
  masker.AddSecret("p@ss'w\"rd?>~");
  // base64 with no, one and two bytes before
  EXPECT_EQ(masker.MaskText("cEBzcyd3InJkPz5+"), "***");
  EXPECT_EQ(masker.MaskText("eHBAc3MndyJyZD8+fg=="), "eH***g==");
  EXPECT_EQ(masker.MaskText("eHlwQHNzJ3cicmQ/Pn4="), "eHl***4=");
  EXPECT_EQ(masker.MaskText("eHlwQHNzJ3cicmQ_Pn4="), "eHl***4=");
  EXPECT_EQ(masker.MaskText("x=p%40ss%27w%22rd%3F%3E~"), "x=***");
  EXPECT_EQ(masker.MaskText("x=p%40ss%27w%22rd%3f%3e~"), "x=***");
  EXPECT_EQ(masker.MaskText(R"({"a":"p@ss'w\"rd?>~"})"), R"({"a":"***"})");
  EXPECT_EQ(masker.MaskText(R"('p@ss'\''w"rd?>~')"), "'***'");
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
    EXPECT_EQ(got, masker.MaskText(text)) << cut;
  }
}

}  // namespace
}  // namespace awf
