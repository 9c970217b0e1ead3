// Session: one client's protocol without threads and descriptors, for tests, fuzzing and embedding.
//
// Feed runs the hook inline and returns what would be written. One thread at a time; the hook may call Feed again
// (a cancellation of its own call, say). Server (server.h) is the same protocol with a pool and a transport.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/call.h"
#include "mcp/error.h"
#include "mcp/observer.h"
#include "mcp/options.h"
#include "mcp/tool.h"

namespace mcp {

class Session {
 public:
  Session(const Implementation& self, CallHandler handler, Options options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Refuses a bad name or schema and a name taken. Before the first Feed only.
  std::expected<void, Error> Register(const Tool& tool);
  // One frame (a line without its end) in, frames out in the order of writing.
  std::vector<std::string> Feed(std::string_view frame);
  // What is written when the server ends: the answers of held requests.
  std::vector<std::string> End();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mcp
