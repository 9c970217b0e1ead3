// StdoutRelay: from the handshake on, what the process writes to its stdout goes through a pipe to this object, which
// keeps it until the host's stream fetches it. So a print neither waits for the host nor is lost, and the real stdout
// carries the handshake alone. A host that never opens the stream makes the process keep all that it prints.
//
// Thread-safe. Lives until the process ends: its thread is never joined.
#pragma once

#include <condition_variable>
#include <deque>
#include <expected>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace awf::sdk {

class StdoutRelay {
 public:
  // Makes what Redirect needs, so that only this can fail. The error is a clause.
  std::expected<void, std::string> Open();

  // Points descriptor 1 at the pipe. Once, after Open. The real stdout stays open behind it: its end is the end of the
  // process.
  void Redirect();

  // Points descriptor 1 back. What was printed until now can still be fetched; then Fetch tells the end, unless a child
  // process holds on to the pipe.
  void Restore();

  // The next piece, at most 64 KiB. Waits for one; nothing: the end, or `cancelled`.
  std::optional<std::string> Fetch(const std::stop_token& cancelled);

  // Takes a piece back that could not be delivered: the next Fetch returns it.
  void GiveBack(std::string piece);

 private:
  void Read();

  int read_end_ = -1;
  int write_end_ = -1;
  int real_stdout_ = -1;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> pieces_;
  bool ended_ = false;
};

}  // namespace awf::sdk
