// PluginCalls: runs the plugin calls of one attempt's servers and keeps their results until they can be sent.
//
// Passive, for the thread of the attempt's poll loop; each call runs on a thread of its own. A call is run only when
// its server told of its start before and this step exposes the operation; everything else is the fault of a peer. When
// this is destroyed all calls are cancelled, and none runs any more.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "domain/time.h"
#include "domain/tool.h"
#include "domain/tool_observer.h"
#include "infrastructure/mcp/forwarded_tool.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf::agents {

class PluginCalls {
 public:
  // `tools` are those of plugins; `deadline` is the step's.
  PluginCalls(std::vector<std::shared_ptr<ToolProvider>> tools, Deadline deadline);
  ~PluginCalls();
  PluginCalls(const PluginCalls&) = delete;
  PluginCalls& operator=(const PluginCalls&) = delete;

  // What the servers are to offer.
  const std::vector<ForwardedTool>& tools() const { return offered_; }

  // Runs a call. `started` is the call that the server told of, null when it told of none. The error is what the peer
  // did wrong.
  std::expected<void, std::string> Start(std::uint64_t connection, channel::PluginCall call, const CallRecord* started);
  // Nobody waits for it any more; its result is kept all the same.
  void Cancel(std::uint64_t connection, const CallId& call);
  // The call of a tool is over.
  void Finished(std::uint64_t connection, const CallId& call);
  // The server is gone, with all that it waited for.
  void Close(std::uint64_t connection);
  void CancelAll();

  // Becomes readable when there are results to take.
  int fd() const { return ready_.get(); }
  struct Result {
    std::uint64_t connection = 0;
    std::string line;  // of EncodeResult
  };
  std::vector<Result> Take();

 private:
  using Key = std::pair<std::uint64_t, CallId>;
  struct Running {
    channel::PluginCall call;
    ToolProvider* provider = nullptr;
    std::string tool;
    WallClock::time_point started;  // on the server
    std::stop_source stop;
    std::thread thread;
    bool taken = false;      // its result was, and the thread joined
    bool forgotten = false;  // nobody waits: it goes with its result
  };

  struct Offer {
    std::string tool, source;
    ToolProvider* provider = nullptr;
  };

  void Run(const Key& key, Running& running);
  ToolResult Outcome(const Running& running) const;
  void Keep(const Key& key, const ToolResult& result, const std::string& plugin);
  void Forget(std::map<Key, Running>::iterator running);

  const std::vector<std::shared_ptr<ToolProvider>> providers_;
  const Deadline deadline_;
  std::vector<ForwardedTool> offered_;
  std::map<std::pair<std::string, std::string>, Offer> offers_;  // by plugin and operation
  std::map<Key, Running> running_;                               // until the call of the tool is over
  std::size_t threads_ = 0;
  Fd ready_;

  std::mutex mutex_;  // guards what follows
  std::vector<std::pair<Key, std::string>> results_;
};

}  // namespace awf::agents
