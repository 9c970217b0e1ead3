// AuditTail: the end of an audit file, as needed to write on: the last whole record and what a crash has left behind
// it.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

#include "domain/error.h"
#include "domain/record_sinks.h"

namespace awf::telemetry {

struct AuditTail {
  AuditHead head;       // of the last whole record
  std::string dropped;  // the cut line behind it, without line feed; may be empty
};

// Reads from the end, so the cost does not grow with the file. A missing file is an empty one. A line that was written
// whole but for its line feed counts as whole. SYSTEM.IO.READ_FAILED; also when the last two lines hold no record: then
// this is no audit file.
std::expected<AuditTail, Error> ReadAuditTail(const std::filesystem::path& path);

}  // namespace awf::telemetry
