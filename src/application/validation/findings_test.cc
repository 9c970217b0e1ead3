#include "application/validation/findings.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

Finding At(std::string file, std::size_t line, std::size_t column, Severity severity, std::string code) {
  return {severity, {std::move(code), "m", "", {std::move(file), line, column}, "", ""}};
}

TEST(Findings, AreSortedByFilePositionSeverityAndCodeWithoutDoubles) {
  std::vector<Finding> findings = {
      At("b.yaml", 1, 2, Severity::kWarning, "A"), At("b.yaml", 1, 2, Severity::kError, "B"),
      At("b.yaml", 1, 1, Severity::kWarning, "C"), At("a.md", 9, 9, Severity::kError, "D"),
      At("", 0, 0, Severity::kError, "E"),         At("b.yaml", 1, 2, Severity::kError, "B"),
      At("b.yaml", 1, 2, Severity::kError, "A"),
  };
  SortFindings(findings);
  std::string order;
  for (const Finding& finding : findings) order += finding.error.code;
  EXPECT_EQ(order, "EDCABA");
}

TEST(Findings, OnlyErrorsAreErrors) {
  std::vector<Finding> findings = {At("f", 1, 1, Severity::kWarning, "A"), At("f", 1, 1, Severity::kNote, "B")};
  EXPECT_FALSE(HasErrors(findings));
  findings.push_back(At("f", 1, 1, Severity::kError, "C"));
  EXPECT_TRUE(HasErrors(findings));
  ASSERT_EQ(ErrorsOf(findings).size(), 1U);
  EXPECT_EQ(ErrorsOf(findings)[0].code, "C");
}

}  // namespace
}  // namespace awf
