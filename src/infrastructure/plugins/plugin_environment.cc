#include "infrastructure/plugins/plugin_environment.h"

#include "infrastructure/process/environment.h"

namespace awf::plugins {

std::vector<std::string> PluginEnvironment(std::vector<std::string> own, const PluginLaunch& launch,
                                           const std::filesystem::path& socket_folder, const std::string& certificate) {
  process::RemoveVariables(own, {"PLUGIN_CLIENT_CERT", "PLUGIN_MULTIPLEX_GRPC", "PLUGIN_UNIX_SOCKET_GROUP"});
  process::SetVariables(own, {{"AWF_PLUGIN", "awf-plugin-v1"},
                              {"PLUGIN_PROTOCOL_VERSIONS", "1"},
                              {"PLUGIN_MIN_PORT", "10000"},
                              {"PLUGIN_MAX_PORT", "25000"},
                              {"PLUGIN_UNIX_SOCKET_DIR", socket_folder.string()}});
  if (!certificate.empty()) process::SetVariables(own, {{"PLUGIN_CLIENT_CERT", certificate}});
  process::SetVariables(own, launch.env);
  return own;
}

}  // namespace awf::plugins
