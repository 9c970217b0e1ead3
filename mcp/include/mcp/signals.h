// SignalSource: signals as something to poll, for StdioTransport::Watch, so that no handler and no extra thread is
// needed.
//
//   auto signals = mcp::SignalSource::Block({SIGTERM, SIGINT, SIGHUP});
//   transport->Watch((*signals)->fd(), [&] {
//     while (auto signal = (*signals)->Take()) server.Stop(mcp::EndReason::kSignal);
//     return true;
//   });
//
// The signals stay blocked in the calling thread and those that it starts, also after the end, so that a second one
// does not cut the end short. Programs that are started inherit the mask: reset it for them.
#pragma once

#include <expected>
#include <initializer_list>
#include <memory>
#include <optional>

#include "mcp/error.h"

namespace mcp {

class SignalSource {
 public:
  // Call it before any other thread exists.
  static std::expected<std::unique_ptr<SignalSource>, Error> Block(std::initializer_list<int> signals);
  ~SignalSource();
  SignalSource(const SignalSource&) = delete;
  SignalSource& operator=(const SignalSource&) = delete;

  int fd() const { return fd_; }
  // The number of the next pending signal; never blocks.
  std::optional<int> Take();

 private:
  explicit SignalSource(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace mcp
