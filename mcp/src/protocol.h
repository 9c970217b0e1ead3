// Names and numbers of the protocol: JSON-RPC error codes, MCP versions, keys of meta data.
#pragma once

#include <array>
#include <string_view>

namespace mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kUnsupportedVersion = -32022;

// Versions that begin with initialize. Their messages for tools are the same.
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                                    "2025-11-25"};
inline constexpr std::string_view kLatestLegacyVersion = kLegacyVersions.back();
// The version without initialize, in which each request describes itself.
inline constexpr std::string_view kModernVersion = "2026-07-28";

inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

}  // namespace mcp
