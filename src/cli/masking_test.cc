#include "cli/masking.h"

#include <gtest/gtest.h>

namespace awf::cli {
namespace {

TEST(ConfiguredMasker, MasksByTheNamesAndPatternsOfTheConfiguration) {
  Config config;
  config.masking_keys = {"pin"};
  config.masking_patterns = {"EMP-\\d+", "^secret .*$", "\\bx+y"};
  const auto masker = ConfiguredMasker(config);
  ASSERT_TRUE(masker);
  EXPECT_EQ(masker->MaskText("a EMP-12EMP-3 b"), "a *** b");
  EXPECT_EQ(masker->MaskText("not secret a\nsecret b\nxxy axxy"), "not secret a\n***\n*** axxy");
  EXPECT_EQ(json::serialize(masker->MaskJson({{"doorPin", "1"}, {"other", "EMP-1"}})),
            R"({"doorPin":"***","other":"***"})");
}

TEST(ConfiguredMasker, MasksPatternsInStreamsLineByLine) {
  Config config;
  config.masking_patterns = {"EMP-\\d+"};
  const auto masker = ConfiguredMasker(config);
  ASSERT_TRUE(masker);
  StreamMasker stream(*masker);
  EXPECT_EQ(stream.Feed("one\nan EMP"), "one\n");
  EXPECT_EQ(stream.Feed("-12 and\nEMP-"), "an *** and\n");
  EXPECT_EQ(stream.Flush(), "EMP-");
  const std::string longer(StreamMasker::kLongestLine + 1, 'x');
  EXPECT_EQ(stream.Feed(longer), longer);
}

TEST(ConfiguredMasker, TellsEverythingThatIsWrong) {
  Config config;
  config.masking_keys = {"_"};
  config.masking_patterns = {"fine", "a(", "x*", "\\b"};
  config.positions["masking.keys"] = {"c.yaml", 2, 10};
  config.positions["masking.patterns"] = {"c.yaml", 3, 14};
  const auto masker = ConfiguredMasker(config);
  ASSERT_FALSE(masker);
  std::vector<std::string> told;
  for (const Error& error : masker.error()) {
    EXPECT_EQ(error.code, "USER.CONFIG.INVALID");
    told.push_back(std::to_string(error.position.line) + " " + error.field + ": " + error.message);
  }
  EXPECT_EQ(told,
            (std::vector<std::string>{"2 masking.keys: '_' is no part of a name",
                                      "3 masking.patterns: the pattern 'a(' does not compile: missing )",
                                      "3 masking.patterns: the pattern 'x*' matches where there is nothing to mask",
                                      "3 masking.patterns: the pattern '\\b' matches where there is nothing to mask"}));
}

TEST(MaskedErrors, KnowTheOptionsOfProviders) {
  Config config;
  config.providers["openai_compatible"].options = {{"api_key", "configured-secret"},
                                                   {"base_url", "https://me:correcthorse@host/v1"}};
  GlobalOptions global;
  global.masker = MaskerOfErrors(config);
  const Error error{"USER.CONFIG.INVALID", "no 'configured-secret'", "try correcthorse", {}, "a", "b"};
  const Error masked = MaskedErrors({error}, global)[0];
  EXPECT_EQ(masked.message, "no '***'");
  EXPECT_EQ(masked.hint, "try ***");
}

}  // namespace
}  // namespace awf::cli
