// Content: the blocks of which the result of a tool call consists.
//
// Plain values. Texts need not be valid UTF-8: what is not becomes U+FFFD on the wire.
#pragma once

#include <optional>
#include <string>
#include <variant>

namespace mcp {

struct TextContent {
  std::string text;
};
struct ImageContent {
  std::string data;  // base64
  std::string mime_type;
};
struct AudioContent {
  std::string data;  // base64
  std::string mime_type;
};
// A resource sent along: either text or, when blob is set, base64 bytes.
struct EmbeddedResource {
  std::string uri;
  std::string mime_type;  // may be empty
  std::string text;
  std::optional<std::string> blob;
};
struct ResourceLink {
  std::string uri;
  std::string name;
  std::string description;  // may be empty
  std::string mime_type;    // may be empty
};
using Content = std::variant<TextContent, ImageContent, AudioContent, EmbeddedResource, ResourceLink>;

}  // namespace mcp
