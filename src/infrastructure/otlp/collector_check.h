// Whether somebody listens where spans are to be exported to.
#pragma once

#include <chrono>
#include <expected>
#include <string>

#include "infrastructure/otlp/export_settings.h"

namespace awf::otlp {

// Connects and closes the connection again, without sending anything. The error is a phrase ("connection refused").
std::expected<void, std::string> CheckCollector(const ExportSettings& settings, std::chrono::milliseconds patience);

}  // namespace awf::otlp
