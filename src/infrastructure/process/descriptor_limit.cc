#include "infrastructure/process/descriptor_limit.h"

#include <sys/resource.h>

#include <atomic>
#include <cerrno>

namespace awf::process {
namespace {

std::atomic<rlim_t> users_limit{0};  // the soft limit as it was; 0: none is raised

void SetSoftLimit(pid_t pid, rlim_t soft) {
  rlimit limit{};
  if (::prlimit(pid, RLIMIT_NOFILE, nullptr, &limit) != 0) return;
  limit.rlim_cur = soft;
  ::prlimit(pid, RLIMIT_NOFILE, &limit, nullptr);
}

}  // namespace

RaisedDescriptorLimit::RaisedDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  users_limit = limit.rlim_cur;
  SetSoftLimit(0, limit.rlim_max);
}

RaisedDescriptorLimit::~RaisedDescriptorLimit() {
  if (const rlim_t before = users_limit.exchange(0)) SetSoftLimit(0, before);
}

void GiveUsersDescriptorLimit(pid_t child) {
  if (const rlim_t limit = users_limit) SetSoftLimit(child, limit);
}

std::string DescriptorHint(int error_number) {
  if (error_number != EMFILE && error_number != ENFILE) return {};
  return "Let fewer run at once (max_concurrent), or raise the limit of open files (ulimit -n).";
}

}  // namespace awf::process
