// Final names of the tools that operations become, and which of them cannot stand beside each other.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace awf {

// "mcp__awf-proxy__" and the name must stay within the 64 characters of the model APIs.
inline constexpr std::size_t kLongestToolName = 48;

// "<plugin>_<operation>". The error says which character or length is at fault: ^[A-Za-z0-9_-]{1,48}$, no "__".
std::expected<std::string, std::string> OperationToolName(std::string_view plugin, std::string_view operation);

// What is left of a name after every client's mapping: lower case, '-' as '_'. Names with the same one collide.
std::string CollisionKey(std::string_view tool_name);

}  // namespace awf
