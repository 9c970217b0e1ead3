// The start of one plugin, stage by stage: checksum, spawn, handshake, TLS, health, info, Init, operations.
#pragma once

#include <expected>
#include <filesystem>
#include <stop_token>

#include "domain/error.h"
#include "domain/time.h"
#include "infrastructure/plugins/plugin_host.h"
#include "infrastructure/plugins/plugin_launch.h"
#include "infrastructure/plugins/process_loop.h"
#include "infrastructure/plugins/running_plugin.h"

namespace awf::plugins {

// The folder of its socket is made in `sockets`. Blocks until the operations are known, at most for the launch's
// start_timeout. Errors: EXECUTION.PLUGIN.* with the texts of the plugins page, EXECUTION.RUN.CANCELLED. After a
// failure neither process nor folder is left.
std::expected<PluginParts, Error> StartPlugin(const PluginLaunch& launch, const PluginHostOptions& options,
                                              const std::filesystem::path& sockets, ProcessLoop& loop,
                                              const Deadline& deadline, const std::stop_token& cancelled);

}  // namespace awf::plugins
