#include "infrastructure/builtins/image_file.h"

namespace awf::builtins {

std::optional<ImageKind> DetectImage(std::string_view head) {
  if (head.starts_with("\x89PNG\r\n\x1A\n")) return ImageKind{"PNG", "image/png"};
  if (head.starts_with("\xFF\xD8\xFF")) return ImageKind{"JPEG", "image/jpeg"};
  if (head.starts_with("GIF87a") || head.starts_with("GIF89a")) return ImageKind{"GIF", "image/gif"};
  if (head.starts_with("RIFF") && head.substr(0, 12).ends_with("WEBP")) return ImageKind{"WebP", "image/webp"};
  return std::nullopt;
}

}  // namespace awf::builtins
