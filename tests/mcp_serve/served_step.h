// ServedStep: both ends around one `awf mcp-serve`: the client on its stdin and stdout, and the awf run that listens on
// the step channel. One thread: everything waits in poll().
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/json.h"
#include "domain/test_folder.h"
#include "infrastructure/mcp/serve_config.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf {

class ServedStep {
 public:
  ServedStep();
  ~ServedStep();
  ServedStep(const ServedStep&) = delete;
  ServedStep& operator=(const ServedStep&) = delete;

  // To be changed before Start.
  ServeConfig& config() { return config_; }
  std::filesystem::path Path(const std::string& name) const { return folder_ / name; }
  std::filesystem::path ConfigFile() const { return folder_ / "serve.json"; }
  void WriteConfig(const std::string& text);

  void Start();  // writes the configuration and starts the server
  void Run();    // starts it with the configuration file as it is

  void Send(const std::string& line);
  // The answer with this id, as JSON text, or an empty object after a bounded wait.
  json::object Answer(const json::value& id);
  void CloseStdin() { in_.Reset(); }
  void Kill(int signal);
  // The exit code, 128 + signal; -1 when it did not end.
  int WaitForEnd();

  // Serves the channel until `done`; false after a bounded wait.
  bool ServeUntil(const std::function<bool()>& done);
  // Takes what has arrived on the channel by now.
  void ServeOnce();
  const std::vector<channel::ServerEvent>& events() const { return events_; }
  std::size_t Count(channel::ServerEvent::Kind kind) const;
  template <typename T>
  std::vector<T> Messages() const {
    std::vector<T> messages;
    for (const channel::ServerEvent& event : events_) {
      if (event.message && std::holds_alternative<T>(*event.message)) messages.push_back(std::get<T>(*event.message));
    }
    return messages;
  }
  void LoseParent() { parent_.reset(); }
  // What awf run answers to a plugin call of the server that connected first.
  void SendResult(const channel::PluginResult& result);
  pid_t pid() const { return pid_; }

  std::string Stderr() const;

 private:
  void ReadAnswers();

  const TestFolder folder_{"/var/tmp"};
  ServeConfig config_;
  std::unique_ptr<channel::StepChannelServer> parent_;
  pid_t pid_ = -1;
  Fd in_, out_;
  std::string text_;
  std::vector<json::object> answers_;
  std::vector<channel::ServerEvent> events_;
};

// Lines of a session.
std::string InitializeLine();
std::string CallLine(int id, const std::string& tool, const json::object& arguments);

}  // namespace awf
