#include "infrastructure/telemetry/log_file.h"

#include <utility>

#include "infrastructure/telemetry/log_line.h"

namespace awf::telemetry {

LogFile::LogFile(AppendFile file, LogLevel level, const Masker& masker)
    : file_(std::move(file)), level_(level), masker_(masker) {}

std::expected<std::unique_ptr<LogFile>, Error> LogFile::Open(const std::filesystem::path& path, LogLevel level,
                                                             const Masker& masker) {
  auto file = AppendFile::Open(path, false);
  if (!file) return std::unexpected(file.error());
  return std::unique_ptr<LogFile>(new LogFile(std::move(*file), level, masker));
}

bool LogFile::Write(const LogRecord& record) {
  if (record.level < level_) return true;
  return file_.Write(RenderLogJson(record, masker_) + "\n").has_value();
}

}  // namespace awf::telemetry
