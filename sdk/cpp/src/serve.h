// Serve: the life of a plugin's process, from the cookie to its end.
#pragma once

#include "plugin_definition.h"

namespace awf::sdk {

// Returns only when the plugin cannot start: 1, with a sentence on stderr.
int Serve(const PluginDefinition& plugin);

}  // namespace awf::sdk
