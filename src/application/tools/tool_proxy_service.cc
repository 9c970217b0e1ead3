#include "application/tools/tool_proxy_service.h"

#include <utility>

namespace awf {

std::expected<std::unique_ptr<ToolRouter>, Error> ToolProxyService::Assemble(
    const std::vector<std::shared_ptr<ToolProvider>>& providers) const {
  auto router = std::make_unique<ToolRouter>(checker_, observer_);
  for (const auto& provider : providers) {
    if (auto added = router->Add(provider); !added) return std::unexpected(std::move(added).error());
  }
  if (router->Definitions().empty()) {
    return Fail("USER.MCP_PROXY.EMPTY_PROXY", "the tool proxy would offer no tool",
                "Set intercept_builtins: true, or expose operations of a plugin.");
  }
  return router;
}

}  // namespace awf
