// ToolProxyService: assembles the providers of one step into the router that all its calls take.
//
// The same in mcp-serve and in the in-process path, so both offer the same tools and refuse the same settings.
#pragma once

#include <expected>
#include <memory>
#include <vector>

#include "application/tools/tool_router.h"
#include "domain/error.h"
#include "domain/tool.h"
#include "domain/tool_observer.h"

namespace awf {

// Owns neither checker nor observer; both must outlive the routers.
class ToolProxyService {
 public:
  ToolProxyService(const ArgumentChecker& checker, ToolObserver& observer) : checker_(checker), observer_(observer) {}

  // USER.MCP_PROXY.EMPTY_PROXY when no provider offers a tool, USER.MCP_PROXY.NAME_COLLISION when two share a name.
  std::expected<std::unique_ptr<ToolRouter>, Error> Assemble(
      const std::vector<std::shared_ptr<ToolProvider>>& providers) const;

 private:
  const ArgumentChecker& checker_;
  ToolObserver& observer_;
};

}  // namespace awf
