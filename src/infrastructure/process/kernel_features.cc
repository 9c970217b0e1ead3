#include "infrastructure/process/kernel_features.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "infrastructure/process/fd.h"

namespace awf::process {

KernelFeatures FindKernelFeatures() {
  KernelFeatures features;
  utsname names{};
  if (::uname(&names) == 0) features.release = names.release;
  constexpr unsigned kAskForVersion = 1;  // LANDLOCK_CREATE_RULESET_VERSION
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskForVersion);
  if (abi > 0) features.landlock_abi = static_cast<int>(abi);
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  const Fd fd(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof how)));
  features.openat2 = fd.valid();
  return features;
}

}  // namespace awf::process
