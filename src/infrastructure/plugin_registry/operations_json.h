// Operations as JSON, in the lock and in the cache. Pure, thread-safe.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "domain/json.h"
#include "domain/operation.h"
#include "infrastructure/plugin_registry/json_document.h"

namespace awf::plugin_registry {

// Sorted by name, their inputs and outputs too: some plugins list them in another order at every start.
json::value OperationsJson(const std::vector<Operation>& operations);

struct OperationsFault {
  JsonPath path;        // from `value` on
  std::string message;  // "must be a string, but is a number", "is missing", "unknown key 'x'"
};
std::expected<std::vector<Operation>, OperationsFault> OperationsOf(const json::value& value);

}  // namespace awf::plugin_registry
