// Error: what every fallible function of the library returns in std::expected<T, Error>. No exception leaves it.
#pragma once

#include <string>

namespace mcp {

struct Error {
  std::string message;  // one sentence, for a log or a terminal
};

}  // namespace mcp
