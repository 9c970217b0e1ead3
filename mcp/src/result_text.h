// The result of a tools/call as JSON text.
#pragma once

#include <string>
#include <string_view>

#include "mcp/call.h"

namespace mcp {

// The members of the result without braces: content, isError and, when it is not empty, _meta with the result's own
// meta data and, in extra_meta, members as JSON text (`"key":value`).
std::string ResultMembers(const CallResult& result, std::string_view extra_meta);

}  // namespace mcp
