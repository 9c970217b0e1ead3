// What a tool's name and input schema must look like so that every known client and model takes it.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

// What is wrong, in one sentence, or nothing.
std::optional<std::string> CheckToolName(std::string_view name);
std::optional<std::string> CheckInputSchema(const boost::json::object& schema);

}  // namespace mcp
