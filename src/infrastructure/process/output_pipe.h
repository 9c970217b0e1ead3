// A pipe for what a program prints: the program's end blocks as usual, ours never does.
#pragma once

#include <expected>
#include <functional>
#include <string_view>

#include "infrastructure/process/fd.h"

namespace awf::process {

struct OutputPipe {
  Fd read_end;
  Fd write_end;
};

// The error is an errno.
std::expected<OutputPipe, int> MakeOutputPipe();

// Hands on what is there, at most a few buffers of it, so that a program that never stops printing does not keep its
// reader from looking at the clock. Closes the descriptor at its end.
void ReadAvailable(Fd& read_end, const std::function<void(std::string_view)>& take);

}  // namespace awf::process
