// CallLog: the log line of each call of `awf mcp serve`, which has no parent to record them.
//
// {"level":…,"message":"tool call","tool":…,"source":…,"duration_ms":…,"call":…,"error":…,"timestamp":…}: one write of
// at most 4096 bytes. On stderr a line that does not fit at once is dropped, never waited for. Thread-safe.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "domain/error.h"
#include "domain/masker.h"
#include "domain/run_observer.h"
#include "infrastructure/mcp/mcp_proxy_server.h"
#include "infrastructure/process/fd.h"

namespace awf {

class CallLog : public ProxyObserver {
 public:
  // `masker` is copied and hides secrets in names and errors. Calls below `least` have no line.
  static CallLog ToStderr(Masker masker, LogLevel least = LogLevel::kInfo);
  // Appends; makes the file with mode 0600.
  static std::expected<CallLog, Error> ToFile(Masker masker, const std::filesystem::path& path,
                                              LogLevel least = LogLevel::kInfo);

  void Started(const CallRecord&) override {}
  void Finished(const CallRecord& call, const CallEnd& end) override;

 private:
  CallLog(Masker masker, Fd file, LogLevel least) : masker_(std::move(masker)), least_(least), file_(std::move(file)) {}

  Masker masker_;
  LogLevel least_;
  Fd file_;  // none: stderr
};

// The line without its line feed, at most 4095 bytes: the texts are cut, never the JSON.
std::string CallLogLine(const CallRecord& call, const CallEnd& end, const Masker& masker);

}  // namespace awf
