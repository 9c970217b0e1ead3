// For tests: processes that a run has left behind.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "domain/test_folder.h"

namespace awf {

// Processes whose environment or command line mentions `mark`, as "PID: text"; the test itself does not.
inline std::vector<std::string> ProcessesNaming(const std::string& mark) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos || pid == std::to_string(::getpid())) continue;
    for (const char* file : {"cmdline", "environ"}) {
      std::string text = FileText(entry.path() / file);
      if (text.find(mark) == std::string::npos) continue;
      std::ranges::replace(text, '\0', ' ');
      found.push_back(pid + ": " + text.substr(0, 200));
      break;
    }
  }
  return found;
}

// Those that are still there after ten seconds.
inline std::vector<std::string> ProcessesLeft(const std::string& mark) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::vector<std::string> left;
  while (!(left = ProcessesNaming(mark)).empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return left;
}

}  // namespace awf
