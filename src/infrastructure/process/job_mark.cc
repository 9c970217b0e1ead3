#include "infrastructure/process/job_mark.h"

#include <sys/resource.h>

namespace awf::process {
namespace {

constexpr JobMark kBase = JobMark{1} << 42;  // µs: 50 days
constexpr int kJobBits = 20;
constexpr JobMark kJobMask = (JobMark{1} << kJobBits) - 1;
constexpr JobMark kPidMask = (JobMark{1} << 22) - 1;  // PID_MAX_LIMIT of 64-bit kernels

}  // namespace

JobMark MakeJobMark(pid_t keeper, std::uint32_t job) {
  return kBase | ((static_cast<JobMark>(keeper) & kPidMask) << (kJobBits)) | (job & kJobMask);
}

void WearJobMark(JobMark mark) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_RTTIME, &limit) != 0) return;
  limit.rlim_cur = mark;
  if (limit.rlim_max >= mark) ::setrlimit(RLIMIT_RTTIME, &limit);
}

std::optional<std::uint32_t> ReadJobMark(pid_t pid, pid_t keeper) {
  rlimit limit{};
  if (::prlimit(pid, RLIMIT_RTTIME, nullptr, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const JobMark mark = limit.rlim_cur;
  if ((mark & ~kJobMask) != MakeJobMark(keeper, 0)) return std::nullopt;
  return static_cast<std::uint32_t>(mark & kJobMask);
}

std::uint32_t MarkedJob(std::uint32_t job) { return static_cast<std::uint32_t>(job & kJobMask); }

}  // namespace awf::process
