// MeasuredHost: the side of awf in plugin_host_bench: a plugin under PluginHost, measured by order.
//
// Reads orders from stdin, one JSON object a line, and answers each with a line, until the end of stdin. bench/go_host
// does the same under go-plugin's client, step by step:
//   {"id":1,"measure":"start"}               a fresh host and plugin: from the spawn up to the answer of the first echo
//   {"id":2,"measure":"checked_start"}       the same from the very beginning, the hash of the plugin's file included
//   {"id":3,"measure":"echo","calls":200}    echoes of 200 bytes, one after the other
//   {"id":4,"measure":"large","calls":20}    replies of 1 MiB
//   {"id":5,"measure":"at_once","calls":50}  echoes again: that many by each of 8 callers
// Answer: {"id":1,"ms":[...]}, the milliseconds of each call, or {"id":1,"error":"..."}. The calls go to the plugin
// that was started last.
#pragma once

#include <filesystem>

namespace awf::bench {

// Returns the exit code.
int ServeMeasures(const std::filesystem::path& plugin);

}  // namespace awf::bench
