// What log and audit say of a plugin that starts or ends. Pure functions.
#pragma once

#include "domain/json.h"
#include "domain/record_sinks.h"
#include "domain/run_observer.h"

namespace awf {

json::object PluginStartAudit(const PluginStart& start);
json::object PluginEndAudit(const PluginEnd& end);

// The lines' fields; the records are new ones.
void FillPluginStartLog(LogRecord& record, const PluginStart& start);
void FillPluginEndLog(LogRecord& record, const PluginEnd& end);

}  // namespace awf
