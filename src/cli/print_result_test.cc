#include "cli/print_result.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "infrastructure/process/fd.h"

namespace awf::cli {
namespace {

// stdout is that file while it lives.
class StdoutTo {
 public:
  explicit StdoutTo(int fd) : before_(::dup(STDOUT_FILENO)) { ::dup2(fd, STDOUT_FILENO); }
  ~StdoutTo() { ::dup2(before_.get(), STDOUT_FILENO); }
  StdoutTo(const StdoutTo&) = delete;
  StdoutTo& operator=(const StdoutTo&) = delete;

 private:
  Fd before_;
};

TEST(PrintResult, AFullDiskIsAnError) {
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  testing::internal::CaptureStderr();
  int fine = 0, failed = 0;
  {
    const StdoutTo redirected(full.get());
    fine = PrintResult("text\n", {});
    failed = PrintResult("text\n", {}, 2);
  }
  EXPECT_EQ(fine, 4);
  EXPECT_EQ(failed, 2);
  EXPECT_TRUE(testing::internal::GetCapturedStderr().starts_with(
      "Error: SYSTEM.IO.WRITE_FAILED\nDetails: cannot write to stdout: No space left on device\n"));
}

TEST(PrintResult, AReaderThatHasGoneIsNone) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  const Fd write_end(ends[1]);
  const StdoutTo redirected(write_end.get());
  EXPECT_EQ(PrintResult("text\n", {}), 0);
}

}  // namespace
}  // namespace awf::cli
