#include "infrastructure/operations/hidden_secret.h"

#include <gtest/gtest.h>

#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

TEST(HiddenSecretTest, IsTakenOutOfEveryText) {
  OperationResult result;
  result.output = "s3cret and s3crets3cret";
  result.error = "no s3cret";
  result.data = Object(R"({"a":"x s3cret","b":["s3cret",1,{"c":"s3cret."}],"s3cret":"key"})");
  HideSecret(result, "s3cret");
  EXPECT_EQ(result.output, "*** and ******");
  EXPECT_EQ(result.error, "no ***");
  EXPECT_EQ(Text(result.data), R"({"a":"x ***","b":["***",1,{"c":"***."}],"s3cret":"key"})");
  HideSecret(result, "");
  EXPECT_EQ(result.error, "no ***");
}

TEST(HiddenSecretTest, IsTakenOutOfOneText) {
  EXPECT_EQ(WithoutSecret("a s3cret, s3cret", "s3cret"), "a ***, ***");
  EXPECT_EQ(WithoutSecret("a", ""), "a");
}

}  // namespace
}  // namespace awf::operations
