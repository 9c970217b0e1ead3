#include "cli/output_flow.h"

#include <gtest/gtest.h>

namespace awf::cli {
namespace {

TEST(OutputFlow, AloneTextPassesAsItComes) {
  const Masker masker;
  OutputFlow flow({}, masker);
  EXPECT_EQ(flow.Feed("a"), "a");
  EXPECT_EQ(flow.Feed("b\nc"), "b\nc");
  EXPECT_EQ(flow.Break(), "");
  EXPECT_EQ(flow.Finish(), "");
}

TEST(OutputFlow, BesideOthersLinesAreWholeAndLabelled) {
  const Masker masker;
  OutputFlow flow({false, false, "lint", false}, masker);
  EXPECT_EQ(flow.Feed("one\n\ntw"), "[lint] one\n[lint]\n");
  EXPECT_EQ(flow.Feed("o"), "");
  EXPECT_EQ(flow.Break(), "[lint] two\n");
  EXPECT_EQ(flow.Break(), "");
  EXPECT_EQ(flow.Feed("three"), "");
  EXPECT_EQ(flow.Finish(), "[lint] three\n");
  OutputFlow coloured({true, true, "lint", false}, masker);
  EXPECT_EQ(coloured.Feed("a\x1b[2Jb\n"), "\x1b[2m[lint]\x1b[0m ab\n");
}

TEST(OutputFlow, ASecretThatComesInPiecesIsMaskedBesideOthersToo) {
  Masker masker;
  masker.AddSecret("hunter2hunter2");
  OutputFlow flow({false, false, "x", false}, masker);
  EXPECT_EQ(flow.Feed("it is hunter2"), "");
  EXPECT_EQ(flow.Feed("hunter2\nhunter2"), "[x] it is ***\n");
  EXPECT_EQ(flow.Finish(), "[x] hunter2\n");
}

TEST(OutputFlow, HeldTextComesAtTheEnd) {
  const Masker masker;
  OutputFlow flow({false, false, "", true}, masker);
  EXPECT_EQ(flow.Feed("one\ntwo"), "");
  EXPECT_EQ(flow.Break(), "");
  EXPECT_EQ(flow.Feed("three"), "");
  EXPECT_EQ(flow.Finish(), "one\ntwo\nthree\n");
  OutputFlow labelled({false, false, "x", true}, masker);
  EXPECT_EQ(labelled.Feed("one\ntwo"), "");
  EXPECT_EQ(labelled.Finish(), "[x] one\n[x] two\n");
}

TEST(OutputFlow, WhatIsHeldBackIsBounded) {
  const Masker masker;
  OutputFlow flow({false, false, "x", false}, masker);
  const std::string line(OutputFlow::kLongestLine + 1, 'a');
  EXPECT_EQ(flow.Feed(line), "[x] " + line + "\n");
  OutputFlow held({false, false, "", true}, masker);
  EXPECT_EQ(held.Feed(std::string(OutputFlow::kMostHeld, 'a')), "");
  EXPECT_EQ(held.Feed("\nb").size(), OutputFlow::kMostHeld + 1);
  EXPECT_EQ(held.Finish(), "b\n");
}

}  // namespace
}  // namespace awf::cli
