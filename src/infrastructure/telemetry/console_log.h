// ConsoleLog: log records on the terminal, as text or as JSON lines.
//
// Where a live progress view stands on the same stream, lines go through it (`print`), so that neither writes into the
// other's lines. The text is for a person: what holds for every step of a run alike is said once. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "domain/masker.h"
#include "domain/record_sinks.h"

namespace awf::telemetry {

struct ConsoleLogOptions {
  LogLevel level = LogLevel::kWarn;
  bool json = false;
  // Text form: leave out what the command itself shows, or hides when asked to be quiet (states, tool calls, the end).
  bool beside_progress = false;
};

class ConsoleLog final : public LogSink {
 public:
  // `print` writes one line, line feed included, and is thread-safe. `masker` outlives the log.
  ConsoleLog(ConsoleLogOptions options, const Masker& masker, std::function<void(std::string_view)> print);

  bool Write(const LogRecord& record) override;
  std::string Name() const override { return "stderr"; }

 private:
  const ConsoleLogOptions options_;
  const Masker& masker_;
  const std::function<void(std::string_view)> print_;
  std::atomic<bool> degraded_told_ = false;
};

}  // namespace awf::telemetry
