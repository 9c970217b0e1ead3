// Test support: a file in memory that stands for a stream of a Console. One thread at a time.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "infrastructure/process/fd.h"

namespace awf::cli {

class Screen {
 public:
  Screen() : fd_(::memfd_create("screen", MFD_CLOEXEC)) {}
  int fd() const { return fd_.get(); }
  // All that was written so far.
  std::string Text() const {
    std::string text(static_cast<std::size_t>(::lseek(fd_.get(), 0, SEEK_CUR)), '\0');
    const ssize_t got = ::pread(fd_.get(), text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }

 private:
  Fd fd_;
};

}  // namespace awf::cli
