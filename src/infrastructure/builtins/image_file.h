// Pictures: told by their first bytes. Pure functions.
#pragma once

#include <optional>
#include <string_view>

namespace awf::builtins {

struct ImageKind {
  std::string_view name;       // "PNG"
  std::string_view mime_type;  // "image/png"
};

// From the first bytes of a file (12 are enough); none for everything that is not PNG, JPEG, GIF or WebP.
std::optional<ImageKind> DetectImage(std::string_view head);

}  // namespace awf::builtins
