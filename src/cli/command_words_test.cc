#include "cli/command_words.h"

#include <gtest/gtest.h>

namespace awf::cli {
namespace {

const KnownWords kKnown = {{"", {"--help", "--quiet"}},
                           {"run", {"--strict", "--help"}},
                           {"history", {"--stats"}},
                           {"audit", {"--help"}},
                           {"audit verify", {"--head"}}};

TEST(CommandWords, WhatIsPlannedIsToldApartFromWhatIsMisspelt) {
  EXPECT_EQ(PlannedWord("", {"diagram"}), "awf diagram");
  EXPECT_EQ(PlannedWord("", {"plugin", "list"}), "");
  EXPECT_EQ(PlannedWord("run", {"--interactive"}), "--interactive");
  EXPECT_EQ(PlannedWord("run", {"-b", "build"}), "-b");
  EXPECT_EQ(PlannedWord("run", {"--debug-transcript-mirror=x"}), "--debug-transcript-mirror");
  EXPECT_EQ(PlannedWord("validate", {"--interactive"}), "");
  EXPECT_EQ(PlannedWord("run", {"diagram"}), "");
  EXPECT_EQ(PlannedWord("", {"doctr"}), "");
}

TEST(CommandWords, TheNearestWordThatIsValidThereIsOffered) {
  EXPECT_EQ(HintFor(kKnown, {"rum", "x.yaml"}), "did you mean run?");
  EXPECT_EQ(HintFor(kKnown, {"run", "x.yaml", "--strcit"}), "did you mean --strict?");
  EXPECT_EQ(HintFor(kKnown, {"run", "--quite"}), "did you mean --quiet?");
  EXPECT_EQ(HintFor(kKnown, {"run", "--strict=1", "histroy"}), "see awf run --help");
  EXPECT_EQ(HintFor(kKnown, {"audit", "verfy", "r"}), "did you mean verify?");
  EXPECT_EQ(HintFor(kKnown, {"audit", "verify", "verfy", "--haed"}), "did you mean --head?");
  EXPECT_EQ(HintFor(kKnown, {"audit", "verify", "r", "s"}), "see awf audit verify --help");
  EXPECT_EQ(HintFor(kKnown, {"verfy"}), "see awf --help");
  EXPECT_EQ(HintFor(kKnown, {"zzzzzz"}), "see awf --help");
}

TEST(CommandWords, PairsAreCutAtTheFirstEqualsSign) {
  std::string name, value;
  EXPECT_TRUE(SplitPair("a=b=c", name, value));
  EXPECT_EQ(name + "|" + value, "a|b=c");
  EXPECT_TRUE(SplitPair("a=", name, value));
  EXPECT_EQ(value, "");
  EXPECT_FALSE(SplitPair("=b", name, value));
  EXPECT_FALSE(SplitPair("ab", name, value));
}

TEST(CommandWords, JsonIsSeenInWordsThatCannotBeParsed) {
  EXPECT_TRUE(AsksForJson({"run", "-f", "json", "--wrong"}));
  EXPECT_TRUE(AsksForJson({"--format=json"}));
  EXPECT_FALSE(AsksForJson({"run", "json"}));
  EXPECT_FALSE(AsksForJson({"-f"}));
}

}  // namespace
}  // namespace awf::cli
