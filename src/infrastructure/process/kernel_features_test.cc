#include "infrastructure/process/kernel_features.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>

namespace awf::process {
namespace {

TEST(KernelFeaturesTest, TellTheRunningKernel) {
  utsname names{};
  ASSERT_EQ(::uname(&names), 0);
  const KernelFeatures features = FindKernelFeatures();
  EXPECT_EQ(features.release, names.release);
  EXPECT_GE(features.landlock_abi, 0);
  // Landlock came with 5.13, openat2 with 5.6; a sandbox around awf may hide either, but not show one that is not
  // there.
  if (features.landlock_abi > 0) {
    EXPECT_TRUE(features.openat2);
  }
}

}  // namespace
}  // namespace awf::process
