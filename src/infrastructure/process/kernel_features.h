// What the running kernel offers of the features that awf's isolation rests on.
#pragma once

#include <string>

namespace awf::process {

struct KernelFeatures {
  std::string release;   // "6.1.0-13-amd64"
  int landlock_abi = 0;  // 0: none, or switched off
  bool openat2 = false;  // else paths are opened folder by folder
};

// Asks the kernel; starts nothing.
KernelFeatures FindKernelFeatures();

}  // namespace awf::process
