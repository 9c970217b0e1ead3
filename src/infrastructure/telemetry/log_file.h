// LogFile: log.jsonl of a run. Appends one line per record of at least its level.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>

#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "infrastructure/telemetry/append_file.h"

namespace awf::telemetry {

class LogFile final : public LogSink {
 public:
  // `masker` outlives it.
  static std::expected<std::unique_ptr<LogFile>, Error> Open(const std::filesystem::path& path, LogLevel level,
                                                             const Masker& masker);

  bool Write(const LogRecord& record) override;
  std::string Name() const override { return file_.path().string(); }
  std::string Failure() const override { return file_.Failure(); }

 private:
  LogFile(AppendFile file, LogLevel level, const Masker& masker);

  AppendFile file_;
  const LogLevel level_;
  const Masker& masker_;
};

}  // namespace awf::telemetry
