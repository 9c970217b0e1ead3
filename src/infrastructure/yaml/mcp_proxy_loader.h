// Reads the `mcp_proxy:` block of an agent step.
#pragma once

#include <string>

#include "domain/mcp_proxy_settings.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {

// Always yields settings; what could not be read keeps its default and is a finding.
McpProxySettings LoadMcpProxy(const YamlNode& block, YamlReader& reader, const std::string& field);

}  // namespace awf
