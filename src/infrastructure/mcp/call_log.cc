#include "infrastructure/mcp/call_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "domain/json.h"
#include "domain/timestamp.h"
#include "domain/utf8.h"
#include "mcp/options.h"

namespace awf {
namespace {

constexpr std::size_t kMaxLine = 4095;  // with the line feed what a pipe takes in one piece

LogLevel LevelOf(CallOutcome outcome) {
  switch (outcome) {
    case CallOutcome::kOk:
      return LogLevel::kInfo;
    case CallOutcome::kCancelled:
    case CallOutcome::kDenied:
      return LogLevel::kWarn;
    case CallOutcome::kError:
    case CallOutcome::kTimeout:
    case CallOutcome::kLost:
      return LogLevel::kError;
  }
  return LogLevel::kError;
}

std::string Render(const CallRecord& call, const CallEnd& end, std::string_view tool, std::string_view error) {
  json::object line{{"level", ToString(LevelOf(end.outcome))},
                    {"message", "tool call"},
                    {"tool", tool},
                    {"source", call.source},
                    {"duration_ms", std::chrono::round<std::chrono::milliseconds>(end.duration).count()},
                    {"call", call.call}};
  if (!error.empty()) line["error"] = error;
  line["timestamp"] = UtcSeconds(call.time + end.duration);
  return json::serialize(line);
}

}  // namespace

std::string CallLogLine(const CallRecord& call, const CallEnd& end, const Masker& masker) {
  const std::string tool = RepairUtf8(masker.MaskText(call.tool));
  const std::string error = RepairUtf8(masker.MaskText(end.error));
  std::string line = Render(call, end, tool, error);
  // How long a text gets depends on what has to be escaped in it.
  for (std::size_t most = 2048; line.size() > kMaxLine && most > 0; most /= 2) {
    line = Render(call, end, Utf8Prefix(tool, most), Utf8Prefix(error, most));
  }
  return line;
}

CallLog CallLog::ToStderr(Masker masker, LogLevel least) { return {std::move(masker), Fd(), least}; }

std::expected<CallLog, Error> CallLog::ToFile(Masker masker, const std::filesystem::path& path, LogLevel least) {
  // O_NONBLOCK: neither opening nor writing a FIFO in its place may wait.
  Fd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600));
  if (!file) {
    return Fail("SYSTEM.IO.WRITE_FAILED",
                "cannot write the log " + path.string() + ": " + std::generic_category().message(errno));
  }
  return CallLog(std::move(masker), std::move(file), least);
}

void CallLog::Finished(const CallRecord& call, const CallEnd& end) {
  if (LevelOf(end.outcome) < least_) return;
  std::string line = CallLogLine(call, end, masker_);
  if (!file_) return mcp::LogToStderr(line);
  line.push_back('\n');
  // A log that cannot be written is no reason to fail a call.
  [[maybe_unused]] const ssize_t written = ::write(file_.get(), line.data(), line.size());
}

}  // namespace awf
