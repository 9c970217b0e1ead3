// SchemaArgumentChecker: checks and coerces the arguments of a call against the schema of its tool.
//
// The subset of JSON Schema that awf sends to clients: type, properties, required, items, enum, minimum, maximum.
// Aliases of the tool become their canonical names first (a canonical argument that is present wins), ignored arguments
// go, hidden ones stay. null counts as absent. Numbers and booleans may come as text; a value above its maximum is
// clamped. Integers are those of int64; where a maximum lies beyond, those of uint64 too. An array without `items` and
// an object without `properties` are taken as they come. All faults of a call are told in one sentence. Stateless,
// thread-safe.
#pragma once

#include <expected>
#include <string>

#include "domain/tool.h"

namespace awf {

class SchemaArgumentChecker : public ArgumentChecker {
 public:
  std::expected<json::object, std::string> Check(const ToolDefinition& tool,
                                                 const json::object& arguments) const override;
};

}  // namespace awf
