// Dispatcher: what messages mean. Takes a frame and says what is to be written at once and which call is to be run.
//
// Knows no threads and no descriptors: Session runs the calls inline, Server in its pool. Handle and its like are for
// one thread (or nested within it), Run for any, CancelAll for any.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call_table.h"
#include "mcp/call.h"
#include "mcp/observer.h"
#include "mcp/options.h"
#include "message.h"
#include "pending_call.h"
#include "tool_list.h"

namespace mcp {

struct Reaction {
  std::vector<std::string> lines;     // to be written, in order
  std::shared_ptr<PendingCall> call;  // to be given to Run; may be null
};

class Dispatcher {
 public:
  Dispatcher(const Implementation& self, CallHandler handler, Options options);

  std::expected<void, Error> Register(const Tool& tool) { return tools_.Add(tool); }

  Reaction Handle(std::string_view frame);
  // A frame over the limit, of which only the head is there.
  Reaction HandleOversized(std::string_view head);
  // A frame that Handle gave up with std::bad_alloc.
  Reaction HandleOutOfMemory(std::string_view frame);
  // Runs the hook under a catch-all. Returns the answer, or nothing when the call was cancelled.
  std::optional<std::string> Run(PendingCall& call);
  // The answer of a call that cannot be run.
  std::optional<std::string> Fail(PendingCall& call, std::string_view why);
  // Answers the requests that are held open until the end.
  std::vector<std::string> End();
  void CancelAll() { calls_.CancelAll(); }

 private:
  // A request under way through its method.
  struct Request {
    Message message;
    const json::object* meta;  // of the params; never null
    bool modern = false;       // 2026-07-28
    Reaction reaction;
  };
  struct Method {
    std::string_view name;
    bool legacy, modern;
    void (Dispatcher::*handle)(Request&);
  };
  static const Method kMethods[];

  Reaction HandleRequest(Message message);
  void HandleNotification(const Message& message);
  bool CheckModern(Request& request);
  void Introduce(const json::value* client_info, std::string_view version);

  void Initialize(Request& request);
  void Discover(Request& request);
  void Ping(Request& request);
  void ListTools(Request& request);
  void CallTool(Request& request);
  void Subscribe(Request& request);

  void Answer(Request& request, std::string_view members, bool cacheable = false);
  void Refuse(Request& request, int code, std::string reason, std::string_view data = {});
  Reaction Reject(const Rejection& rejection, std::string_view data = {});
  std::string ResultOf(const PendingCall& call, const CallResult& result) const;
  std::string Execute(PendingCall& call);

  CallHandler handler_;
  Options options_;
  ToolList tools_;
  CallTable calls_;
  std::string about_self_;   // `"capabilities":…,"serverInfo":…,"instructions":…`
  std::string modern_meta_;  // `"io.modelcontextprotocol/serverInfo":…`
  bool initialized_ = false;
  bool introduced_modern_ = false;
  std::map<std::string, std::string, std::less<>> subscriptions_;  // id key → id text
  std::optional<std::chrono::steady_clock::time_point> last_drop_logged_;
};

}  // namespace mcp
