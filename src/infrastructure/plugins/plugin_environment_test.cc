#include "infrastructure/plugins/plugin_environment.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace awf::plugins {
namespace {

using Strings = std::vector<std::string>;

TEST(PluginEnvironment, AddsWhatGoPluginsNeedAndTakesWhatWouldChangeTheHandshake) {
  PluginLaunch launch;
  launch.env = {{"KUBECONFIG", "/k"}, {"PLUGIN_MAX_PORT", "9"}};
  const Strings made = PluginEnvironment({"HOME=/h", "PLUGIN_CLIENT_CERT=x", "PLUGIN_MULTIPLEX_GRPC=true",
                                          "PLUGIN_UNIX_SOCKET_GROUP=staff", "KUBECONFIG=/old", "AWF_PLUGIN=0"},
                                         launch, "/run/p-1", "PEM\nPEM\n");
  EXPECT_EQ(made, (Strings{"HOME=/h", "AWF_PLUGIN=awf-plugin-v1", "PLUGIN_PROTOCOL_VERSIONS=1", "PLUGIN_MIN_PORT=10000",
                           "PLUGIN_UNIX_SOCKET_DIR=/run/p-1", "PLUGIN_CLIENT_CERT=PEM\nPEM\n", "KUBECONFIG=/k",
                           "PLUGIN_MAX_PORT=9"}));
}

TEST(PluginEnvironment, WithoutCertificateTlsStaysOff) {
  const Strings made = PluginEnvironment({"PLUGIN_CLIENT_CERT=x"}, {}, "/s", "");
  EXPECT_EQ(made, (Strings{"AWF_PLUGIN=awf-plugin-v1", "PLUGIN_PROTOCOL_VERSIONS=1", "PLUGIN_MIN_PORT=10000",
                           "PLUGIN_MAX_PORT=25000", "PLUGIN_UNIX_SOCKET_DIR=/s"}));
}

}  // namespace
}  // namespace awf::plugins
