#include "infrastructure/telemetry/log_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

#include "domain/terminal_text.h"
#include "domain/timestamp.h"
#include "domain/utf8.h"
#include "infrastructure/telemetry/record_cut.h"

namespace awf::telemetry {
namespace {

std::string Clean(const Masker& masker, std::string_view text) { return RepairUtf8(masker.MaskText(text)); }

json::object CleanFields(const LogRecord& record, const Masker& masker) {
  return RepairStrings(masker.MaskJson(record.fields)).get_object();
}

json::object Assemble(const LogRecord& record, const Masker& masker, bool cut) {
  json::object line;
  line["level"] = ToString(record.level);
  line["message"] = Clean(masker, record.message);
  for (auto& entry : CleanFields(record, masker)) line.emplace(entry.key(), entry.value());
  if (cut) line["cut"] = true;
  if (!record.error.empty()) line["error"] = Clean(masker, record.error);
  if (!record.run.empty()) line["run"] = record.run;
  if (!record.step.empty()) line["step"] = RepairUtf8(record.step);
  if (record.attempt > 1) line["attempt"] = record.attempt;
  if (!record.trace_id.empty()) line["trace_id"] = record.trace_id;
  if (!record.span_id.empty()) line["span_id"] = record.span_id;
  line["timestamp"] = record.whole_seconds ? UtcSeconds(record.time) : UtcMilliseconds(record.time);
  return line;
}

std::string LocalTime(WallClock::time_point time) {
  const std::time_t seconds = WallClock::to_time_t(time);
  std::tm calendar{};
  ::localtime_r(&seconds, &calendar);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &calendar)};
}

std::string_view Label(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kWarn:
      return "WARN";
    case LogLevel::kError:
      return "ERROR";
  }
  return "INFO";
}

// Bare where that is unambiguous, else quoted as in JSON.
std::string Quoted(std::string_view text) {
  const bool bare = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != '"' && c != '=' && c != '\\' && c != 0x7F;
  });
  return bare ? std::string(text) : json::serialize(json::string(text));
}

void AppendField(std::string& line, std::string_view key, const json::value& value) {
  line.append(" ").append(key).append("=");
  if (value.is_string()) {
    line += Quoted(value.get_string());
  } else {
    line += json::serialize(value);
  }
}

std::string FieldText(const json::object& fields, std::string_view key) {
  const json::value* value = fields.if_contains(key);
  return value != nullptr && value->is_string() ? PrintableLine(value->get_string()) : std::string();
}

// Four lines: two of them and the shape are fixed by the guide. What to do depends on why the level is not proven.
std::string CoexistenceWarning(const json::object& fields) {
  const std::string provider = FieldText(fields, "provider"), version = FieldText(fields, "version"),
                    verified = FieldText(fields, "verified"), level = FieldText(fields, "isolation"),
                    reason = FieldText(fields, "reason"), model = FieldText(fields, "model");
  std::string why = "Isolation is not proven for " + (version.empty() ? "the version in use" : version) +
                    "; run awf doctor --probe " + provider + (model.empty() ? "" : " --model " + model) + ".";
  constexpr std::string_view kNative = "native tools: ", kUsed = "native tool used: ";
  if (reason.starts_with(kNative)) why = "Native tools cannot be disabled: " + reason.substr(kNative.size()) + ".";
  if (reason.starts_with(kUsed)) why = "Native tools cannot be disabled: " + reason.substr(kUsed.size()) + " was used.";
  return "WARN: mcp_proxy on provider=" + provider + " runs in coexistence mode.\n      " + why +
         "\n      Use 'claude' or 'openai-compatible' for guaranteed MCP-only isolation.\n      found " +
         (version.empty() ? "no version" : version) + ", verified " + (verified.empty() ? "none" : verified) +
         ", level " + level;
}

}  // namespace

std::string RenderLogJson(const LogRecord& record, const Masker& masker) {
  std::string line = json::serialize(Assemble(record, masker, false));
  if (line.size() < kLongestLine) return line;
  json::object shorter = Assemble(record, masker, true);
  CutToFit(shorter, kLongestLine - 1);
  return json::serialize(shorter);
}

std::string RenderLogText(const LogRecord& record, const Masker& masker) {
  const json::object fields = CleanFields(record, masker);
  if (record.message == "mcp proxy coexistence") return CoexistenceWarning(fields);
  std::string line = Clean(masker, record.message);
  for (const auto& [key, value] : fields) AppendField(line, key, value);
  if (!record.error.empty()) AppendField(line, "error", json::value(Clean(masker, record.error)));
  if (!record.step.empty()) AppendField(line, "step", json::value(record.step));
  if (record.attempt > 1) AppendField(line, "attempt", record.attempt);
  std::string text = LocalTime(record.time);
  text.append(" ").append(Label(record.level)).append(" ").append(PrintableLine(line));
  return text;
}

}  // namespace awf::telemetry
