// McpPeer: a stdio MCP server under measurement, driven by plain POSIX calls so that the client costs next to nothing;
// or another program that answers lines of JSON by their id (plugin_host_bench). One thread; requests and answers are
// matched by waiting for the line that carries the id.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace awf::bench {

using Clock = std::chrono::steady_clock;

struct Memory {
  double rss_mib = 0;
  double anonymous_mib = 0;  // RssAnon
};

class McpPeer {
 public:
  // Starts the program; ends it in the destructor (EOF, then SIGKILL after 5 s). Throws std::runtime_error.
  explicit McpPeer(const std::vector<std::string>& argv);
  ~McpPeer();
  McpPeer(const McpPeer&) = delete;
  McpPeer& operator=(const McpPeer&) = delete;

  // Sends the line and returns the answer with that id.
  std::string Request(int id, std::string_view line);
  // The handshake of 2025-06-18.
  void Initialize();
  Memory ReadMemory() const;
  // Closes stdin and waits for the end. Returns how long that took.
  std::chrono::microseconds Finish();

 private:
  pid_t pid_ = 0;
  int in_ = -1, out_ = -1;
  std::string buffer_;
};

}  // namespace awf::bench
