// The environment of a plugin's process. Pure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "infrastructure/plugins/plugin_launch.h"

namespace awf::plugins {

// awf's own without what would change the handshake, with the cookie, the protocol version, the ports for TCP, the
// folder of its socket, our certificate (PEM; empty: none, which leaves TLS off) and, last, `env` of the launch.
std::vector<std::string> PluginEnvironment(std::vector<std::string> own, const PluginLaunch& launch,
                                           const std::filesystem::path& socket_folder, const std::string& certificate);

}  // namespace awf::plugins
