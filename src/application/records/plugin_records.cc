#include "application/records/plugin_records.h"

namespace awf {

json::object PluginStartAudit(const PluginStart& start) {
  return {{"plugin", start.plugin},
          {"version", start.version},
          {"path", start.path},
          {"sha256", start.sha256},
          {"tls", start.tls}};
}

json::object PluginEndAudit(const PluginEnd& end) {
  json::object fields{
      {"plugin", end.plugin}, {"version", end.version}, {"path", end.path}, {"sha256", end.sha256}, {"tls", end.tls}};
  if (!end.exit.empty()) fields["exit"] = end.exit;
  return fields;
}

void FillPluginStartLog(LogRecord& record, const PluginStart& start) {
  record.fields = {{"plugin", start.plugin}, {"version", start.version}, {"duration_ms", start.duration.count()}};
}

void FillPluginEndLog(LogRecord& record, const PluginEnd& end) {
  record.fields = {{"plugin", end.plugin}, {"version", end.version}};
  if (!end.exit.empty()) record.fields["exit"] = end.exit;
}

}  // namespace awf
