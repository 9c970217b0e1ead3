// WakeEvent: makes another thread's poll return. Thread-safe.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "infrastructure/process/fd.h"

namespace awf::process {

class WakeEvent {
 public:
  int fd() const { return event_.get(); }  // readable after Wake, until Clear
  void Wake() const {
    constexpr std::uint64_t kOne = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_.get(), &kOne, sizeof kOne);
  }
  void Clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(event_.get(), &count, sizeof count);
  }

 private:
  Fd event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

}  // namespace awf::process
