#include "bench/mcp_peer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace awf::bench {
namespace {

constexpr int kAnswerMs = 60'000;

double FieldMib(const std::string& status, const std::string& name) {
  const std::size_t at = status.find(name + ":");
  return at == std::string::npos ? 0 : std::stod(status.substr(at + name.size() + 1)) / 1024;
}

}  // namespace

McpPeer::McpPeer(const std::vector<std::string>& argv) {
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  ::posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int failed = ::posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(to[0]);
  ::close(from[1]);
  if (failed != 0) throw std::runtime_error("cannot start " + argv[0]);
  in_ = to[1];
  out_ = from[0];
}

McpPeer::~McpPeer() {
  if (pid_ > 0) {
    try {
      Finish();
    } catch (const std::exception&) {  // the server is killed below
    }
  }
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (in_ >= 0) ::close(in_);
  ::close(out_);
}

std::string McpPeer::Request(int id, std::string_view line) {
  std::string text(line);
  text.push_back('\n');
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t wrote = ::write(in_, text.data() + sent, text.size() - sent);
    if (wrote <= 0) throw std::runtime_error("the server does not read");
    sent += static_cast<std::size_t>(wrote);
  }
  const std::string wanted = "\"id\":" + std::to_string(id);
  while (true) {
    for (std::size_t end; (end = buffer_.find('\n')) != std::string::npos;) {
      std::string answer = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      const std::size_t at = answer.find(wanted);
      const char after =
          at == std::string::npos || at + wanted.size() >= answer.size() ? ',' : answer[at + wanted.size()];
      if (at != std::string::npos && (after == ',' || after == '}')) return answer;
    }
    pollfd ready{out_, POLLIN, 0};
    if (::poll(&ready, 1, kAnswerMs) <= 0) throw std::runtime_error("no answer");
    char chunk[65536];
    const ssize_t got = ::read(out_, chunk, sizeof chunk);
    if (got <= 0) throw std::runtime_error("the server ended");
    buffer_.append(chunk, static_cast<std::size_t>(got));
  }
}

void McpPeer::Initialize() {
  Request(
      1,
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})");
  const std::string_view initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
  if (::write(in_, initialized.data(), initialized.size()) < 0) throw std::runtime_error("the server does not read");
}

Memory McpPeer::ReadMemory() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/status");
  std::ostringstream text;
  text << in.rdbuf();
  return {FieldMib(text.str(), "VmRSS"), FieldMib(text.str(), "RssAnon")};
}

std::chrono::microseconds McpPeer::Finish() {
  const auto start = Clock::now();
  ::close(in_);
  in_ = -1;
  for (int waited = 0; waited < 50'000; ++waited) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = 0;
      return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    }
    ::usleep(100);
  }
  throw std::runtime_error("the server does not end");
}

}  // namespace awf::bench
