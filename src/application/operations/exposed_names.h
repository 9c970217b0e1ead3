// ExposedNames: the tools that a step's operations become, and what is wrong with their names. The same when a workflow
// is validated and when a step starts.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "domain/nearest_name.h"
#include "domain/operation.h"

namespace awf {

// USER.MCP_PROXY.UNKNOWN_OPERATION, with the nearest name as its hint and the list.
using HintFor = std::function<std::string(std::string_view wanted, std::span<const std::string> names)>;
Error UnknownOperation(std::string_view plugin, std::string_view operation, const std::vector<Operation>& operations,
                       const HintFor& nearest = DidYouMean);

// Of one step. Not thread-safe.
class ExposedNames {
 public:
  // The final name. Errors: USER.MCP_PROXY.INVALID_NAME, and NAME_COLLISION with one that was added before: by
  // CollisionKey, so that the names stay apart in every client. The six built-in tools need no look: their names hold
  // no '_', and every other does.
  std::expected<std::string, Error> Add(std::string_view plugin, std::string_view operation);

 private:
  struct Taken {
    std::string plugin, operation, name;
  };
  std::map<std::string, Taken> taken_;  // by CollisionKey
};

}  // namespace awf
