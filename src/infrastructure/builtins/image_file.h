// Pictures: told by their first bytes, handed over as base64. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace awf::builtins {

struct ImageKind {
  std::string_view name;       // "PNG"
  std::string_view mime_type;  // "image/png"
};

// From the first bytes of a file (12 are enough); none for everything that is not PNG, JPEG, GIF or WebP.
std::optional<ImageKind> DetectImage(std::string_view head);

// RFC 4648, with padding.
std::string Base64(std::string_view bytes);

}  // namespace awf::builtins
