#include "domain/secret_names.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

TEST(SecretNames, HasBuiltInWords) {
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

TEST(SecretNames, TakesMoreOfTheUsers) {
  SecretNames names;
  EXPECT_TRUE(names.Add("pin"));
  EXPECT_TRUE(names.Add("license_Key"));
  for (const char* name :
       {"pin", "PIN", "userPin", "USERPIN", "door-pins", "LICENSE_KEY", "mylicenseKeys", "GITHUB_TOKEN"})
    EXPECT_TRUE(names.Covers(name)) << name;
  for (const char* name : {"pinned", "opinion", "license", "key", "license_old_key", "license_monkey", ""})
    EXPECT_FALSE(names.Covers(name)) << name;
}

TEST(SecretNames, RefusesWhatWouldMatchEverything) {
  SecretNames names;
  for (const char* word : {"", "_", "-.-", " "}) EXPECT_FALSE(names.Add(word)) << word;
  EXPECT_FALSE(names.Covers("anything"));
}

}  // namespace
}  // namespace awf
