// Session: one run of `awf mcp serve` and the conversation with it. Single-threaded: everything waits in poll().
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "case_file.h"
#include "program.h"

namespace awf::cases {

using Clock = std::chrono::steady_clock;

// One message from the server that answers something (or is an error without id).
struct Answer {
  json::value id;  // null when there is none
  json::object message;
  std::string line;
  Clock::time_point time;

  const json::object* Result() const;  // null for an error
  std::optional<std::int64_t> ErrorCode() const;
  bool IsErrorResult() const;  // result with isError true
  std::string Text() const;    // of all text blocks of the result, or the error's message
};

struct SessionOptions {
  std::filesystem::path awf;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::optional<unsigned> umask;
  std::optional<std::size_t> max_file, max_memory;
  bool stdin_null = false;
  bool stderr_undrained = false;
  bool agent = false;  // a shell starts the server and waits
  Folders folders;
};

struct ServerEnd {
  int exit_code = 0;  // 128 + signal
  bool signalled = false;
  Clock::time_point time;
};

// What the server used until now.
struct Usage {
  double peak_mb = 0;
  double cpu_ms = 0;
  std::size_t children = 0;
};

class Session {
 public:
  explicit Session(const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool started() const { return pid_ > 0; }
  // Writes the line and a line feed; keeps reading meanwhile. False when the server does not take it.
  bool Send(const std::string& line);
  // Reads until `done` or the bound; false on the bound, and when the server has closed its stdout before.
  bool WaitUntil(const std::function<bool()>& done, std::chrono::milliseconds bound);
  void Sleep(std::chrono::milliseconds time);
  void set_reading(bool reading) { reading_ = reading; }
  void CloseStdin();
  void CloseStdout();
  void Kill(int signal, bool agent);

  const std::vector<Answer>& answers() const { return answers_; }
  const Answer* Find(const json::value& id) const;  // the first with this id
  // Lines on stdout that are no JSON-RPC messages.
  const std::vector<std::string>& garbage() const { return garbage_; }

  std::optional<Usage> Measure() const;
  // Waits for the end of the server.
  std::optional<ServerEnd> WaitForEnd(std::chrono::milliseconds bound);
  // When the server's end began: the last close or kill, else the start.
  Clock::time_point ending_since() const { return ending_since_; }

 private:
  void StartServer(const SessionOptions& options, int in, int out, int err);
  void ReadSome(int timeout_ms, bool want_write, bool& writable);
  void TakeLine(std::string line);
  void ReapServer();

  pid_t pid_ = -1;        // of the server
  pid_t agent_pid_ = -1;  // of the shell, if there is one
  int in_ = -1, out_ = -1, err_ = -1;
  bool reading_ = true;
  std::string buffer_;
  std::vector<Answer> answers_;
  std::vector<std::string> garbage_;
  std::optional<ServerEnd> end_;
  Clock::time_point ending_since_;
};

}  // namespace awf::cases
