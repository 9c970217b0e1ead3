// The first exchange on a connection: hello {version, token, pid} → welcome {} or refused {reason}.
#pragma once

#include <sys/types.h>

#include <expected>
#include <string>
#include <string_view>

namespace awf::channel {

struct Hello {
  int version = 0;
  std::string token;
  pid_t pid = 0;  // as the peer sees itself; what counts is what the kernel says of the peer
};

// Lines with their line feed.
std::string HelloLine(std::string_view token, pid_t pid);
std::string WelcomeLine();
std::string RefusedLine(std::string_view reason);

std::expected<Hello, std::string> ReadHello(std::string_view line);
// Nothing when welcome, else why not.
std::expected<void, std::string> ReadAnswer(std::string_view line);

}  // namespace awf::channel
