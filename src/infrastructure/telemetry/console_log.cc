#include "infrastructure/telemetry/console_log.h"

#include <algorithm>
#include <array>
#include <utility>

#include "infrastructure/telemetry/log_line.h"

namespace awf::telemetry {
namespace {

bool ShownByProgress(std::string_view message) {
  static constexpr std::array<std::string_view, 7> kMessages = {"tool call",         "step started", "step retry",
                                                                "step completed",    "step failed",  "workflow started",
                                                                "workflow completed"};
  return std::find(kMessages.begin(), kMessages.end(), message) != kMessages.end();
}

}  // namespace

ConsoleLog::ConsoleLog(ConsoleLogOptions options, const Masker& masker, std::function<void(std::string_view)> print)
    : options_(options), masker_(masker), print_(std::move(print)) {}

bool ConsoleLog::Write(const LogRecord& record) {
  if (record.level < options_.level) return true;
  if (options_.json) {
    print_(RenderLogJson(record, masker_) + "\n");
    return true;
  }
  if (options_.beside_progress && ShownByProgress(record.message)) return true;
  if (record.message == "sandbox degraded" && degraded_told_.exchange(true)) return true;
  print_(RenderLogText(record, masker_) + "\n");
  return true;
}

}  // namespace awf::telemetry
