// PluginLog: what a plugin logs and prints, line by line to the run's log, and the ends of it for error texts.
//
// A plugin has four mouths: its real stdout and stderr, and the two streams that come over StreamStdio once it serves.
// Lines of hclog, as JSON or as text, are taken apart; all else is a message. Thread-safe: each mouth may be fed from a
// thread of its own. Secrets are masked by whoever logs.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "domain/json.h"
#include "domain/run_observer.h"

namespace awf::plugins {

inline constexpr std::size_t kPluginTail = 4096;                // bytes
inline constexpr std::size_t kLongestPluginLine = 64UL * 1024;  // what is longer becomes several

struct PluginLogLine {
  LogLevel level = LogLevel::kInfo;
  std::string message;
  json::object fields;  // without time and level

  friend bool operator==(const PluginLogLine&, const PluginLogLine&) = default;
};

// hclog's JSON ({"@level":…,"@message":…}), hclog's text ("2026-01-02T15:04:05.000Z [INFO]  message: k=v"), else the
// line as it is, at level info; a Go panic at level error. Without line feed. Pure.
PluginLogLine ParsePluginLog(std::string_view line);

class PluginLog {
 public:
  enum Mouth { kRawOutput, kRawErrors, kStreamedOutput, kStreamedErrors };
  // Must not throw, nor call back into this object; may be empty.
  using Logged = std::function<void(LogLevel, std::string_view message, const json::object& fields)>;

  PluginLog(std::string plugin, Logged logged) : plugin_(std::move(plugin)), logged_(std::move(logged)) {}

  void Take(Mouth mouth, std::string_view bytes);
  // The process has ended: logs what is left without a line feed.
  void Finish();

  // The last 4 KiB of stderr, real and streamed, line by line in the order in which they came, without hclog's lines
  // below warn: those would push out why a plugin ended.
  std::string ErrorTail() const;
  // The same of stdout.
  std::string OutputTail() const;

 private:
  void TakeLine(Mouth mouth, std::string_view line, std::string_view end);

  std::string plugin_;
  Logged logged_;
  mutable std::mutex mutex_;
  std::array<std::string, 4> unfinished_;
  std::string errors_, output_;     // of errors: whole lines, or pieces of long ones
  Mouth last_errors_ = kRawErrors;  // which of the two has spoken last
};

}  // namespace awf::plugins
