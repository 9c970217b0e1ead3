// Options of a Server or Session: limits, and the embedder's callbacks. Plain values with working defaults.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "mcp/observer.h"

namespace mcp {

// How a server ends, counted from the end of input, a signal or Stop. Clients give little time: one kills after 25 ms,
// others after 100 ms and more.
inline constexpr std::chrono::milliseconds kCancelRunningAfter{40};  // stop tokens fire, on_cancel_running is called
inline constexpr std::chrono::milliseconds kKillRunningAfter{80};    // on_kill_running is called
inline constexpr std::chrono::milliseconds kOverdueAfter{95};        // unwritten answers are dropped, on_overdue

// Instructions for the model are cut to this many bytes.
inline constexpr std::size_t kMaxInstructions = 2048;

// Writes one line to stderr: one write of at most 4096 bytes, dropped when it does not fit at once. Thread-safe.
void LogToStderr(std::string_view line);

struct Options {
  std::size_t max_frame = std::size_t{64} << 20;        // bytes of one incoming line
  std::size_t workers = 8;                              // threads that run calls
  std::size_t max_waiting = 1024;                       // waiting calls above which reading pauses
  std::size_t max_queued_bytes = std::size_t{8} << 20;  // unwritten answers above which reading pauses, until half
  std::size_t page = 1000;                              // tools per answer to tools/list
  int max_depth = 200;                                  // nesting of incoming JSON
  bool check_schemas = true;                            // false: Register takes any object as schema
  std::string instructions;                             // for the model; not sent when empty
  Observer* observer = nullptr;                         // not owned
  std::function<void(std::string_view line)> log = LogToStderr;  // any thread

  // The phases of the end, called on the thread inside Serve and only while calls still run:
  // the stop token of each call has fired; programs that calls started should get their SIGTERM,
  std::function<void()> on_cancel_running;
  // their SIGKILL,
  std::function<void()> on_kill_running;
  // and the time is over though the hook has not returned. A program ends itself here with _exit; when this is empty
  // or returns, Serve waits for the calls.
  std::function<void()> on_overdue;
};

}  // namespace mcp
