// A log record as a line: JSON for log.jsonl and --log-format json, text for people. Masked, then cut; no line feed at
// the end. Pure functions.
#pragma once

#include <string>

#include "domain/masker.h"
#include "domain/record_sinks.h"

namespace awf::telemetry {

// At most 16 KiB with the line feed that follows: the longest strings are cut and "cut":true is added.
std::string RenderLogJson(const LogRecord& record, const Masker& masker);

// HH:MM:SS LEVEL message key=value …, local time, safe for a terminal. A coexistence record becomes the warning of
// several lines that users know.
std::string RenderLogText(const LogRecord& record, const Masker& masker);

}  // namespace awf::telemetry
