// FakeMcpClient: starts an MCP server over stdio and talks to it, for the fake agent CLIs. One thread, blocking.
#pragma once

#include <sys/types.h>

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace awf::fakes {

class FakeMcpClient {
 public:
  explicit FakeMcpClient(std::vector<std::string> command) : command_(std::move(command)) {}
  ~FakeMcpClient() { Stop(); }

  // False when the program could not be started.
  bool Start();
  // Handshake: initialize and notifications/initialized. False when the server ends instead.
  bool Initialize();
  // Names of the tools, or nothing when the server ended.
  std::optional<std::vector<std::string>> ListTools();
  // The result of the call, or nothing when the server ended before it answered.
  std::optional<boost::json::object> CallTool(const std::string& name, const boost::json::object& arguments,
                                              const std::string& call_id);
  // Sends the call and does not wait; its number.
  int SendCall(const std::string& name, const boost::json::object& arguments, const std::string& call_id);
  // The result of a call that was sent, as CallTool's.
  std::optional<boost::json::object> AwaitCall(int number);
  void CancelCall(int number);

  bool running() const { return pid_ > 0; }
  void Kill();  // SIGKILL
  void Stop();  // SIGINT, SIGTERM after 100 ms, SIGKILL after 500 ms, as Claude Code does

 private:
  std::optional<boost::json::object> Request(const std::string& method, const boost::json::object& params);
  std::optional<boost::json::object> Await(int id);
  void Send(const boost::json::object& message);
  bool ReapWithin(int milliseconds);
  void Close();

  std::vector<std::string> command_;
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;  // the server's stdin and stdout
  int next_id_ = 0;
  std::string buffer_;
  std::map<int, boost::json::object> answers_;  // read while another was waited for
};

}  // namespace awf::fakes
